/// The shells for which `rget --completions` writes something.
enum Shell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// The text that the shell reads, made of the same table as the help.
  var completions: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static let subcommands = Subcommand.allCases.filter { $0 != .demoContinue }.map(\.rawValue)

  private static let negatedNames = OptionTable.all.compactMap(\.negatedName)

  private static func negatedHelp(_ name: String) -> String { "turns --\(name.dropFirst(3)) off again" }

  private static var bashText: String {
    let cases = OptionTable.all.filter { $0.placeholder != nil }.map { option in
      let action =
        switch option.completion {
        case .none: "COMPREPLY=()"
        case .files: #"COMPREPLY=($(compgen -f -- "$word"))"#
        case .directories: #"COMPREPLY=($(compgen -d -- "$word"))"#
        case .words(let words): #"COMPREPLY=($(compgen -W "\#(words.joined(separator: " "))" -- "$word"))"#
        }
      return "    \(option.names.joined(separator: " | "))) \(action); return ;;"
    }
    let options = (OptionTable.all.flatMap(\.names) + negatedNames.map { "--\($0)" }).joined(separator: " ")
    return """
      # Completions of rget for bash: eval "$(rget --completions bash)"
      _rget() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        case $previous in
      \(cases.joined(separator: "\n"))
          list | clean) COMPREPLY=($(compgen -d -- "$word")); return ;;
          inspect) COMPREPLY=($(compgen -f -- "$word")); return ;;
        esac
        if [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W "\(options)" -- "$word"))
        elif [[ $COMP_CWORD -eq 1 ]]; then
          COMPREPLY=($(compgen -W "\(subcommands.joined(separator: " "))" -- "$word"))
        fi
      }
      complete -o filenames -F _rget rget
      """
  }

  private static var zshText: String {
    let lines = OptionTable.all.flatMap { option in
      option.names.map { name in
        let value =
          switch (option.placeholder, option.completion) {
          case (nil, _): ""
          case (let text?, .none): ":\(plain(text)): "
          case (let text?, .files): ":\(plain(text)):_files"
          case (let text?, .directories): ":\(plain(text)):_files -/"
          case (let text?, .words(let words)): ":\(plain(text)):(\(words.joined(separator: " ")))"
          }
        return "  '*\(name)[\(plain(option.help))]\(value)'"
      }
    }
    let off = negatedNames.map { "  '*--\($0)[\(negatedHelp($0))]'" }
    return """
      #compdef rget
      # Completions of rget for zsh: eval "$(rget --completions zsh)" after compinit, or as _rget in $fpath.
      _rget() {
        local -a arguments
        arguments=(
      \((lines + off).map { "  " + $0 }.joined(separator: "\n"))
          '1:command or URL:(\(subcommands.joined(separator: " ")))'
          '*:file:_files'
        )
        _arguments -s $arguments
      }
      if [[ $funcstack[1] == _rget ]]; then _rget "$@"; else compdef _rget rget; fi
      """
  }

  private static var fishText: String {
    let lines = OptionTable.all.map { option in
      var line = "complete -c rget"
      if let short = option.short { line += " -s \(short)" }
      line += " -l \(option.long)"
      switch (option.placeholder, option.completion) {
      case (nil, _): break
      case (_, .none): line += " -x"
      case (_, .files): line += " -r -F"
      case (_, .directories): line += " -x -a '(__fish_complete_directories)'"
      case (_, .words(let words)): line += " -x -a '\(words.joined(separator: " "))'"
      }
      return line + " -d '\(plain(option.help))'"
    }
    let words = subcommands.joined(separator: " ")
    let off = negatedNames.map { "complete -c rget -l \($0) -d '\(negatedHelp($0))'" }
    return """
      # Completions of rget for fish: rget --completions fish | source
      complete -c rget -f
      complete -c rget -n __fish_use_subcommand -a '\(words)'
      complete -c rget -n '__fish_seen_subcommand_from list clean' -a '(__fish_complete_directories)'
      complete -c rget -n '__fish_seen_subcommand_from inspect' -F
      \((lines + off).joined(separator: "\n"))
      """
  }

  /// Without the characters that mean something inside the quotes of the three shells or to zsh's `_arguments`.
  private static func plain(_ text: String) -> String {
    String(text.filter { !"'\"[]:\\$`".contains($0) })
  }
}
