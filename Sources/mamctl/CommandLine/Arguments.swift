// The command line of one verb, and what may be wrong with it.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Verb {
    func parsed(_ words: ArraySlice<ByteString>) throws(Failure) -> Invocation {
        let syntax = syntax
        var arguments: Arguments
        do throws(Misuse) { arguments = try Arguments(words, syntax) } catch {
            throw .usage(self, self.words(for: error))
        }
        arguments.add(try arguments.listedFiles())
        // A list may be empty, such as the output of find(1).
        if !arguments.has(.filesFrom) || !arguments.operands.isEmpty {
            do throws(Misuse) { try arguments.checkOperands(syntax) } catch {
                throw .usage(self, self.words(for: error))
            }
            try checkChoices(arguments)
        }
        return Invocation(verb: self, arguments: arguments)
    }

    private func words(for misuse: Misuse) -> Message {
        switch misuse {
        case .unknownOption(let word):
            // gocryptfs accepts one dash: suggest `--owner` for `-owner`.
            let name = word.shown.prefix { $0 != "=" }
            let asLong = "--\(name.drop { $0 == "-" })"
            let guess = didYouMean(asLong, in: allOptions.map { "--\($0.name)" })
            return "unknown option '\(name)'\(guess)"
        case .noValue(let flag, let option): return "\(flag) needs a value: \(option.value ?? "")"
        case .unwantedValue(let option, _): return "--\(option.name) takes no value"
        case .tooFewOperands(let count): return missing(syntax.requiredOperands[count...])
        case .extraOperand(let word): return "'\(word.shown)' is an extra operand"
        }
    }

    private func missing(_ operands: ArraySlice<Operand>) -> Message {
        let (count, names) = (
            operands.count, operands.map { Message(known: $0.usage) }.joined(separator: " and ")
        )
        return Message(count, one: "\(names) is missing", many: "\(names) are missing")
    }

    /// Checks the words of closed sets.
    private func checkChoices(_ arguments: Arguments) throws(Failure) {
        let choices = syntax.operand(after: 0)?.choices ?? []
        if let first = arguments.operands.first, !isAmong(choices, first) {
            let others = Verb.group(name).map { String($0.name.dropFirst(name.count + 1)) }
            throw .usage(
                self, "unknown operand '\(first.shown)'\(guess(first, choices + others))")
        }
        for option in options {
            for value in arguments.values(option.name) where !isAmong(option.choices, value) {
                let words = guess(value, option.choices)
                throw .usage(
                    self,
                    "invalid value '\(value.shown)' for"
                        + " --\(option.name)\(words.isEmpty ? ": \(option.help)" : words)")
            }
        }
    }

    private func isAmong(_ choices: [String], _ word: ByteString) -> Bool {
        choices.isEmpty || choices.contains(word.text ?? "")
    }

    /// Suggests the nearest word, or all of them if they are few.
    private func guess(_ word: ByteString, _ choices: [String]) -> Message {
        let guess = didYouMean(word.shown, in: choices)
        return guess.isEmpty && choices.count < 10
            ? "; use one of \(choices.joined(separator: ", "))" : guess
    }
}
