import Foundation

/// Where the package's programs lie while its tests run.
public enum Products {
  /// The folder of the running test program, for instance `.build/x86_64-unknown-linux-gnu/debug`.
  public static func folder() throws -> String {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // A helper from the toolchain may run the tests; then the bundle is among the arguments.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") && $0.hasPrefix("/") }
    let path = program.hasSuffix(".xctest") ? program : bundle ?? program
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  /// The path of a built program of the package.
  ///
  /// - Throws: `TestSupportError.productMissing` if it was not built.
  public static func path(_ name: String) throws -> String {
    let path = "\(try folder())/\(name)"
    guard FileManager.default.isExecutableFile(atPath: path) else { throw TestSupportError.productMissing(path) }
    return path
  }

  /// Whether a program is installed, for traits that skip a test.
  public static func isInstalled(_ name: String) -> Bool { (try? installed(name)) != nil }

  /// The path of an installed program, searched for in `PATH` and in the folders for administrators.
  ///
  /// - Throws: `TestSupportError.serverMissing` if it is not installed.
  public static func installed(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let paths = (folders + ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"]).map { "\($0)/\(name)" }
    guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw TestSupportError.serverMissing(name)
    }
    return path
  }
}
