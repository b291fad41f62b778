internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// What a delegate decides in the course of a task: redirects, credentials, the start of a delayed task.
///
/// The session's delegate decides for tasks with a completion handler and for async calls too, as on Apple's systems.
extension DownloadTask {
  func willBegin(answer: @escaping @Sendable (DelayedStart) -> Void) {
    guard decider != nil, let request = originalRequest else { return answer(.asPlanned) }
    let once = OnceAnswer(otherwise: .asPlanned, answer)
    tell { self.askDelayed(request, once) }
  }

  func decide(_ question: DownloadQuestion, answer: @escaping @Sendable (DownloadQuestion.Answer) -> Void) {
    switch question {
    case .redirect(let head, let next):
      let once = OnceAnswer<DownloadQuestion.Answer>(otherwise: .follow(next)) { [self] given in
        if case .follow = given { locked.withLock { $0.redirectCount += 1 } }
        answer(given)
      }
      // Sessions with an identifier follow without asking (Apple: `urlSession(_:task:willPerformHTTPRedirection:…)`).
      guard decider != nil, currentSession?.identified == nil else { return once.give(.follow(next)) }
      tell { self.askRedirect(head, next, once) }
    case .authentication(let head, let offers, let refusals):
      let login = Login(
        head: head, offers: offers[...], refusals: refusals, answer: OnceAnswer(otherwise: .takeHead, answer))
      guard decider != nil else { return useDefault(login) }
      tell { self.askCredential(login) }
    }
  }

  /// Who is asked, with the session to name: the task's own delegate, else the session's.
  private var decider: (URLSession, any URLSessionTaskDelegate)? {
    guard let session = currentSession else { return nil }
    return (delegate ?? session.delegate as? any URLSessionTaskDelegate).map { (session, $0) }
  }

  // MARK: Delayed start

  private func askDelayed(_ request: URLRequest, _ once: OnceAnswer<DelayedStart>) {
    guard let (session, delegate) = decider else { return once.give(.asPlanned) }
    delegate.urlSession(session, task: self, willBeginDelayedRequest: request) { disposition, other in
      switch disposition {
      case .continueLoading: once.give(.asPlanned)
      case .useNewRequest: once.give(other.flatMap { RedirectHop($0) }.map { .instead($0) } ?? .asPlanned)
      case .cancel: once.give(.cancel)
      @unknown default: once.give(.asPlanned)
      }
    }
  }

  // MARK: Redirects

  private func askRedirect(_ head: ResponseHead, _ next: RedirectHop, _ once: OnceAnswer<DownloadQuestion.Answer>) {
    guard let (session, delegate) = decider, let response = DownloadResponse(head), let request = next.request else {
      return once.give(.follow(next))
    }
    delegate.urlSession(session, task: self, willPerformHTTPRedirection: response, newRequest: request) { chosen in
      guard let chosen else { return once.give(.takeHead) }
      // Where the address is as proposed, the exact bytes of `Location` go on the wire, not Foundation's spelling.
      var hop = RedirectHop(chosen) ?? next
      if chosen.url == request.url { hop.url = next.url }
      once.give(.follow(hop))
    }
  }

  // MARK: Credentials

  /// One challenge on its way through what the server offers.
  private struct Login: Sendable {
    let head: ResponseHead
    var offers: ArraySlice<AuthenticationOffer>
    let refusals: Int
    let answer: OnceAnswer<DownloadQuestion.Answer>
  }

  private func askCredential(_ login: Login) {
    guard let (session, delegate) = decider, let challenge = challenge(for: login) else {
      return login.answer.give(.takeHead)
    }
    delegate.urlSession(session, task: self, didReceive: challenge) { disposition, credential in
      switch disposition {
      case .useCredential: self.use(credential, for: challenge.protectionSpace, login)
      case .performDefaultHandling: self.use(challenge.proposedCredential, for: challenge.protectionSpace, login)
      case .cancelAuthenticationChallenge: login.answer.give(.cancel)
      case .rejectProtectionSpace:
        var rest = login
        rest.offers = login.offers.dropFirst()
        self.askCredential(rest)
      @unknown default: login.answer.give(.takeHead)
      }
    }
  }

