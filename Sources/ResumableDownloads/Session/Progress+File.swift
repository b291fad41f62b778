public import Foundation

extension Progress {
  /// What is done with the file; `.downloading` for tasks of a `DownloadSession` (Apple: `Progress.fileOperationKind`).
  public var fileOperationKind: FileOperationKind? {
    get { userInfo[.fileOperationKindKey] as? FileOperationKind }
    set { setUserInfoObject(newValue, forKey: .fileOperationKindKey) }
  }

  /// Bytes per second (Apple: `Progress.throughput`).
  ///
  /// For tasks of a `DownloadSession` an average of the last few seconds, computed when it is read: it goes down while
  /// nothing arrives. `nil` until bytes have come. Setting it has no effect there.
  public var throughput: Int? {
    get { (userInfo[.throughputKey] as? NSNumber)?.intValue }
    set { setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .throughputKey) }
  }

  /// Seconds that the rest will take (Apple: `Progress.estimatedTimeRemaining`).
  ///
  /// For tasks of a `DownloadSession` it follows from `throughput` when it is read; 0 at the end, `nil` while either
  /// the speed or the length of the file is unknown. Setting it has no effect there.
  public var estimatedTimeRemaining: TimeInterval? {
    get { (userInfo[.estimatedTimeRemainingKey] as? NSNumber)?.doubleValue }
    set { setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .estimatedTimeRemainingKey) }
  }
}
