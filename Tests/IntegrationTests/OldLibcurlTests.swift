import Foundation
import TestSupport
import Testing

/// What only a machine with an older libcurl would notice.
@Suite(.timeLimit(.minutes(1)))
struct OldLibcurlTests {
  @Test("The header for libcurl compiles with every version that it allows, and refuses older ones")
  func header() async throws {
    #expect(try await compile("0x074400").isSuccess)
    #expect(try await compile("0x075500").isSuccess)
    let refused = try await compile("0x074300")
    #expect(!refused.isSuccess)
    #expect(refused.errorText.contains("needs libcurl 7.68"))
    #expect(refused.errorText.components(separatedBy: "error:").count == 2)
  }

  /// Checks the header with the installed libcurl's, which claims to be of another version.
  private func compile(_ version: String) async throws -> ChildProcess.Result {
    let folder = try TemporaryFolder("libcurl")
    let header = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/CCurl/shim.h")
    let claim = "#include_next <curl/curl.h>\n#undef LIBCURL_VERSION_NUM\n#define LIBCURL_VERSION_NUM \(version)\n"
    try FileManager.default.createDirectory(at: folder.url("curl"), withIntermediateDirectories: true)
    try Data(claim.utf8).write(to: folder.url("curl/curl.h"))
    let flags = ["-x", "c", "-fsyntax-only", "-Wno-deprecated-declarations", "-I", folder.path("")]
    return try await ChildProcess.run("/usr/bin/env", ["clang"] + flags + [header.path])
  }
}
