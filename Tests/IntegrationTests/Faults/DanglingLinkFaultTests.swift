import Foundation
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A link that leads nowhere has the name under which the file is to appear.
@Suite(.timeLimit(.minutes(1)))
struct DanglingLinkFaultTests {
  @Test("A link that leads nowhere counts as something at the destination before anything is sent")
  func kept() async throws {
    let scene = try FaultScene([FaultScene.rest])
    let target = scene.folder.path("nowhere")
    try FileManager.default.createSymbolicLink(atPath: scene.folder.path("file"), withDestinationPath: target)
    let run = try await scene.download(to: "file")
    run.expect(failure: .cannotMoveFile)
    #expect(run.requests.isEmpty)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scene.folder.path("file")) == target)
    #expect(try scene.contents == ["file"])
  }
}
