// The script for zsh.

internal import MAMCommandLine
internal import MAMModel

var zshCompletions: String {
    """
    #compdef mamctl
    # zsh completion for mamctl, made by: mamctl completions zsh

    _mamctl_accounts() {
        local -a found=(${(f)"$(\(completionQueries.accounts))"})
        compadd -a found
    }

    _mamctl_workspaces() {
        local -a found=(${(f)"$(\(completionQueries.workspaces))"})
        compadd -a found
    }

    _mamctl_first() {
        local -a found=(
    \(firstWords.map { "        \(described($0.word, $0.summary))" }.joined(separator: "\n"))
        )
        _describe -t verbs verb found
    }

    _mamctl_second() {
        local -a found
        case "$1" in
    \(groups.map(zshGroup).joined(separator: "\n"))
        *) return 1 ;;
        esac
        _describe -t verbs verb found
    }

    _mamctl_value() {
        case "$1" in
    \(verbs.flatMap(zshValues).joined(separator: "\n"))
        *) return 1 ;;
        esac
    }

    _mamctl_operand() {
        case "$1" in
    \(verbs.map { "    \(quoted($0.name))) \(zsh($0.completion)) ;;" }.joined(separator: "\n"))
        esac
    }

    _mamctl_options() {
        local -a found
        case "$1" in
    \(verbs.map(zshOptions).joined(separator: "\n"))
        esac
        _describe -o -t options option found
    }

    _mamctl() {
        local verb=${words[2]} before=${words[CURRENT-1]}
        integer place=${words[(i)--]}
        if [[ $verb == run ]] && ((place < CURRENT)); then
            shift place words
            ((CURRENT -= place))
            _normal
            return
        fi
        if ((CURRENT == 2)); then
            _mamctl_first
            return
        fi
        case "$verb ${words[3]}" in
        \(verbs.map(\.name).filter { $0.contains(" ") }.map { quoted($0) }.joined(separator: "|")))
            ((CURRENT > 3)) && verb="$verb ${words[3]}" ;;
        esac
        if [[ ${words[CURRENT]} == --*=* ]]; then
            before=${words[CURRENT]%%=*}
            compset -P '*='
            _mamctl_value "$verb $before"
        elif [[ ${words[CURRENT]} == -* ]]; then
            _mamctl_options "$verb"
        else
            ((CURRENT == 3)) && _mamctl_second "$verb"
            _mamctl_value "$verb $before" || _mamctl_operand "$verb"
        fi
    }

    if [[ $funcstack[1] == _mamctl ]]; then _mamctl "$@"; else compdef _mamctl mamctl; fi
    """
}

/// A `_describe` entry: `word:description`.
private func described(_ word: String, _ summary: String) -> String {
    quoted("\(word):\(summary.replacingLineBreaks)")
}

extension String {
    fileprivate var replacingLineBreaks: String { String(map { $0.isNewline ? " " : $0 }) }
}

private func zsh(_ completion: Completion) -> String {
    switch completion {
    case .nothing: "_message 'no completion'"
    case .files: "_files"
    case .commands: "_command_names"
    case .accounts: "_mamctl_accounts"
    case .workspaces: "_mamctl_workspaces"
    case .verbs: "_mamctl_first"
    case .words(let words): "compadd -- \(words.map { quoted($0) }.joined(separator: " "))"
    }
}

private func zshValues(of verb: Verb) -> [String] {
    verb.allOptions.compactMap { option in
        option.completion.map { completion in
            let patterns = option.flags.map { quoted("\(verb.name) \($0)") }
            return "    \(patterns.joined(separator: "|"))) \(zsh(completion)) ;;"
        }
    }
}

private func zshOptions(of verb: Verb) -> String {
    let options = verb.allOptions.flatMap { option in
        option.flags.map { described($0, option.help.english) }
    }
    return "    \(quoted(verb.name))) found=(\(options.joined(separator: " "))) ;;"
}

private func zshGroup(_ name: String) -> String {
    let words = Verb.group(name).map {
        described(String($0.name.dropFirst(name.count + 1)), $0.summary.english)
    }
    return "    \(name)) found=(\(words.joined(separator: " "))) ;;"
}
