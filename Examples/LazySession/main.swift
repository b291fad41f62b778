import Console
import Foundation

let words = CommandLine.arguments
guard words.count == 3, let url = downloadableURL(words[1]) else {
  endWithUsage("LazySession URL FILE; then type start, pause, continue or quit")
}
let downloader = Downloader(savingTo: URL(fileURLWithPath: words[2]))

for await command in commands() {
  switch command {
  case ["start"]: downloader.start(url)
  case ["pause"]: downloader.pause()
  case ["continue"]: downloader.goOn()
  case ["quit"]: exit(0)
  case []: break
  default: say("type start, pause, continue or quit")
  }
}
