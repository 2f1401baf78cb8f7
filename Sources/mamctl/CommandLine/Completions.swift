// `completions`: scripts by which shells ask `mamctl complete`.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func printCompletions(_ invocation: Invocation) throws -> ExitStatus {
    switch invocation.operands[0].text {
    case "bash": printOut(verbatim: bash)
    case "zsh": printOut(verbatim: zsh)
    default: printOut(verbatim: fish)
    }
    return .success
}

/// `_init_completion`, bash-completion's, handles quotes and redirections.
private let bash = #"""
    # bash completion for mamctl, made by: mamctl completions bash

    _mamctl() {
        local cur prev words cword lines line char breaks= before=
        # Accounts have an @ in their names.
        _init_completion -n =:@ 2>/dev/null || {
            cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        }
        mapfile -t lines < <(mamctl complete -- "${words[@]:1:cword}" 2>/dev/null)
        for line in "${lines[@]%%$'\t'*}"; do
            case $line in
            :files)
                compopt -o filenames 2>/dev/null
                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${cur#--*=}") ;;
            :commands) mapfile -t COMPREPLY < <(compgen -c -- "${cur#--*=}") ;;
            :command*) _command_offset "${line#:command }" 2>/dev/null; return ;;
            "$cur"*) COMPREPLY+=("$line") ;;
            esac
        done
        # Where the shell breaks words, it replaces what is after the last break alone.
        for char in = @ :; do [[ $COMP_WORDBREAKS == *$char* ]] && breaks+=$char; done
        [[ -n $breaks ]] && before=${cur%"${cur##*[$breaks]}"}
        COMPREPLY=("${COMPREPLY[@]#"$before"}")
    }
    complete -F _mamctl mamctl
    """#

private let zsh = #"""
    #compdef mamctl
    # zsh completion for mamctl, made by: mamctl completions zsh

    _mamctl() {
        local line word
        local -a found
        for line in ${(f)"$(mamctl complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
            word=${line%%$'\t'*} line=${line#*$'\t'}
            case $word in
            :files) compset -P '--*='; _files ;;
            :commands) compset -P '--*='; _command_names ;;
            :command*)
                integer before=${word#:command }
                shift before words
                ((CURRENT -= before))
                _normal
                return ;;
            *) found+=("${word//:/\\:}${line:+:$line}") ;;
            esac
        done
        _describe mamctl found
    }

    if [[ $funcstack[1] == _mamctl ]]; then _mamctl "$@"; else compdef _mamctl mamctl; fi
    """#

private let fish = #"""
    # fish completion for mamctl, made by: mamctl completions fish

    function __mamctl
        set -l words (commandline -opc) (commandline -ct)
        set -l option (string match -r '^--[^=]*=' -- $words[-1])
        for line in (mamctl complete -- $words[2..] 2>/dev/null)
            switch $line
                case ':files*'
                    set -l value (string replace -r '^--[^=]*=' '' -- $words[-1])
                    string replace -r -- '^' "$option" (__fish_complete_path "$value")
                case ':commands*'
                    __fish_complete_command
                case ':command *'
                    set -l start (math (string match -r '\d+' -- $line) + 1)
                    complete -C (string join ' ' -- $words[$start..])
                case '*'
                    # Fish itself would look for the word's letters in the meaning, too.
                    string match -- "$words[-1]*" $line
            end
        end
    end
    complete -c mamctl -f -a '(__mamctl)'
    """#
