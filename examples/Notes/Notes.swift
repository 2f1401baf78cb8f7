// An example: a program for notes that belong to an account of the workspace (docs/APPS.md).

internal import Glibc
internal import MAMClient

/// notes ACCOUNT sign-in PASSFILE | add TITLE TEXT | show TITLE | info TITLE
///     | export TITLE PATH | listen | answer
@main
struct Notes {
    static func main() {
        do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            let message = Array("notes: \(error)\n".utf8)
            _ = Glibc.write(STDERR_FILENO, message, message.count)
            exit(error is Refusal ? 6 : 1)
        }
    }

    private static func run(_ words: [String]) throws {
        guard words.count >= 2 else { throw Usage() }
        let notebook = try Notebook(of: words[0])
        switch (words[1], words.count) {
        case ("sign-in", 3): try notebook.signIn(passphraseFile: words[2])
        case ("add", 4):
            let signature = try notebook.signature().map { "\n-- \($0)" } ?? ""
            try notebook.add(words[2], words[3] + signature + "\n")
        case ("show", 3): say(try notebook.text(words[2]), terminator: "")
        case ("info", 3): say(try notebook.describe(words[2]))
        case ("export", 4): try notebook.export(words[2], to: words[3])
        case ("listen", 2): try notebook.listen { say($0) }
        case ("answer", 2): try notebook.answerSwitches { say($0) }
        default: throw Usage()
        }
    }

    /// At once, also into a pipe.
    private static func say(_ text: String, terminator: String = "\n") {
        print(text, terminator: terminator)
        fflush(nil)
    }
}

struct Usage: Error, CustomStringConvertible {
    let description =
        "ACCOUNT sign-in PASSFILE | add TITLE TEXT | show TITLE | info TITLE"
        + " | export TITLE PATH | listen | answer"
}

/// Policy said no, and why.
struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ reason: String) { description = reason }
}

// Files, as any program reads and writes them.

func descriptor(_ number: Int32, _ path: String) throws -> Int32 {
    guard number >= 0 else { throw Failure(path) }
    return number
}

func write(_ text: String, to path: String, _ flags: Int32) throws {
    let file = try descriptor(open(path, O_WRONLY | O_CLOEXEC | flags, 0o600), path)
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { throw Failure(path) }
        rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0 else { throw Failure(path) }
}

func read(_ path: String) throws -> String {
    let file = try descriptor(open(path, O_RDONLY | O_CLOEXEC), path)
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = Glibc.read(file, &buffer, buffer.count)
        guard count >= 0 else { throw Failure(path) }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer.prefix(count)
    }
}

/// A system call failed. A locked account's files answer `Required key not available`.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ path: String) { description = "\(path): \(String(cString: strerror(errno)))" }
}
