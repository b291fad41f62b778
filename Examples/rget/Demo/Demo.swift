import Foundation
import FoundationNetworking
import ResumableDownloads
import Synchronization

/// `rget demo`: one download through three processes, checked byte by byte.
struct Demo {
  /// A part that did not go as it must; carries what happened.
  private struct Unexpected: Error {
    let reason: String
  }

  private static let mebibyte: Int64 = 1 << 20
  /// What may be sent a second time: what was not yet safely on the disk when a process was killed.
  private static let toleratedRepetition = 4 * mebibyte

  private let server: DemoServer
  private let folder: URL
  private let cleanup: Cleanup
  private var blob: URL { folder.appendingPathComponent("resume-data") }

  /// Returns the exit status.
  static func run() async -> Int32 {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rget-demo-\(UUID().uuidString)")
    let cleanup = Cleanup(folder: folder)
    let signals = Signals { number in
      cleanup.run()
      _exit(128 + number)
    }
    defer {
      cleanup.run()
      withExtendedLifetime(signals) {}
    }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let demo = Demo(server: try DemoServer(), folder: folder, cleanup: cleanup)
      try await demo.showAll()
      return 0
    } catch let error as Unexpected {
      Output.message("rget demo: \(error.reason).")
    } catch {
      Output.message("rget demo: \(Failure.sentence(error)).")
    }
    return 1
  }

  private func showAll() async throws {
    Output.result("A server in this process offers \(Amount.bytes(DemoServer.count)) at \(server.url.absoluteString)")
    let paused = try await stopHalfway()
    let killed = try await killOnTheWay()
    let resumed = try await finish()
    try check(paused: paused, killed: killed, resumed: resumed)
    server.stop()
  }

  /// Part 1, in this process; returns the offset in the resume data.
  private func stopHalfway() async throws -> Int64 {
    Output.result("1. This process (\(getpid())) downloads the first half")
    let watcher = TransferWatcher()
    let session = DownloadSession(
      configuration: DemoChild.configuration(in: folder), delegate: watcher, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.downloadTask(with: server.url)
    task.resume()
    var data: Data?
    for await event in watcher.events {
      switch event {
      case .received(let count, _) where data == nil && count >= DemoServer.count / 2:
        data = await task.cancelByProducingResumeData()
        if data == nil { throw Unexpected(reason: "cancelling gave no resume data") }
      case .completed(let error?) where data == nil:
        throw Unexpected(reason: Failure.sentence(error, response: task.response))
      default: break
      }
    }
    guard let data else { throw Unexpected(reason: "the download ended before it was cancelled") }
    try data.write(to: blob)
    let offset = Int64(try ResumeData(data).byteOffset)
    Output.result("   cancelled at byte \(offset); \(data.count) bytes of resume data are in \(blob.path)")
    return offset
  }

  /// Part 2, in a second process; returns how far it had come for certain.
  private func killOnTheWay() async throws -> Int64 {
    let child = try start()
    Output.result("2. A new process (\(child.processIdentifier)) continues with that data")
    var received: Int64 = 0
    var isKilled = false
    for await line in child.lines {
      switch DemoChild.Line(line) {
      case .resumed(let offset): Output.result("   it continues from byte \(offset)")
      case .received(let count):
        received = count
        if count >= DemoServer.count / 4 * 3, !isKilled {
          isKilled = true
          child.kill()
        }
      case .delivered, nil: break
      }
    }
    let end = await ended(child)
    guard isKilled, end == .signal(SIGKILL) else {
      throw Unexpected(reason: "the second process ended before its time (\(end))")
    }
    Output.result("   killed with SIGKILL after byte \(received)")
    return received
  }

  /// Part 3, in a third process; returns where it went on.
  private func finish() async throws -> Int64 {
    let child = try start()
    Output.result("3. A third process (\(child.processIdentifier)) continues with the same data")
    var resumed: Int64?
    for await line in child.lines {
      if case .resumed(let offset) = DemoChild.Line(line) {
        resumed = offset
        Output.result("   it continues from byte \(offset)")
      }
    }
    let end = await ended(child)
    guard end == .exit(0) else { throw Unexpected(reason: "the third process failed (\(end))") }
    guard let resumed else { throw Unexpected(reason: "the third process started from the beginning") }
    return resumed
  }

  private func check(paused: Int64, killed: Int64, resumed: Int64) throws {
    let file = folder.appendingPathComponent(DemoChild.fileName)
    if let offset = try server.firstDifference(in: file) {
      throw Unexpected(reason: "the file is wrong from byte \(offset)")
    }
    Output.result("All \(DemoServer.count) bytes are right")
    let starts = server.rangeStarts()
    Output.result(
      "The server was asked from byte "
        + starts.map { $0.map { "\($0)" } ?? "0" }.joined(separator: ", from byte "))
    guard starts == [nil, paused, resumed] else {
      throw Unexpected(reason: "that is not one request for each process from where the last one had stopped")
    }
    let repeated = max(0, killed - resumed)
    guard repeated <= Self.toleratedRepetition else {
      throw Unexpected(reason: "\(Amount.bytes(repeated)) were sent twice")
    }
    Output.result("Sent twice: \(Amount.bytes(repeated)) of \(Amount.bytes(DemoServer.count))")
  }

  private func start() throws -> DemoProcess {
    let child = try DemoProcess(arguments: ["demo-continue", blob.path, folder.path])
    cleanup.running(child)
    return child
  }

  private func ended(_ child: DemoProcess) async -> DemoProcess.End {
    let end = await child.end()
    cleanup.running(nil)
    return end
  }
}

/// What must not outlive the demonstration.
private final class Cleanup: Sendable {
  private let folder: URL
  private let child = Mutex<DemoProcess?>(nil)

  init(folder: URL) { self.folder = folder }

  func running(_ process: DemoProcess?) { child.withLock { $0 = process } }

  func run() {
    child.withLock { process in
      process?.kill()
      process = nil
    }
    try? FileManager.default.removeItem(at: folder)
  }
}
