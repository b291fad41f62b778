import Foundation

/// From arguments to an exit status.
enum Command {
  static let version = "0.1.0"

  static func run(_ arguments: [String]) async -> Int32 {
    let parsed: Arguments
    do {
      parsed = try Arguments.parse(arguments)
    } catch {
      Output.message("rget: \(error.reason)\n\n\(Arguments.usage)")
      return 2
    }
    switch parsed {
    case .help: Output.result(Arguments.usage)
    case .version: Output.result("rget \(version)")
    case .get(let url, let destination): return await Download(url: url, destination: destination).run()
    case .demo: return await Demo.run()
    case .demoContinue(let blob, let directory): return await DemoChild.run(blob: blob, directory: directory)
    }
    return 0
  }
}
