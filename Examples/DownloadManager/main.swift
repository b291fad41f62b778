import Console
import Foundation

let words = CommandLine.arguments
guard words.count == 2 else {
  endWithUsage("DownloadManager FOLDER; then type start URL, pause URL, list or quit")
}

do {
  let downloads = try Downloads(in: URL(fileURLWithPath: words[1], isDirectory: true))
  try list(downloads)
  for await command in commands() {
    let url = command.count == 2 ? downloadableURL(command[1]) : nil
    switch (command.first, url) {
    case ("start", let url?): start(url, downloads)
    case ("pause", let url?): if await !downloads.pause(url) { say("\(url) is not running") }
    case ("list", nil): try list(downloads)
    case ("quit", nil): await quit(downloads)
    case (nil, _): break
    default: say("type start URL, pause URL, list or quit")
    }
  }
  await quit(downloads)
} catch {
  say("cannot read the folder: \(error.localizedDescription)")
  exit(1)
}

@MainActor
func start(_ url: URL, _ downloads: Downloads) {
  var line = ProgressLine(url.lastPathComponent)
  downloads.start(
    url, progress: { line.show($0.received, of: $0.total ?? -1) },
    state: { state in
      switch state {
      case .running: say("\(url) is running")
      case .paused: say("\(url) is paused")
      case .completed: say("\(url) is complete")
      case .failed(let error): say("\(url) failed: \(error.localizedDescription)")
      }
    })
}

/// Says how far every download is, those of earlier runs included.
@MainActor
func list(_ downloads: Downloads) throws {
  for (url, size) in try downloads.sizes().sorted(by: { $0.key.absoluteString < $1.key.absoluteString }) {
    say("\(url): \(size.received) of \(size.total.map { "\($0)" } ?? "unknown") bytes")
  }
}

@MainActor
func quit(_ downloads: Downloads) async {
  await downloads.pauseAll()
  exit(0)
}
