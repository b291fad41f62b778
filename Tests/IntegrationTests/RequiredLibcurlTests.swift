import Foundation
import TestSupport
import Testing

/// What the header that Swift sees of libcurl says about releases that are too old, and that it compiles with others.
@Suite(.timeLimit(.minutes(2)))
struct RequiredLibcurlTests {
  private static let shim = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/CCurl/shim.h").path

  /// Compiles the header as if libcurl were another release, which hides nothing that the one here has.
  private func compile(version: String) async throws -> ChildProcess.Result {
    let folder = try TemporaryFolder("shim")
    let lines = [
      "#include <curl/curl.h>", "#undef LIBCURL_VERSION_NUM", "#define LIBCURL_VERSION_NUM \(version)",
      "#include \"\(Self.shim)\"", "",
    ]
    let source = try folder.write(Data(lines.joined(separator: "\n").utf8), to: "shim.c")
    let warnings = ["-Wall", "-Werror", "-Wno-deprecated-declarations", "-Wno-unused"]
    return try await ChildProcess.run(Products.installed("clang"), ["-fsyntax-only"] + warnings + [source])
  }

  @Test("Before 7.68 the build ends with what is needed")
  func tooOld() async throws {
    let result = try await compile(version: "0x074300")
    #expect(result.exit == .exited(1))
    #expect(result.errorText.contains("error: \"ResumableDownloads needs libcurl 7.68 or later"))
    #expect(result.errorText.contains("1 error generated"))
  }

  @Test("7.68 and the releases in which a name has changed compile", arguments: ["0x074400", "0x075400", "0x075500"])
  func accepted(version: String) async throws {
    let result = try await compile(version: version)
    #expect(result.isSuccess, "\(result.errorText)")
  }
}
