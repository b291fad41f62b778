import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// Several who want the same partial file.
@Suite(.timeLimit(.minutes(3)))
struct SharedPartialFaultTests {
  @Test("Of two that continue with the same resume data one is told that the file is in use")
  func copiedBlob() async throws {
    let (halfway, goOn) = (Gate(), Gate())
    let answer = FaultScene.from { start in
      Answer.partial(of: FaultScene.whole, start..<FaultScene.length, FaultScene.validators)
        .inserting(.signal(halfway), .wait(goOn), after: 1_000)
    }
    let scene = try FaultScene(then: answer)
    let blob = try await scene.interrupt()
    async let first = scene.resume(blob)
    try await halfway.opened()
    let second = try await scene.resume(blob)
    _ = try second.expect(failure: .cannotOpenFile, keeping: blob)
    #expect(second.outcome.urlError?.localizedDescription.contains("Another download is writing") == true)
    goOn.open()
    try await first.expect(FaultScene.whole, resumedAt: [ResumeData(blob).byteOffset])
    #expect(scene.server.requests.count == 2)
  }

  @Test("Eight commands for one destination end with the right file, and nothing else")
  func eightCommands() async throws {
    let fixture = try CommandFixture(count: 2 << 20, bytesPerSecond: 4 << 20)
    let address = fixture.server.url("/file.bin").absoluteString
    let children = try (0..<8).map { _ in try fixture.start(address) }
    var results: [ChildProcess.Result] = []
    for child in children { results.append(try await child.wait()) }
    #expect(results.contains { $0.isSuccess })
    for result in results where !result.isSuccess {
      #expect(result.exit == .exited(1))
      #expect(
        ["Another download is writing", "already", "exists"].contains { result.errorText.contains($0) },
        "\(result.errorText)")
    }
    #expect(try fixture.folder.contents() == ["file.bin"])
    #expect(try fixture.difference(in: "file.bin") == nil)
  }

  @Test("Who looks for abandoned downloads is in nobody's way")
  func lookedAt() async throws {
    let scene = try FaultScene([FaultScene.beginning()] + Array(repeating: FaultScene.rest, count: 40))
    var blob = try await scene.interrupt()
    let looking = Observed(true)
    let looker = Task {
      while looking.value { _ = try DownloadSession.abandonedDownloads(in: scene.partials) }
    }
    for _ in 0..<20 {
      let delegate = try RecordingDelegate()
      let session = scene.session(delegate)
      let task = session.downloadTask(withResumeData: blob)
      task.resume()
      let data = await task.cancelByProducingResumeData()
      let outcome = try await delegate.completion(of: task)
      session.invalidateAndCancel()
      #expect(outcome.error == nil || outcome.urlError?.code == .cancelled, "\(String(describing: outcome.error))")
      guard outcome.error != nil else { break }
      blob = try #require(data)
    }
    looking.update { $0 = false }
    try await looker.value
  }
}
