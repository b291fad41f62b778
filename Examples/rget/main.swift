import Foundation

Output.occupyClosedStreams()
exit(await Command.run(Array(CommandLine.arguments.dropFirst())))
