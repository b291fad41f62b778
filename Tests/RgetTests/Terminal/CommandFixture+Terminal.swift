import TestSupport

extension CommandFixture {
  /// Starts `rget` in the folder and in a terminal of its own.
  func startInTerminal(_ arguments: [String], environment: [String: String] = [:]) throws -> PseudoTerminal {
    try PseudoTerminal(
      try Products.path("rget"), arguments, environment: environment, folder: folder.path)
  }
}
