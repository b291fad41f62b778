import Console
import Foundation

let words = CommandLine.arguments
guard words.count == 3, let url = downloadableURL(words[1]) else {
  endWithUsage("StartPauseGoOn URL FILE; then type start, pause, continue or quit")
}
let download = Download(from: url, to: URL(fileURLWithPath: words[2]))

for await command in commands() {
  switch command {
  case ["start"], ["continue"]: download.goOn()
  case ["pause"]: download.pause()
  case ["quit"]: await download.quit()
  case []: break
  default: say("type start, pause, continue or quit")
  }
}
await download.quit()
