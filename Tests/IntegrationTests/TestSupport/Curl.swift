import TestSupport

/// curl as an independent client, without the settings of the person who runs the tests.
enum Curl {
  static let refused: Int32 = 7
  static let partialFile: Int32 = 18
  static let gotNothing: Int32 = 52
  static let receiveError: Int32 = 56
  static let options = ["-q", "-sS", "--noproxy", "*", "--max-time", "60"]

  static func path() throws -> String { try Products.installed("curl") }
}

func curl(_ arguments: String...) async throws -> ChildProcess.Result {
  try await ChildProcess.run(Curl.path(), Curl.options + arguments)
}
