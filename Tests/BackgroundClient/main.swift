import Foundation

do {
  let script = try Script(Array(CommandLine.arguments.dropFirst()))
  Client(script).run()
  // The delegate ends the program, or whoever started it.
  RunLoop.main.run()
} catch {
  say("usage: \(error)")
  exit(2)
}
