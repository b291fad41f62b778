internal import Foundation
internal import Synchronization

/// What belongs to one exchange of a download and goes with it.
struct Exchange {
  let began = Date()
  var requestFields: [HeaderField] = []
  var head: ResponseHead?
  /// What to do when the exchange has ended, instead of looking at how it did.
  var afterEnd: DownloadState.Step?
  /// Where the body stops to be part of the file, if that is known.
  var limit: Int64?
  var total: Int64?
  var isWriting = false
  var bodyBegan: UInt64 = 0
  /// Whether it was suspended since it last gave a byte: then its loss is made good, once.
  var wasSuspended = false
  var journalTimer: LoopTimer?
}

/// What keeps an exchange from going on: the session's answer to its head, or something that the disk has to do first.
struct HeldExchange {
  /// Tells what is waited for apart: only the present one counts.
  let number: Int
  /// How the exchange ended meanwhile, once it has.
  var end: Result<Void, TransferError>?
}

extension DownloadDriver: TransferSink {
  /// What is left of a body that nobody wants is read up to this length, so that the connection serves again.
  private static let drainedBytes: Int64 = 64 * 1024

  // MARK: The head

  func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> SinkAnswer {
    exchange.head = head
    chain.accept(head)
    guard let question = question(about: head) else { return take(head) }
    let number = hold()
    let back = LoopReference(self)
    observer.decide(question) { [perform = environment.perform] answer in
      perform { _ in back.value.receive(answer, to: head, number: number) }
    }
    return .hold
  }

  private func hold() -> Int {
    holds += 1
    held = HeldExchange(number: holds)
    return holds
  }

  /// Ends a hold; `nil` when it is not the present one any more.
  private func unhold(_ number: Int) -> HeldExchange? {
    guard !isEnded, let held, held.number == number else { return nil }
    self.held = nil
    return held
  }

  /// Keeps the exchange until the disk has done something; what then follows is its answer.
  func hold(for step: DiskStep, then next: @escaping () -> SinkAnswer = { .proceed }) {
    let number = hold()
    store.perform(step) { [self] error in
      guard let held = unhold(number) else { return }
      resume(held, with: error.map { stop(then: state.fail(.storage($0))) } ?? next())
    }
  }

  private func question(about head: ResponseHead) -> DownloadQuestion? {
    if let location = DownloadState.redirectTarget(of: head), state.mayFollow {
      return chain.hop.following(location: location, status: head.status).map { .redirect(head, next: $0) }
    }
    let offers = AuthenticationOffer.offers(in: head)
    guard !offers.isEmpty else { return nil }
    let refusals = chain.failureCount
    guard refusals < DownloadQuestion.maximumRefusals else { return nil }
    return .authentication(head, offers: offers, refusals: refusals)
  }

  private func receive(_ answer: DownloadQuestion.Answer, to head: ResponseHead, number: Int) {
    guard let held = unhold(number) else { return }
    switch answer {
    case .takeHead: resume(held, with: take(head, redirectIsRefused: true))
    case .follow(let next): resume(held, with: leave(head, then: state.follow(next)))
    case .authenticate(let credential):
      chain.authenticate(credential)
      resume(held, with: leave(head, then: state.askAgain()))
    case .cancel: abandon(.cancelled)
    }
  }

  /// Does with a held exchange what a sink's answer says.
  private func resume(_ held: HeldExchange, with answer: SinkAnswer) {
    guard !isEnded else { return }
    if answer == .hold {
      self.held?.end = held.end
    } else if let end = held.end {
      endBody()
      ended(end)
    } else if answer == .proceed {
      transfer?.release()
    } else if let step = exchange.afterEnd {
      stopTransfer()
      perform(step)
    }
  }

  private func take(_ head: ResponseHead, redirectIsRefused: Bool = false) -> SinkAnswer {
    let step = state.receive(
      head, hop: chain.hop, hasOwnRange: job.hasOwnRange, redirectIsRefused: redirectIsRefused)
    if case .follow = step {} else { observer.didReceive(head, requestFields: exchange.requestFields) }
    do {
      switch step {
      case .append(let at, let end, let total):
        return begin(after: try store.lowering(to: at)) { [self] () throws(StorageError) in
          try beginAppending(at: at, end: end, total: total)
        }
      case .write(let total, let resumable):
        return begin(after: try beginWriting(head, total: total, resumable: resumable))
      default: return leave(head, then: step)
      }
    } catch {
      return stop(then: state.fail(.storage(error)))
    }
  }

  /// Lets the body come as soon as the disk is ready for it.
  private func begin(
    after step: DiskStep?, _ prepare: @escaping () throws(StorageError) -> Void = {}
  ) -> SinkAnswer {
    guard let step else { return begin(prepare) }
    hold(for: step) { [self] in begin(prepare) }
    return .hold
  }

  private func begin(_ prepare: () throws(StorageError) -> Void) -> SinkAnswer {
    do { try prepare() } catch { return stop(then: state.fail(.storage(error))) }
    exchange.isWriting = true
    exchange.bodyBegan = loop.now
    startJournalTimer()
    return .proceed
  }

