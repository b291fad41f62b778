internal import Foundation

/// The course of one download as a value: events in, the next step out, no I/O.
///
/// idle → asking → receiving → (asking the rest | starting over once) … → finishing → ended
struct DownloadState: Equatable {
  private static let maximumRedirects = 20
  /// More parts than this are only asked for while they are `smallestPart` bytes on average.
  private static let freeParts: Int64 = 100
  private static let smallestPart: Int64 = 16 * 1024

  enum Phase: Equatable {
    case idle
    /// A request is out; the point that it asked to continue from, if any.
    case asking(ResumePoint?)
    /// Body bytes go to the file, up to `end` (exclusive) where it is known.
    case receiving(end: Int64?)
    /// The next attempt comes later.
    case waiting
    case finishing
    case ended
  }

  enum Step: Equatable {
    case ask(ResumePoint?)
    case follow(RedirectHop)
    /// Cut the partial to `at`, then append.
    case append(at: Int64, end: Int64, total: Int64?)
    /// The same request once more, at the present address.
    case askAgain(ResumePoint?)
    /// A whole body: into a new partial.
    case write(total: Int64?, resumable: Bool)
    /// Ask after a while: no sooner than `least` seconds, and about `backOff`.
    case wait(least: Double, backOff: Double, ResumePoint?)
    case finish
    case fail(DownloadFailure.Reason)
  }

  private(set) var phase = Phase.idle
  private var redirects = 0
  private var restarts = 0
  private var parts: Int64 = 0
  /// Whether bytes of an earlier attempt are at stake: then only a plain 200 may take their place.
  private(set) var holdsPartial = false
  /// What a whole body has to be plausible as, when it takes the place of an earlier attempt.
  private var sought: ResumePoint?
  private var retries = 0
  /// How many bytes there were when the count of retries began.
  private var retriesBegan: Int64 = 0
  let retryPolicy: RetryPolicy?
  let validatesStatus: Bool
  let isResumed: Bool

  init(validatesStatus: Bool, isResumed: Bool, retryPolicy: RetryPolicy? = nil) {
    self.retryPolicy = retryPolicy
    self.validatesStatus = validatesStatus
    self.isResumed = isResumed
  }

  /// The first step, with what is on disk already; `recorded` is what resume data says of it, also when it is gone.
  mutating func start(from point: ResumePoint?, recorded: ResumePoint? = nil) -> Step {
    holdsPartial = point != nil
    sought = point ?? recorded
    if let point, point.total == point.offset { return finish() }
    return ask(point)
  }

  /// Whether another redirect may be followed.
  var mayFollow: Bool { redirects < Self.maximumRedirects }

  /// A redirect is followed.
  mutating func follow(_ next: RedirectHop) -> Step {
    redirects += 1
    return .follow(next)
  }

  /// The same request once more, this time with a credential.
  func askAgain() -> Step {
    guard case .asking(let point) = phase else { return .fail(.badAnswer(401)) }
    return .askAgain(point)
  }

  /// The next attempt comes when the network has changed.
  mutating func waitForNetwork() { phase = .waiting }

  /// A final head: what becomes of its body.
  mutating func receive(
    _ head: ResponseHead, hop: RedirectHop, hasOwnRange: Bool, redirectIsRefused: Bool = false, now: Date = Date()
  ) -> Step {
    if !redirectIsRefused, let location = Self.redirectTarget(of: head) {
      guard mayFollow else { return fail(.tooManyRedirects) }
      guard let next = hop.following(location: location, status: head.status) else { return fail(.badRedirect) }
      return follow(next)
    }
    guard case .asking(let point) = phase else { return fail(.badAnswer(head.status)) }
    if RetryPolicy.isTransient(status: head.status) {
      let least = seconds(until: head.retryAfter, at: now)
      if let wait = retry(point: point, length: point?.offset ?? 0, least: least) { return wait }
    }
    if let point { return judge(head, asked: point) }
    return judgeFresh(head, method: hop.method, hasOwnRange: hasOwnRange)
  }

