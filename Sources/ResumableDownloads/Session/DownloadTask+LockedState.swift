internal import Foundation
internal import FoundationNetworking

extension DownloadTask {
  /// What changes while a task lives; whoever uses it holds the lock.
  struct LockedState {
    var suspendCount = 1
    var isStarted = false
    var isPausedByProgress = false
    var isCanceling = false
    /// Nothing more happens; the delegate may not know yet.
    var hasEnded = false
    var isCompleted = false
    var error: URLError?
    /// The head of the last answer.
    var head: ResponseHead? { didSet { madeResponse = nil } }
    private var madeResponse: DownloadResponse?
    /// The head as callers know it, made when the first of them asks.
    var response: DownloadResponse? {
      mutating get {
        if madeResponse == nil { madeResponse = head.flatMap { DownloadResponse($0) } }
        return madeResponse
      }
    }
    /// The fields of the request that was answered last.
    var requestFields: [HeaderField]? { didSet { madeRequest = nil } }
    private var madeRequest: URLRequest?
    /// The request that was answered last, made when somebody asks.
    mutating func request(after original: URLRequest?) -> URLRequest? {
      guard let head, let requestFields, var request = original else { return original }
      if let madeRequest { return madeRequest }
      if let url = URL(string: head.url) { request.url = url }
      // Cookies that the storage added are no part of the request. Assigning nil first forgets what a redirect dropped.
      let isOwn = request.value(forHTTPHeaderField: "Cookie") != nil
      request.allHTTPHeaderFields = nil
      for field in requestFields where isOwn || !field.isNamed("Cookie") {
        request.setValue(field.value, forHTTPHeaderField: field.name)
      }
      madeRequest = request
      return request
    }
    var description: String?
    var priority: Float = 0.5
    var delegate: (any URLSessionTaskDelegate)?
    var beginDate: Date?
    var expectsToReceive: Int64 = NSURLSessionTransferSizeUnknown
    var expectsToSend: Int64 = NSURLSessionTransferSizeUnknown
    var file: FinishedFile?
    /// What the server was given last, until it is known whether it takes it.
    var login: (credential: URLCredential, space: URLProtectionSpace)?
    var bytesPerSecondLimit: Int64 = 0
    var started = Date()
    var redirectCount = 0
    var transactions: [DownloadMetrics.Transaction] = []
    var cancelHandlers: [CancelHandler] = []
    /// What a session with an identifier writes down of the task, and the last that it wrote.
    var record: TaskRecord?
    var savedRecord: TaskRecord?
    var revision: UInt64 = 1
    /// How the caller cancelled the task, for the record.
    var cancellation: TaskRecord.State?
    /// Keeps the session while the task runs.
    var session: DownloadSession?
  }
}