  /// Goes on without this body, over the same connection where that costs little.
  private func leave(_ head: ResponseHead, then step: DownloadState.Step) -> SinkAnswer {
    switch step {
    case .follow, .ask, .askAgain, .wait:
      guard case .bytes(let length) = head.contentLength, length <= Self.drainedBytes else { return stop(then: step) }
      exchange.afterEnd = step
      return .proceed
    default: return stop(then: step)
    }
  }

  private func stop(then step: DownloadState.Step) -> SinkAnswer {
    exchange.afterEnd = step
    exchange.isWriting = false
    return .stop
  }

  private func beginAppending(at offset: Int64, end: Int64, total: Int64?) throws(StorageError) {
    let goesBack = offset < store.length
    if goesBack {
      goBack(to: offset)
      try store.cut(to: offset)
    }
    store.setTotal(total)
    announceBody(from: offset, to: end, total: total, goesBack: goesBack)
    try store.reopen()
    try store.reserve(total)
  }

  private func beginWriting(_ head: ResponseHead, total: Int64?, resumable: Bool) throws(StorageError) -> DiskStep? {
    let (hadPartial, goesBack) = (store.file != nil, store.length > 0)
    let replaces = store.makeWay()
    let fresh = try place.create(besideOld: replaces)
    if hadPartial { goBack(to: 0) }
    let now = Date()
    let step = store.begin(fresh) { [job, path = fresh.path] in
      resumable ? .beginning(job: job.value, head: head, total: total, partialPath: path, at: now) : nil
    }
    announceBody(from: 0, to: total, total: total, goesBack: goesBack)
    try store.reserve(total)
    return step
  }

  private func announceBody(from start: Int64, to end: Int64?, total: Int64?, goesBack: Bool) {
    (exchange.limit, exchange.total) = (end, total)
    observer.counters.written.store(start, ordering: .relaxed)
    observer.counters.expected.store(total ?? -1, ordering: .relaxed)
    reportResume(at: start, expected: total ?? -1, goesBack: goesBack)
  }

  // MARK: The body

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    guard exchange.isWriting, let file = store.file else { return .proceed }
    // What comes after the announced end is not part of the file, and is not waited for: it may never stop.
    let room = max(0, (exchange.limit ?? .max) - file.length)
    let hasSurplus = room < Int64(bytes.count)
    do {
      defer { observer.counters.written.store(file.length, ordering: .relaxed) }
      try file.append(hasSurplus ? UnsafeRawBufferPointer(rebasing: bytes[..<Int(room)]) : bytes)
      if let step = try store.keepJournal(time: loop.now, began: exchange.bodyBegan) {
        transfer.holdBack(for: .held)
        hold(for: step)
      }
    } catch {
      return stop(then: state.fail(.storage(error)))
    }
    exchange.wasSuspended = isSuspended
    pulse.beat()
    if hasSurplus {
      return stop(then: state.bodyEnded(length: file.length, total: exchange.total, point: store.point))
    }
    limitSpeed(of: transfer, after: bytes.count)
    // The first journal has to come with the first MiB, and a limit counts small pieces.
    let first = PartialStore.firstJournalBytes
    let awaitsFirstJournal = file.length < first && (exchange.total ?? .max) >= first
    transfer.isGathering = !awaitsFirstJournal && !isLimited
    return .proceed
  }

  private func limitSpeed(of transfer: Transfer, after count: Int) {
    guard isLimited else { return }
    let pause = max(bandwidth.take(count, at: loop.now), loop.bandwidth.take(count, at: loop.now))
    if pause > 0 { limitTimer = loop.hold(transfer, nanoseconds: pause) }
  }

  /// The first journal also comes when the server falls silent after a few bytes.
  private func startJournalTimer() {
    exchange.journalTimer = loop.after(nanoseconds: PartialStore.firstJournalNanoseconds) { [weak self] in
      guard let self, !self.isEnded, self.exchange.isWriting else { return }
      do throws(StorageError) {
        let step = try self.store.keepJournal(time: LoopClock.now(), began: self.exchange.bodyBegan)
        guard let step else { return }
        self.transfer?.hold()
        self.hold(for: step)
      } catch {
        self.abandon(.storage(error))
      }
    }
  }

  // MARK: The end

  func transfer(_ transfer: Transfer, didEndWith error: TransferError?) {
    record(transfer)
    self.transfer = nil
    endBody()
    let result: Result<Void, TransferError> = error.map { .failure($0) } ?? .success(())
    if held != nil { held?.end = result } else { ended(result) }
  }

  func endBody() {
    exchange.isWriting = false
    exchange.journalTimer?.cancel()
  }

  private func ended(_ result: Result<Void, TransferError>) {
    if let step = exchange.afterEnd {
      exchange.afterEnd = nil
      return perform(step)
    }
    switch result {
    case .failure(let error):
      if waitForConnectivity(after: error) { return }
      perform(state.exchangeFailed(error, afterSuspension: exchange.wasSuspended, point: store.point))
    case .success:
      if store.file == nil { return perform(state.fail(.cutShort)) }
      perform(state.bodyEnded(length: store.length, total: exchange.total, point: store.point))
    }
  }

  /// Tells what is known of an exchange that is over.
  func record(_ transfer: Transfer) {
    let request = transfer.request
    observer.didExchange(
      ExchangeRecord(
        url: request.url, method: request.method, requestFields: request.fields, began: exchange.began,
        times: transfer.times, head: exchange.head))
  }
}
