import Console
import Foundation

let words = CommandLine.arguments
guard words.count == 4, let maximum = Int(words[3]), maximum > 0 else {
  endWithUsage("DownloadQueue NAME FOLDER MAXIMUM; then type add URL, cancel URL, list or quit")
}
let folder = URL(fileURLWithPath: words[2], isDirectory: true)
do {
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
} catch {
  say("cannot make the folder: \(error.localizedDescription)")
  exit(1)
}
let queue = DownloadQueue(named: words[1], savingTo: folder, maximum: maximum)
await queue.list()

for await command in commands() {
  let url = command.count == 2 ? downloadableURL(command[1]) : nil
  switch (command.first, url) {
  case ("add", let url?): queue.add(url)
  case ("cancel", let url?): await queue.cancel(url)
  case ("list", nil): await queue.list()
  // The tasks are on disk: a process needs no more care to end than to be killed.
  case ("quit", nil): exit(0)
  case (nil, _): break
  default: say("type add URL, cancel URL, list or quit")
  }
}
