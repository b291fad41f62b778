import Foundation
import TestSupport
import Testing

@testable import rget

/// What the shells make of the completions.
@Suite(.timeLimit(.minutes(2)))
struct ShellTests {
  private static let cases = [
    ("rget --che", "--checksum --checksum-file"), ("rget --no-rem", "--no-remote-time"), ("rget l", "list"),
    ("rget --completions z", "zsh"), ("rget -d do", "downloads"), ("rget -q --checksum-file S", "SUMS"),
    ("rget inspect S", "SUMS"), ("rget list do", "downloads"), ("rget -j ", ""),
  ]

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("shell")
    try folder.makeFolder("downloads")
    try folder.write(Data(), to: "SUMS")
  }

  /// What the script of a shell says that `words` can be completed to, sorted.
  private func completions(_ program: String, _ arguments: [String]) async throws -> String {
    let variables = [
      "RGET": try Products.path("rget"), "HOME": folder.path, "ZDOTDIR": folder.path, "XDG_CONFIG_HOME": folder.path,
      "XDG_DATA_HOME": folder.path, "TERM": "dumb",
    ]
    let result = try await ChildProcess.run(program, arguments, environment: variables, folder: folder.path)
    #expect(result.exit == .exited(0), "\(result.errorText)")
    // Folders may end in a slash.
    let words = result.text.split(whereSeparator: \.isNewline).map { $0.hasSuffix("/") ? $0.dropLast() : $0 }
    return Set(words).sorted().joined(separator: " ")
  }

  @Test("bash completes options, commands and values", arguments: cases)
  func bash(words: String, expected: String) async throws {
    let script = """
      eval "$("$RGET" --completions bash)"
      IFS=' ' read -r -a COMP_WORDS <<< "$1"; [[ $1 == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rget; printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try await completions("/bin/bash", ["-c", script, "bash", words]) == expected)
  }

  @Test(
    "fish completes options, commands and values", .enabled(if: Products.isInstalled("fish"), "fish is not installed"),
    arguments: cases)
  func fish(words: String, expected: String) async throws {
    let script = "$RGET --completions fish | source; complete -C $argv[1] | string replace -r '\\t.*' ''; true"
    let found = try await completions(Products.installed("fish"), ["--no-config", "-c", script, words])
    #expect(found == expected)
  }

  /// An interactive zsh that says what it is offered for the line that is typed.
  private static let zshSettings = #"""
    PS1=
    unsetopt prompt_sp prompt_cr
    autoload -Uz compinit && compinit -u -D
    eval "$("$RGET" --completions zsh)"
    compadd() {
      # Calls that only ask which of some words fit add nothing.
      if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
      local -a found
      builtin compadd -O found "$@"
      (( $#found )) && print -rl -- "offered "$^found
      builtin compadd "$@"
    }
    finish() { print "finished"; }
    complete() { _main_complete; finish; }
    zle -C complete complete-word complete
    bindkey '^I' complete
    print "ready"
    """#

  @Test(
    "zsh completes options, commands and values", .enabled(if: Products.isInstalled("zsh"), "zsh is not installed"),
    arguments: cases)
  func zsh(words: String, expected: String) async throws {
    try folder.write(Data(Self.zshSettings.utf8), to: ".zshrc")
    let script = #"""
      zmodload zsh/zpty
      zpty inner "zsh -d -i"
      zpty -r inner start "*ready*" && zpty -w -n inner "$1"$'\t' && zpty -r inner text "*finished*" || exit 1
      for line in ${(f)text}; do
        [[ $line == *'offered '* ]] && print -r -- ${${line##*offered }%$'\r'}
      done
      zpty -d inner
      """#
    let found = try await completions(Products.installed("zsh"), ["-f", "-c", script, "zsh", words])
    #expect(found == expected)
  }
}
