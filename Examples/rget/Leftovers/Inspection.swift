import Foundation
import ResumableDownloads

/// `rget inspect`: resume data in plain words.
enum Inspection {
  static func run(_ file: String) -> Int32 {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
      Output.message("rget: \(file) is a folder; rget list \(file) tells what is in it.")
      return ExitCode.someFailed.rawValue
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: file))
    } catch {
      Output.message("rget: cannot read \(file): \(Failure.sentence(error)).")
      return ExitCode.disk.rawValue
    }
    do {
      for line in lines(try ResumeData(data)) { Output.result(line) }
      return 0
    } catch {
      Output.message("rget: \(file): \(Failure.sentence(error)).")
      return ExitCode.someFailed.rawValue
    }
  }

  /// What is known, one fact a line, without secrets.
  static func lines(_ data: ResumeData) -> [String] {
    let whole = data.expectedTotalBytes.map { " of \($0)" } ?? "; the whole length is unknown"
    let percent = Amount.percent(data.byteOffset, of: data.expectedTotalBytes).map { " (\($0)%)" } ?? ""
    var lines = ["asked for: \(Masked.url(data.url))"]
    if let last = data.lastURL, last != data.url { lines.append("answered by: \(Masked.url(last))") }
    lines.append("bytes: \(data.byteOffset)\(whole)\(percent)")
    lines.append("safe from a power cut: \(data.syncedByteOffset) bytes")
    lines.append("version of the file: \(version(data))")
    lines.append("begun: \(data.creationDate.formatted(.iso8601))")
    lines.append("last changed: \(data.modificationDate.formatted(.iso8601))")
    lines.append("ended: \(data.isClosed ? "in order" : "killed, or still running")")
    lines.append("partial file: \(data.partialURL.path)")
    if let destination = data.destinationURL {
      let name = StagedName.finalName(of: destination.lastPathComponent) ?? destination.lastPathComponent
      lines.append("to become: \(destination.deletingLastPathComponent().appendingPathComponent(name).path)")
    }
    let names = data.headers.keys.sorted()
    if !names.isEmpty { lines.append("fields of the request: \(names.joined(separator: ", "))") }
    return lines
  }

  private static func version(_ data: ResumeData) -> String {
    let parts = [
      data.entityTag.map { "entity tag \(Masked.visible($0))" },
      data.lastModified.map { "last modified \(Masked.visible($0))" },
    ]
    let known = parts.compactMap { $0 }
    return known.isEmpty ? "unknown" : known.joined(separator: ", ")
  }
}
