public import Foundation

/// Writes one line at once, also into a pipe, where `print` would keep it back.
public func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Says how the program is used and ends it.
public func endWithUsage(_ text: String) -> Never {
  FileHandle.standardError.write(Data("usage: \(text)\n".utf8))
  exit(2)
}

/// The URL that a word stands for, if it is one that can be downloaded.
public func downloadableURL(_ word: String) -> URL? {
  guard let url = URL(string: word), ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
  else { return nil }
  return url
}

/// The last part of a URL's path if it can safely name a file, else `download`: servers choose URLs too.
public func fileName(for url: URL) -> String {
  let name = url.lastPathComponent
  guard !name.isEmpty, name.utf8.count <= 200, !name.hasPrefix("."), !name.contains("/"),
    !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
  else { return "download" }
  return name
}

/// The lines of standard input as they come, each split into words; ends when the input does.
public func commands() -> AsyncStream<[String]> {
  let (commands, continuation) = AsyncStream.makeStream(of: [String].self)
  // Reading blocks, so it has a thread of its own.
  Thread.detachNewThread {
    while let line = readLine() { continuation.yield(line.split(separator: " ").map(String.init)) }
    continuation.finish()
  }
  return commands
}
