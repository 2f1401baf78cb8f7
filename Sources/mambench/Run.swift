// Measures all parts, then prints, checks or saves the figures.

import Glibc
import MAMCrypto
import MAMModel
import MAMSystem

/// False if a budget is exceeded.
func run(_ options: Options) throws -> Bool {
    if case .help = options.use {
        print(Options.usage)
        return true
    }
    if case .ciphers = options.use {
        for cipher in GCMLibrary.allCases where cipher.isAvailable { print(cipher.rawValue) }
        return true
    }
    if let cipher = options.cipher, !GCMLibrary.force(cipher) {
        throw NoSuchCipher(cipher: cipher)
    }
    let directory = try ScratchDirectory()
    defer { directory.remove() }
    if case .underCallgrind = options.use {
        printCounts(of: try measureAll(Bench(.underCallgrind), options, in: directory))
        return true
    }
    let bench = Bench(.itself, roundCount: options.roundCount)
    var parts = try measureAll(bench, options, in: directory).parts
    // valgrind does not support AVX-512.
    if options.wantsInstructions, GCMLibrary.chosen != .vaes {
        let instructions = try countInstructions(in: directory)
        for index in parts.indices { parts[index][.instructions] = instructions[parts[index].name] }
    }
    return try use(parts, options.use)
}

private func measureAll(
    _ bench: Bench, _ options: Options, in directory: ScratchDirectory
) throws -> Bench {
    try measureCipher(bench)
    try measureKeys(bench)
    try measureHeader(bench)
    try measureFile(bench, in: directory)
    try measureInodes(bench, count: options.inodeCount)
    try measureDecisions(bench, in: directory)
    return bench
}

private func use(_ parts: [PartFigures], _ use: Options.Use) throws -> Bool {
    switch use {
    case .json: print(String(decoding: json(of: parts), as: UTF8.self), terminator: "")
    case .update(let path):
        let budgets = try Budgets(reading: path, for: .chosen, replacedBy: parts)
        let file = try openFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        try budgets.json.withUnsafeBytes { try writeFully(file.raw, from: $0, at: 0) }
    case .check(let path):
        let budgets = try Budgets(reading: path, for: .chosen)
        print(table(of: parts, budgets))
        let excesses = budgets.excesses(of: parts)
        for line in excesses { complain("mambench: \(line)") }
        return excesses.isEmpty
    default: print(table(of: parts, nil))
    }
    return true
}

private struct NoSuchCipher: Error, CustomStringConvertible {
    let cipher: GCMLibrary

    var description: String { "this processor cannot have the cipher \(cipher.rawValue)" }
}

func complain(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
