import Foundation
import Glibc
import Testing

@testable import ResumableDownloads

@Suite(.timeLimit(.minutes(1)))
struct ErrorTableTests {
  static let rows: [(DownloadFailure.Reason, Int)] = [
    (.cancelled, -999), (.timedOut, -1001), (.transfer(TransferError(.inactive)), -1001),
    (.unsupportedScheme, -1002), (.invalidResumeData("x"), -1002), (.malformedURL, -1000),
    (.transfer(TransferError(.curl(6))), -1003), (.transfer(TransferError(.curl(7))), -1004),
    (.transfer(TransferError(.curl(18))), -1005), (.transfer(TransferError(.curl(56))), -1005),
    (.transfer(TransferError(.curl(92))), -1005), (.cutShort, -1005), (.tooManyRedirects, -1007),
    (.badAnswer(500), -1011), (.transfer(TransferError(.malformedHead)), -1011),
    (.transfer(TransferError(.curl(35))), -1200), (.transfer(TransferError(.curl(60))), -1202),
    (.transfer(TransferError(.curl(61))), -1016),
    (.storage(StorageError(operation: .create, code: EACCES, path: "/f")), -3000),
    (.storage(StorageError(operation: .open, code: EACCES, path: "/f")), -3001),
    (.storage(StorageError(operation: .write, code: ENOSPC, path: "/f")), -3003),
    (.storage(StorageError(operation: .move, code: EXDEV, path: "/f")), -3005),
    (.destinationExists("/f"), -3005),
  ]

  @Test("Every kind of failure has its code, a text and the address", arguments: rows)
  func codes(reason: DownloadFailure.Reason, code: Int) {
    let error = ErrorTable.urlError(for: DownloadFailure(reason: reason, url: "http://localhost/f"))
    #expect(error.code.rawValue == code)
    #expect(!error.localizedDescription.isEmpty)
    #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == URL(string: "http://localhost/f"))
    #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == "http://localhost/f")
    #expect(error.downloadTaskResumeData == nil)
  }

  @Test("The system's error lies underneath, and resume data rides along")
  func userInfo() {
    let storage = StorageError(operation: .write, code: ENOSPC, path: "/f")
    let failure = DownloadFailure(reason: .storage(storage), url: "http://localhost/f", resumeData: Data([1]))
    let error = ErrorTable.urlError(for: failure)
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.domain == NSPOSIXErrorDomain)
    #expect(underlying?.code == Int(ENOSPC))
    #expect(error.downloadTaskResumeData == Data([1]))
    #expect(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == Data([1]))
  }
}
