import Testing

@testable import rget

@Suite(.timeLimit(.minutes(1)))
struct HelpTests {
  @Test("The help names every option and fits into 80 columns")
  func help() {
    let lines = Help.text.split(separator: "\n")
    for line in lines { #expect(line.count <= 80, "\(line)") }
    for option in OptionTable.all {
      #expect(lines.contains { $0.hasPrefix("  " + option.synopsis) }, "\(option.synopsis)")
    }
    for status in ExitCode.allCases { #expect(lines.contains { $0.hasPrefix("  \(status.rawValue) ") }) }
  }

  @Test("No two options share a name")
  func names() {
    let long = OptionTable.all.map(\.long)
    let short = OptionTable.all.compactMap(\.short)
    #expect(Set(long).count == long.count)
    #expect(Set(short).count == short.count)
  }

  @Test("The completions name every option", arguments: Shell.allCases)
  func completions(shell: Shell) {
    let text = shell.completions
    for name in OptionTable.all.map(\.long) {
      #expect(text.contains(shell == .fish ? "-l \(name)" : "--\(name)"), "\(name)")
    }
    for command in ["list", "inspect", "clean", "demo"] { #expect(text.contains(command)) }
    #expect(!text.contains("demo-continue"))
  }

  @Test(
    "The exit status is what the failures have in common",
    arguments: [
      ([], .complete), ([.disk], .disk), ([.network, .network], .network), ([.network, .refused], .someFailed),
      ([.someFailed], .someFailed), ([.checksum, .checksum, .disk], .someFailed),
    ] as [([ExitCode], ExitCode)])
  func status(failures: [ExitCode], expected: ExitCode) {
    #expect(ExitCode.of(failures) == expected)
  }
}
