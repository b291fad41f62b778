/// What a download does beyond what Apple's does, for `downloadTask(with:options:)` and the async functions.
public struct DownloadOptions: OptionSet, Sendable {
  public let rawValue: Int

  /// Options from their number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A status of 400 and above is an error: `URLError.badServerResponse`, with the answer in `task.response` and in
  /// `URLError.downloadTaskResponse`. Its body is not kept.
  ///
  /// Without this option such a body is a file like any other, as on Apple's systems. Downloads to a destination and
  /// downloads that continue are always checked.
  public static let validateStatus = DownloadOptions(rawValue: 1 << 0)
}