  /// Without a delegate the credential that the storage holds is used, once.
  private func useDefault(_ login: Login) {
    guard let challenge = challenge(for: login) else { return login.answer.give(.takeHead) }
    use(challenge.proposedCredential, for: challenge.protectionSpace, login)
  }

  private func use(_ credential: URLCredential?, for space: URLProtectionSpace, _ login: Login) {
    guard let offer = login.offers.first, let user = credential?.user, let password = credential?.password,
      !(user + password).utf8.contains(0)
    else { return login.answer.give(.takeHead) }
    if let credential, credential.persistence != .none { locked.withLock { $0.login = (credential, space) } }
    login.answer.give(
      .authenticate(
        TransferCredential(user: user, password: password, scheme: offer.scheme == .basic ? .basic : .digest)))
  }

  private func challenge(for login: Login) -> URLAuthenticationChallenge? {
    guard let offer = login.offers.first, let origin = URLResolver.origin(of: login.head.url) else { return nil }
    let space = URLProtectionSpace(
      host: origin.host, port: Int(origin.port) ?? 0, protocol: origin.scheme, realm: offer.realm,
      authenticationMethod: offer.scheme == .basic
        ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest)
    let storage = currentSession?.credentialStorage
    return URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: login.refusals == 0 ? storage?.credential(matching: space) : nil,
      previousFailureCount: login.refusals, failureResponse: DownloadResponse(login.head), error: nil,
      sender: ChallengeSender())
  }

  /// A credential that a server took is kept, where the caller wants that.
  func keepLogin(after head: ResponseHead) {
    let login = locked.withLock { state in
      defer { state.login = nil }
      return state.login
    }
    guard let login, head.status != 401 else { return }
    currentSession?.credentialStorage?.keep(login.credential, for: login.space)
  }
}

/// Gives an answer exactly once: the first that comes, else the default when nobody is left who could give one.
///
/// The default matters for delegates that do not implement a question: for a delayed start upstream's own default drops
/// the completion handler without calling it.
private final class OnceAnswer<Answer: Sendable>: Sendable {
  private let receiver: Mutex<(@Sendable (Answer) -> Void)?>
  private let otherwise: Answer

  init(otherwise: Answer, _ receiver: @escaping @Sendable (Answer) -> Void) {
    self.otherwise = otherwise
    self.receiver = Mutex(receiver)
  }

  deinit { give(otherwise) }

  func give(_ answer: Answer) {
    let receiver = receiver.withLock { receiver in
      defer { receiver = nil }
      return receiver
    }
    receiver?(answer)
  }
}

extension URLCredentialStorage {
  /// The default credential for a space, or the first one in the order of names.
  ///
  /// Upstream compares spaces by identity, so the storage itself finds nothing for a space that was made anew.
  fileprivate func credential(matching space: URLProtectionSpace) -> URLCredential? {
    guard let known = known(space) else { return nil }
    return defaultCredential(for: known) ?? credentials(for: known)?.min { $0.key < $1.key }?.value
  }

  fileprivate func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
    setDefaultCredential(credential, for: known(space) ?? space)
  }

  private func known(_ space: URLProtectionSpace) -> URLProtectionSpace? {
    allCredentials.keys.first {
      $0.host == space.host && $0.port == space.port && $0.protocol == space.protocol && $0.realm == space.realm
        && $0.authenticationMethod == space.authenticationMethod
    }
  }
}

/// Challenges name a sender, which only `NSURLConnection` used: the answer is given through the completion handler.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

extension RedirectHop {
  /// The request that a delegate wants; `nil` without an address.
  init?(_ request: URLRequest) {
    guard let url = request.url else { return nil }
    let fields = (request.allHTTPHeaderFields ?? [:]).map { HeaderField(name: $0.key, value: $0.value) }
    self.init(
      url: url.absoluteString, method: request.httpMethod ?? "GET", fields: fields.sorted { $0.name < $1.name },
      body: request.httpBody)
  }

  /// The request as delegates see it; `nil` when Foundation has no URL for the address.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
    request.httpBody = body
    return request
  }
}
