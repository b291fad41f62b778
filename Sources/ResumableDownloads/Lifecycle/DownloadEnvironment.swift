internal import Dispatch
internal import Foundation
internal import Synchronization

/// What the downloads of one session share.
final class DownloadEnvironment: Sendable {
  /// Where partial files of downloads without a destination lie; opened with the first one.
  let partials: PartialDirectorySource
  /// Syncs and final moves happen here, one after the other, so that they never hold up the loop.
  let syncQueue: DispatchQueue
  /// What has to be on the disk before a download goes on is done here, beside that of others.
  let orderQueue: DispatchQueue
  let cookies: (any CookieExchange)?
  /// Brings a result back to the loop's thread.
  let perform: @Sendable (@escaping TransferEngine.Job) -> Void

  init(
    partials: PartialDirectorySource, syncQueue: DispatchQueue, orderQueue: DispatchQueue,
    cookies: (any CookieExchange)?, perform: @escaping @Sendable (@escaping TransferEngine.Job) -> Void
  ) {
    self.partials = partials
    self.syncQueue = syncQueue
    self.orderQueue = orderQueue
    self.cookies = cookies
    self.perform = perform
  }
}

/// Opens the directory of partial files once, when it is needed.
final class PartialDirectorySource: Sendable {
  /// What nobody asked for in seven days goes from the package's own temporary directory, and from no other.
  private static let leftoversLifetime: TimeInterval = 7 * 24 * 3600

  private let path: String?
  private let opened = Mutex<PartialDirectory?>(nil)

  /// `nil` stands for the private directory under the system's temporary directory.
  init(path: String?) { self.path = path }

  /// A failure is tried again the next time.
  func directory() throws(StorageError) -> PartialDirectory {
    try opened.withLock { (opened) throws(StorageError) in
      if let opened { return opened }
      let directory = try PartialDirectory(privatePath: path ?? PartialDirectory.temporaryPath())
      if path == nil { Self.clear(directory) }
      opened = directory
      return directory
    }
  }

  /// The same once more, when the one at hand has been removed.
  func directory(insteadOf removed: PartialDirectory) throws(StorageError) -> PartialDirectory {
    opened.withLock { if $0 === removed { $0 = nil } }
    return try directory()
  }

  private static func clear(_ directory: PartialDirectory) {
    DispatchQueue.global(qos: .utility).async {
      // What stays because the folder cannot be read goes with a later session.
      try? directory.removeLeftovers(olderThan: Date(timeIntervalSinceNow: -leftoversLifetime))
    }
  }
}
