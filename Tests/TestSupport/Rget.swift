/// The command `rget` as a program of its own.
public enum Rget {
  /// Starts it in a folder; see `ChildProcess` for the environment.
  public static func start(
    _ arguments: [String], in folder: String, environment: [String: String?] = [:]
  ) throws -> ChildProcess {
    try ChildProcess(try Products.path("rget"), arguments, environment: environment, folder: folder)
  }

  /// Runs it in a folder to its end.
  public static func run(
    _ arguments: [String], in folder: String, environment: [String: String?] = [:]
  ) async throws -> ChildProcess.Result {
    try await start(arguments, in: folder, environment: environment).wait()
  }

  /// Starts a script of bash in a folder, in which `"$RGET"` is the command.
  public static func startScript(_ script: String, in folder: String) throws -> ChildProcess {
    try ChildProcess(
      "/bin/bash", ["-c", script], environment: ["RGET": try Products.path("rget")], folder: folder)
  }
}