  private mutating func judge(_ head: ResponseHead, asked point: ResumePoint) -> Step {
    switch ResumeRules.verdict(for: head, asked: point) {
    case .append(let at, let end, let total):
      phase = .receiving(end: end)
      return .append(at: at, end: end, total: total)
    case .restart(let total):
      return startOver(head, total: total)
    case .complete: return finish()
    case .refuse: return fail(.badAnswer(head.status))
    case .askAgain:
      guard restarts == 0 else { return fail(.badAnswer(head.status)) }
      restarts += 1
      sought = point
      return ask(nil)
    }
  }

  private mutating func startOver(_ head: ResponseHead, total: Int64?) -> Step {
    guard restarts == 0 else { return fail(.badAnswer(head.status)) }
    restarts += 1
    return judgeFresh(head, method: "GET", hasOwnRange: false)
  }

  private mutating func judgeFresh(_ head: ResponseHead, method: String, hasOwnRange: Bool) -> Step {
    // A 206 must still say that it is the whole file, see below.
    if (holdsPartial || isResumed) && head.status != 200 && head.status != 206 { return fail(.badAnswer(head.status)) }
    // A login page that answers the request for the whole file is as little the file as on a range request.
    if let sought, !ResumeRules.isPlausible(head, sought) { return fail(.badAnswer(head.status)) }
    if validatesStatus && !(200..<300).contains(head.status) { return fail(.badAnswer(head.status)) }
    switch ResumeRules.freshVerdict(for: head, callerSentRange: hasOwnRange, method: method) {
    case .refuse: return fail(.badAnswer(head.status))
    case .accept(let total, let resumable):
      phase = .receiving(end: total)
      return .write(total: total, resumable: resumable)
    }
  }

  /// The body ended as the server meant it to; `length` bytes are on disk.
  mutating func bodyEnded(length: Int64, total: Int64?, point: @autoclosure () -> ResumePoint?) -> Step {
    // A part without any total proves no end: asking on from it does (416 with the length).
    let end: Int64? = if case .receiving(let end) = phase { end } else { nil }
    guard length < (total ?? .max), total != nil || end != nil else { return finish() }
    let point = point()
    guard case .receiving(let end?) = phase, length == end, let point else {
      return retry(point: point, length: length) ?? fail(.cutShort)
    }
    parts += 1
    guard parts < Self.freeParts || length / parts >= Self.smallestPart else { return fail(.cutShort) }
    return ask(point)
  }

  /// The exchange failed. A connection lost in a suspension is replaced; everything else ends the download.
  mutating func exchangeFailed(_ error: TransferError, afterSuspension: Bool, point: ResumePoint?) -> Step {
    guard afterSuspension, phase != .ended else {
      let reason = DownloadFailure.Reason.transfer(error)
      let wait = reason.isTransient ? retry(point: point, length: point?.offset ?? 0) : nil
      return wait ?? fail(reason)
    }
    if let point { return ask(point) }
    guard restarts == 0 else { return fail(.transfer(error)) }
    restarts += 1
    return ask(nil)
  }

  /// Another attempt, as long as the policy grants one.
  private mutating func retry(point: ResumePoint?, length: Int64, least: Double = 0) -> Step? {
    guard let retryPolicy, least <= retryPolicy.maximumDelay else { return nil }
    if length - retriesBegan >= RetryPolicy.progressBytes { (retries, retriesBegan) = (0, length) }
    guard retries < retryPolicy.maximumAttempts else { return nil }
    defer { retries += 1 }
    phase = .waiting
    return .wait(least: least, backOff: retryPolicy.delay(beforeAttempt: retries), point)
  }

  private func seconds(until retryAfter: RetryAfter?, at now: Date) -> Double {
    switch retryAfter {
    case .seconds(let seconds): Double(seconds)
    case .date(let date): max(0, date.timeIntervalSince(now))
    case nil: 0
    }
  }

  mutating func ask(_ point: ResumePoint?) -> Step {
    phase = .asking(point)
    return .ask(point)
  }

  mutating func finish() -> Step {
    phase = .finishing
    return .finish
  }

  mutating func fail(_ reason: DownloadFailure.Reason) -> Step {
    phase = .ended
    return .fail(reason)
  }

  /// Where a redirect leads to; `nil` for other answers.
  static func redirectTarget(of head: ResponseHead) -> String? {
    switch head.status {
    case 301, 302, 303, 307, 308: head.value("Location")
    default: nil
    }
  }
}
