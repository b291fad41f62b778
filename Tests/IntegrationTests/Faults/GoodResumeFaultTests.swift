import Foundation
import FoundationNetworking
import LoopbackServer
import ResumableDownloads
import TestSupport
import Testing

/// A server that continues the file as it should.
@Suite(.timeLimit(.minutes(2)))
struct GoodResumeFaultTests {
  @Test("An orderly close before the announced length is an error, and the download continues")
  func closedEarly() async throws {
    let scene = try FaultScene([
      Answer.ok(FaultScene.whole, FaultScene.validators).cut(after: 990_000, .close), FaultScene.rest,
    ])
    let blob = try await scene.interrupt()
    #expect(try ResumeData(blob).byteOffset == 990_000)
    let run = try await scene.resume(blob)
    #expect(run.requests.map { $0.values("Range") } == [["bytes=990000-"]])
    #expect(run.requests.map { $0.values("If-Range") } == [[FaultScene.entityTag]])
    run.expect(FaultScene.whole, resumedAt: [990_000])
  }

  @Test("A reset yields resume data for what had arrived")
  func reset() async throws {
    let scene = try FaultScene(interrupted: .reset, then: FaultScene.rest)
    let run = try await scene.interruptAndResume()
    let start = try run.expectRange()
    #expect(run.requests.count == 1)
    run.expect(FaultScene.whole, resumedAt: [start])
  }

  @Test("Progress counts the whole file and never passes its length")
  func progress() async throws {
    let scene = try FaultScene(then: FaultScene.rest)
    let run = try await scene.interruptAndResume()
    let start = try run.expectRange()
    var sum: Int64 = 0
    for case .wrote(let bytes, let total, let expected) in run.outcome.events {
      sum += bytes
      #expect(total == start + sum)
      #expect(expected == FaultScene.length)
    }
    #expect(start + sum == FaultScene.length)
    #expect(run.task.countOfBytesReceived == FaultScene.length)
  }

  @Test("The offset is told once, before the first bytes")
  func offset() async throws {
    let bodyMayCome = Gate()
    let answer = FaultScene.from { start in
      Answer.partial(of: FaultScene.whole, start..<FaultScene.length, FaultScene.validators)
        .inserting(.wait(bodyMayCome), after: 0)
    }
    let scene = try FaultScene(then: answer)
    let blob = try await scene.interrupt()
    let delegate = try RecordingDelegate()
    let session = scene.session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(withResumeData: blob)
    task.resume()
    try await delegate.waitFor("the offset") { !$0.isEmpty }
    let start = try ResumeData(blob).byteOffset
    #expect(delegate.events(of: task) == [.resumed(offset: start, expected: FaultScene.length)])
    #expect(task.countOfBytesReceived == start)
    bodyMayCome.open()
    let outcome = try await delegate.completion(of: task)
    #expect(outcome.data == FaultScene.whole)
    #expect(delegate.orderViolations(for: task) == [])
  }

  @Test("A server that refuses a range past the end is asked for an open range")
  func strictRangeEnd() async throws {
    let strict = Answer.from { request in
      guard let start = request.rangeStart else { return .status(400) }
      return .partial(of: FaultScene.whole, start..<FaultScene.length, FaultScene.validators)
    }
    let run = try await FaultScene(then: strict).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }

  @Test("The first and the resumed request ask for the bytes as they are")
  func identityCoding() async throws {
    // Such a server forgets ranges as soon as it may compress.
    let compressing = Answer.from { request in
      guard request.value("Accept-Encoding")?.contains("gzip") == true else { return FaultScene.rest }
      return .ok(gzipped(FaultScene.whole), [("Content-Encoding", "gzip")])
    }
    let scene = try FaultScene(then: compressing)
    let run = try await scene.interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(scene.server.requests.map { $0.values("Accept-Encoding") } == [["identity"], ["identity"]])
  }

  @Test("The header fields of the first request go out again, once each")
  func headers() async throws {
    let guarded = Answer.from { request in
      guard request.value("X-Token") == "t" else { return .status(401) }
      return FaultScene.rest
    }
    let scene = try FaultScene(then: guarded)
    let headers = ["X-Token": "t", "Referer": "http://example.com/"]
    let run = try await scene.interruptAndResume(headers: headers)
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
    #expect(run.requests[0].values("X-Token") == ["t"])
    #expect(run.requests[0].values("Referer") == ["http://example.com/"])
    #expect(run.task.originalRequest?.url == scene.server.url())
    #expect(run.task.originalRequest?.value(forHTTPHeaderField: "X-Token") == "t")
    #expect(run.task.originalRequest?.value(forHTTPHeaderField: "Range") == nil)
    #expect(run.task.currentRequest?.url == scene.server.url())
  }

  @Test("A part whose total is unknown is taken when it fits the recorded total")
  func unknownTotal() async throws {
    let answer = FaultScene.from { start in
      let fields = FaultScene.validators + [("Content-Range", "bytes \(start)-999999/*")]
      return .status(206, FaultScene.whole.dropFirst(Int(start)), fields)
    }
    let run = try await FaultScene(then: answer).interruptAndResume()
    run.expect(FaultScene.whole, resumedAt: [try run.expectRange()])
  }
}
