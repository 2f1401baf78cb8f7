// The command line. People use mamctl, which has the help and the manual.

import Glibc
import MAMModel
import MAMSystem
import MAMWire

/// What ends the program; a sentence.
struct Problem: Error {
    let status: ExitStatus
    let text: String

    init(_ status: ExitStatus, _ text: String) { (self.status, self.text) = (status, text) }
    init(_ text: String) { self.init(.failure, text) }
}

/// `login`, `refresh` or `keys`, with options; an option's value is the next word.
struct Arguments {
    let task: String
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    private static let valued: Set = ["--socket", "--account", "--oid", "--into"]
    private static let plain: Set = ["--device-code", "--no-browser"]

    init(_ words: [ByteString]) throws(Problem) {
        var rest = words.map(\.wireText)[...]
        task = rest.popFirst() ?? ""
        while let word = rest.popFirst() {
            if Self.plain.contains(word) {
                flags.insert(word)
            } else if Self.valued.contains(word), let value = rest.popFirst() {
                values[word] = value
            } else {
                throw Problem(.usage, "the argument '\(word)' is not known, or has no value")
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
    func value(_ name: String) -> String? { values[name] }

    func required(_ name: String) throws(Problem) -> String {
        guard let value = values[name] else { throw Problem(.usage, "\(name) is missing") }
        return value
    }
}

func runProgram(_ words: [ByteString]) -> ExitStatus {
    do throws(Problem) {
        if words.first?.text == "--version" {
            print("mamd-signin \(productVersion)")
            return .success
        }
        let arguments = try Arguments(words)
        var daemon = try Daemon(at: try arguments.required("--socket"))
        switch arguments.task {
        case "login": try login(arguments, &daemon)
        case "refresh": try refresh(arguments, &daemon)
        case "keys": try fetchKeys(arguments, &daemon)
        default: throw Problem(.usage, "mamctl account login signs in")
        }
        return .success
    } catch {
        // For mamctl, which tells it.
        let told: JSONValue = ["error": .string(error.text)]
        try? writeAll(told.encoded() + [0x0A], to: STDOUT_FILENO)
        return error.status
    }
}

/// For the person, who may have to do something.
func tell(_ text: String) { try? writeAll(Array("\(text)\n".utf8), to: STDERR_FILENO) }

/// What the issuer wrote, on one line of a terminal.
func shown(_ text: String) -> String { ByteString(String(text.prefix(300))).shown }
