// The script for fish.

internal import MAMCommandLine
internal import MAMModel

var fishCompletions: String {
    let verbsOfTwoWords = verbs.map(\.name).filter { $0.contains(" ") }
    let lines =
        firstWords.map {
            "complete -c mamctl -n '__mamctl_at 1' -a \($0.word) -d \(fishQuoted($0.summary))"
        }
        + groups.flatMap(fishGroup) + verbs.flatMap(fishVerb)
    return """
        # fish completion for mamctl, made by: mamctl completions fish

        function __mamctl_accounts
            \(completionQueries.accounts)
        end

        function __mamctl_workspaces
            \(completionQueries.workspaces)
        end

        # What stands behind -- is a command line of its own.
        function __mamctl_command
            set -l words (commandline -opc)
            set -l place (contains -i -- -- $words); or return
            set -e words[1..$place]
            complete -C (string join ' ' -- $words (commandline -ct))
        end

        # So many words stand before this one, and they begin so.
        function __mamctl_at
            set -l words (commandline -opc)
            test (count $words) -eq $argv[1]; or return 1
            test (count $argv) -eq 1; or test "$words[2]" = $argv[2]
        end

        # The verb is this one, of one word or two.
        function __mamctl_in
            set -l words (commandline -opc)
            test (count $words) -ge 2; or return 1
            set -l both "$words[2] $words[3]"
            if contains -- $both \(verbsOfTwoWords.map(fishQuoted).joined(separator: " "))
                test $argv[1] = $both
            else
                test $argv[1] = $words[2]
            end
        end

        complete -c mamctl -f
        complete -c mamctl -a '(__mamctl_command)' \\
            -n "__mamctl_in run; and contains -- -- (commandline -opc)"
        \(lines.joined(separator: "\n"))
        """
}

/// A backslash escapes in fish's single quotes.
private func fishQuoted(_ text: String) -> String {
    var inner = ""
    for character in text {
        if character == "'" || character == "\\" { inner.append("\\") }
        inner.append(character.isNewline ? " " : character)
    }
    return "'\(inner)'"
}

private func fishGroup(_ name: String) -> [String] {
    Verb.group(name).map {
        "complete -c mamctl -n '__mamctl_at 2 \(name)' -a \($0.name.dropFirst(name.count + 1)) -d"
            + " \(fishQuoted($0.summary.english))"
    }
}

private func fishVerb(_ verb: Verb) -> [String] {
    let start = "complete -c mamctl -n \"__mamctl_in '\(verb.name)'\""
    let operand = fish(verb.completion).map { "\(start) \($0)" }
    return (operand.map { [$0] } ?? [])
        + verb.allOptions.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.completion.map { completion in
                fish(completion).map { " -r \($0)" } ?? " -x"
            }
            let help = fishQuoted(option.help.english)
            return "\(start)\(short) -l \(option.name)\(value ?? "") -d \(help)"
        }
}

private func fish(_ completion: Completion) -> String? {
    switch completion {
    case .nothing: nil
    case .files: "-F"
    case .commands: "-a '(__fish_complete_command)'"
    case .accounts: "-f -a '(__mamctl_accounts)'"
    case .workspaces: "-f -a '(__mamctl_workspaces)'"
    case .verbs: "-f -a \(fishQuoted(firstWords.map(\.word).joined(separator: " ")))"
    case .words(let words): "-f -a \(fishQuoted(words.joined(separator: " ")))"
    }
}
