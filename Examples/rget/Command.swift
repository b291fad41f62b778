import Foundation

/// From arguments to an exit status.
enum Command {
  /// The version of the package, which the newest heading of the changelog has too.
  static let version = "0.1.0"

  static func run(_ arguments: [String]) async -> Int32 {
    do {
      let status = try await perform(try Arguments.parse(arguments))
      guard let failure = Output.failure else { return status }
      Output.message("rget: \(failure.reason).")
      return status == ExitCode.complete.rawValue ? failure.status.rawValue : status
    } catch {
      Output.message("rget: \(error.reason)\n\n\(Help.synopsis)\n\nrget --help says more.")
      return ExitCode.usage.rawValue
    }
  }

  private static func perform(_ arguments: Arguments) async throws(UsageError) -> Int32 {
    switch arguments {
    case .help: Output.result(Help.text)
    case .version: Output.result("rget \(version)")
    case .completions(let shell): Output.result(shell.completions)
    case .get(let options): return try await Run.run(options)
    case .list(let directory): return LeftoverCommands.list(directory)
    case .clean(let directory): return LeftoverCommands.clean(directory)
    case .inspect(let file): return Inspection.run(file)
    case .demo: return await Demo.run()
    case .demoContinue(let blob, let directory):
      return await DemoChild.run(
        blob: URL(fileURLWithPath: blob), directory: URL(fileURLWithPath: directory, isDirectory: true))
    }
    return ExitCode.complete.rawValue
  }
}
