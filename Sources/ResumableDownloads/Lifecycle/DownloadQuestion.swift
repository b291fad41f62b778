/// What a download asks the session before it goes on. The answer comes once, from any thread.
enum DownloadQuestion: Sendable {
  /// Whether to follow a redirect, and with which request.
  case redirect(ResponseHead, next: RedirectHop)
  /// Who the user is: the offers of the server, the better one first, and how many credentials it has refused already.
  case authentication(ResponseHead, offers: [AuthenticationOffer], refusals: Int)

  enum Answer: Sendable {
    /// The answer that is there counts as the final one.
    case takeHead
    case follow(RedirectHop)
    case authenticate(TransferCredential)
    case cancel
  }

  /// More credentials than this are not tried for one origin: whoever gives them is a program in a loop.
  static let maximumRefusals = 10
}
