import Foundation

Task.detached { exit(await Command.run(Array(CommandLine.arguments.dropFirst()))) }
// An asynchronous main would end the first thread in `dispatch_main`, which valgrind does not survive.
while true { pause() }
