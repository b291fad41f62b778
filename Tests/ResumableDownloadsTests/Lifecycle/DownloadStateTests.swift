import Foundation
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct DownloadStateTests {
  private let point = ResumePoint(
    offset: 400, total: 1000, validators: Validators(entityTag: "\"a\""), contentCoding: nil)

  private func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
    ResponseHead(
      url: "http://localhost/f", status: status, version: "HTTP/1.1", reason: "",
      fields: fields.map { HeaderField(name: $0.0, value: $0.1) })
  }

  private let hop = RedirectHop(url: "http://a.test/f", method: "GET", fields: [])

  private func receive(_ state: inout DownloadState, _ head: ResponseHead) -> DownloadState.Step {
    state.receive(head, hop: hop, hasOwnRange: false)
  }

  private func resumed() -> DownloadState { DownloadState(validatesStatus: false, isResumed: true) }
  private func fresh() -> DownloadState { DownloadState(validatesStatus: false, isResumed: false) }

  @Test("A complete partial is finished without a request")
  func completePartial() {
    var state = resumed()
    var whole = point
    whole.offset = 1000
    #expect(state.start(from: whole) == .finish)
  }

  @Test("A matching part is appended, and the rest is asked for when the part was short")
  func shortPart() {
    var state = resumed()
    #expect(state.start(from: point) == .ask(point))
    let part = head(206, [("Content-Range", "bytes 400-599/1000"), ("Content-Length", "200"), ("ETag", "\"a\"")])
    #expect(receive(&state, part) == .append(at: 400, end: 600, total: 1000))
    var next = point
    next.offset = 600
    #expect(state.bodyEnded(length: 600, total: 1000, point: next) == .ask(next))
    let rest = head(206, [("Content-Range", "bytes 600-999/1000"), ("Content-Length", "400"), ("ETag", "\"a\"")])
    #expect(receive(&state, rest) == .append(at: 600, end: 1000, total: 1000))
    #expect(state.bodyEnded(length: 1000, total: 1000, point: nil) == .finish)
  }

  @Test("A body that ends before the part does is cut short, not complete")
  func cutShort() {
    var state = resumed()
    _ = state.start(from: point)
    _ = receive(&state, head(206, [("Content-Range", "bytes 400-999/1000"), ("ETag", "\"a\"")]))
    #expect(state.bodyEnded(length: 700, total: 1000, point: point) == .fail(.cutShort))
  }

  @Test("A part without any total does not prove the end of the file")
  func unknownTotal() {
    var state = resumed()
    var open = point
    open.total = nil
    _ = state.start(from: open)
    let part = head(206, [("Content-Range", "bytes 400-599/*"), ("ETag", "\"a\"")])
    #expect(receive(&state, part) == .append(at: 400, end: 600, total: nil))
    open.offset = 600
    #expect(state.bodyEnded(length: 600, total: nil, point: open) == .ask(open))
    #expect(receive(&state, head(416, [("Content-Range", "bytes */600")])) == .finish)
  }

  @Test("There is one clean restart in a task, not two")
  func oneRestart() {
    var state = resumed()
    _ = state.start(from: point)
    #expect(receive(&state, head(416, [("Content-Range", "bytes */300")])) == .ask(nil))
    #expect(receive(&state, head(416, [("Content-Range", "bytes */300")])) == .fail(.badAnswer(416)))
  }

  @Test("After a clean restart, and without its partial, only what looks like the file is taken for it")
  func implausible() {
    let page = head(200, [("Content-Length", "90")])
    var state = resumed()
    _ = state.start(from: point)
    #expect(receive(&state, head(206)) == .ask(nil))
    #expect(receive(&state, page) == .fail(.badAnswer(200)))
    var gone = resumed()
    #expect(gone.start(from: nil, recorded: point) == .ask(nil))
    #expect(receive(&gone, page) == .fail(.badAnswer(200)))
    var kept = resumed()
    #expect(kept.start(from: nil, recorded: point) == .ask(nil))
    let file = head(200, [("Content-Length", "1000")])
    #expect(receive(&kept, file) == .write(total: 1000, resumable: false))
  }

  @Test("Error pages never replace a partial", arguments: [204, 304, 401, 403, 404, 429, 500, 503])
  func errorPages(status: Int) {
    var state = resumed()
    _ = state.start(from: point)
    #expect(receive(&state, head(status)) == .fail(.badAnswer(status)))
  }

  @Test("A fresh download takes any final status as Apple does; a checked one refuses 400 and above")
  func freshStatuses() {
    var state = fresh()
    _ = state.start(from: nil)
    let page = head(404, [("Content-Length", "10")])
    #expect(receive(&state, page) == .write(total: 10, resumable: false))
    var checked = DownloadState(validatesStatus: true, isResumed: false)
    _ = checked.start(from: nil)
    #expect(receive(&checked, page) == .fail(.badAnswer(404)))
  }

  @Test("Redirects are followed twenty times")
  func redirects() {
    var state = fresh()
    _ = state.start(from: nil)
    let next = RedirectHop(url: "http://a.test/b", method: "GET", fields: [])
    for _ in 0..<20 { #expect(receive(&state, head(302, [("Location", "/b")])) == .follow(next)) }
    #expect(receive(&state, head(302, [("Location", "/b")])) == .fail(.tooManyRedirects))
  }

  @Test("A connection lost in a suspension is replaced, any other loss ends the download")
  func lostConnection() {
    let lost = TransferError(.curl(56))
    var state = fresh()
    _ = state.start(from: nil)
    #expect(state.exchangeFailed(lost, afterSuspension: true, point: point) == .ask(point))
    #expect(state.exchangeFailed(lost, afterSuspension: false, point: point) == .fail(.transfer(lost)))
  }

  private var retrying: DownloadState {
    let policy = RetryPolicy(maximumAttempts: 2, initialDelay: 1, maximumDelay: 3)
    return DownloadState(validatesStatus: false, isResumed: true, retryPolicy: policy)
  }

  @Test("Transient failures wait twice as long each time, and not for ever")
  func backOff() {
    let lost = TransferError(.curl(56))
    var state = retrying
    _ = state.start(from: point)
    let first = state.exchangeFailed(lost, afterSuspension: false, point: point)
    #expect(first == .wait(least: 0, backOff: 1, point))
    #expect(state.ask(point) == .ask(point))
    #expect(state.exchangeFailed(lost, afterSuspension: false, point: point) == .wait(least: 0, backOff: 2, point))
    #expect(state.exchangeFailed(lost, afterSuspension: false, point: point) == .fail(.transfer(lost)))
  }

  @Test("A refused certificate is not tried again")
  func certificate() {
    let refused = TransferError(.curl(60))
    var state = retrying
    _ = state.start(from: point)
    #expect(state.exchangeFailed(refused, afterSuspension: false, point: point) == .fail(.transfer(refused)))
  }

  @Test(
    "Retry-After is obeyed up to the longest wait",
    arguments: [("2", 2.0), ("Thu, 01 Jan 1970 00:00:03 GMT", 3), ("soon", 0), ("3000", nil)])
  func retryAfter(text: String, least: Double?) {
    var state = retrying
    _ = state.start(from: point)
    let busy = head(429, [("Retry-After", text)])
    let step = state.receive(busy, hop: hop, hasOwnRange: false, now: Date(timeIntervalSince1970: 0))
    #expect(step == least.map { .wait(least: $0, backOff: 1, point) } ?? .fail(.badAnswer(429)))
  }

  @Test("A server that sends crumbs is not asked for ever")
  func crumbs() {
    var state = resumed()
    _ = state.start(from: point)
    var requests = 0
    var at = point
    while requests < 1000 {
      let part = head(206, [("Content-Range", "bytes \(at.offset)-\(at.offset)/1000"), ("ETag", "\"a\"")])
      guard case .append = receive(&state, part) else { break }
      at.offset += 1
      guard case .ask = state.bodyEnded(length: at.offset, total: 1000, point: at) else { break }
      requests += 1
    }
    #expect(requests == 99)
  }
}
