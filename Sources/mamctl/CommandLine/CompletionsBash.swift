// The script for bash. It uses bash-completion's `_init_completion`, which handles quotes and
// redirections.

internal import MAMCommandLine
internal import MAMModel

var bashCompletions: String {
    """
    # bash completion for mamctl, made by: mamctl completions bash

    _mamctl_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
    _mamctl_lines() { local IFS=$'\\n'; COMPREPLY=($(compgen -W "$1" -- "$cur")); }
    _mamctl_files() {
        compopt -o filenames 2>/dev/null
        local IFS=$'\\n'
        COMPREPLY=($(compgen -f -- "$cur"))
    }
    _mamctl_accounts() { _mamctl_lines "$(\(completionQueries.accounts))"; }
    _mamctl_workspaces() { _mamctl_lines "$(\(completionQueries.workspaces))"; }

    # What the verb is, as far as it is written: one word or two.
    _mamctl_verb() {
        verb=${words[1]}
        case "$verb ${words[2]}" in
        \(verbs.map(\.name).filter { $0.contains(" ") }.map { quoted($0) }.joined(separator: "|")))
            verb="$verb ${words[2]}" ;;
        esac
    }

    # The value of an option.
    _mamctl_value() {
        case "$verb $1" in
    \(verbs.flatMap(bashValues).joined(separator: "\n"))
        *) return 1 ;;
        esac
    }

    _mamctl_operand() {
        case "$verb" in
    \(verbs.map { "    \(quoted($0.name))) \(bash($0.completion)) ;;" }.joined(separator: "\n"))
        esac
    }

    _mamctl_options() {
        case "$verb" in
    \(verbs.map(bashOptions).joined(separator: "\n"))
        esac
    }

    _mamctl() {
        local cur prev words cword verb more
        # Accounts have an @ in their names.
        _init_completion -n =:@ 2>/dev/null || {
            cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
            words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        }
        if ((cword == 1)); then
            _mamctl_words \(quoted(firstWords.map(\.word).joined(separator: " ")))
            return
        fi
        _mamctl_verb
        # What stands behind -- is a command line of its own.
        if [[ $verb == run ]]; then
            local place
            for ((place = 2; place < cword; place++)); do
                if [[ ${words[place]} == -- ]]; then
                    _command_offset $((place + 1)) 2>/dev/null
                    return
                fi
            done
        fi
        if ((cword == 2)); then
            case "$verb" in
    \(groups.map(bashGroup).joined(separator: "\n"))
            esac
        fi
        if [[ $cur == -*=* ]]; then
            prev=${cur%%=*} cur=${cur#*=}
            _mamctl_value "$prev"
        elif [[ $cur == -* ]]; then
            _mamctl_options
        else
            _mamctl_value "$prev" || _mamctl_operand
        fi
        [[ -n $more ]] && COMPREPLY+=($(compgen -W "$more" -- "$cur"))
        # Where the shell breaks words, it replaces what is after the last break alone.
        local breaks= before= char index
        for char in @ :; do [[ $COMP_WORDBREAKS == *$char* ]] && breaks+=$char; done
        [[ -n $breaks ]] && before=${cur%"${cur##*[$breaks]}"}
        for index in "${!COMPREPLY[@]}"; do COMPREPLY[index]=${COMPREPLY[index]#"$before"}; done
    }
    complete -F _mamctl mamctl
    """
}

private func bash(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .files: "_mamctl_files"
    case .commands: "COMPREPLY=($(compgen -c -- \"$cur\"))"
    case .accounts: "_mamctl_accounts"
    case .workspaces: "_mamctl_workspaces"
    case .verbs: "_mamctl_words \(quoted(firstWords.map(\.word).joined(separator: " ")))"
    case .words(let words): "_mamctl_words \(quoted(words.joined(separator: " ")))"
    }
}

private func bashValues(of verb: Verb) -> [String] {
    verb.allOptions.compactMap { option in
        option.completion.map { completion in
            let patterns = option.flags.map { quoted("\(verb.name) \($0)") }
            return "    \(patterns.joined(separator: "|"))) \(bash(completion)) ;;"
        }
    }
}

private func bashOptions(of verb: Verb) -> String {
    let flags = verb.allOptions.flatMap(\.flags).joined(separator: " ")
    return "    \(quoted(verb.name))) _mamctl_words \(quoted(flags)) ;;"
}

/// A group that is itself a verb also takes operands.
private func bashGroup(_ name: String) -> String {
    let words = quoted(
        Verb.group(name).map { String($0.name.dropFirst(name.count + 1)) }.joined(separator: " "))
    let isVerb = verbs.contains { $0.name == name }
    return "        \(name)) \(isVerb ? "more=\(words)" : "_mamctl_words \(words); return") ;;"
}
