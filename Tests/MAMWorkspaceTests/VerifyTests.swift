import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

private let block = Layout.blockByteCount

/// One kind of damage to a file of six blocks, and what is told of it.
private struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let problem: Finding.Problem
    let outcome: Outcome
    /// What the file holds after a repair; nil where it cannot be read to its end.
    let content: [UInt8]?
    let change: @Sendable (inout [UInt8]) -> Void

    enum Outcome { case repaired, incomplete, quarantined }

    init(
        _ name: String, _ problem: Finding.Problem, _ outcome: Outcome, leaves content: [UInt8]?,
        _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) {
        (testDescription, self.problem, self.outcome) = (name, problem, outcome)
        (self.content, self.change) = (content, change)
    }
}

private let whole = pattern(20_000)

/// The plain content of the first blocks.
private func beginning(_ blockCount: Int64) -> [UInt8] {
    Array(whole[..<Int(Layout.plainOffset(ofBlock: blockCount))])
}

private let withoutThird: [UInt8] = {
    let (start, end) = (Layout.plainOffset(ofBlock: 2), Layout.plainOffset(ofBlock: 3))
    let zeros = [UInt8](repeating: 0, count: Int(end - start))
    return whole[..<Int(start)] + zeros + whole[Int(end)...]
}()

private let damages = [
    Damage("a bit of the header", .header, .quarantined, leaves: nil) { $0[100] ^= 1 },
    Damage("a bit of the wrapped key", .header, .quarantined, leaves: nil) { $0[900] ^= 1 },
    Damage("a header of zeros", .header, .quarantined, leaves: nil) {
        for offset in 0..<1024 { $0[offset] = 0 }
    },
    Damage("a bit of block 1", .blocks, .incomplete, leaves: nil) { $0[block + 500] ^= 1 },
    Damage("a bit of the last block", .blocks, .incomplete, leaves: nil) {
        $0[5 * block + 100] ^= 1
    },
    Damage("the last byte is missing", .end, .repaired, leaves: whole) { $0.removeLast() },
    Damage("the last block is missing", .end, .incomplete, leaves: beginning(5)) {
        $0 = Array($0[..<(5 * block + Layout.payloadByteCount)])
    },
    Damage("zeros behind the end", .tail, .repaired, leaves: whole) {
        $0 += [UInt8](repeating: 0, count: 8 * block - $0.count + 77)
    },
    Damage("a block of zeros", .zeros, .incomplete, leaves: withoutThird) {
        for offset in 2 * block..<3 * block { $0[offset] = 0 }
    },
    Damage("a size that no file has", .size, .quarantined, leaves: nil) {
        $0 = Array($0[..<(block + Layout.firstPayloadByteCount + 1)])
    },
]

/// What other programs and disks do to sealed files, and what a repair makes of it
/// (docs/adr/0009-verify.md).
@Suite struct VerifyTests {
    private func damagedFile(_ damage: Damage) throws -> TestWorkspace {
        let it = try TestWorkspace()
        try it.places.makeDirectory("below")
        try it.makeFile("below/file", whole)
        try it.makeFile("good", whole)
        #expect(try it.verify().isEmpty)
        try it.places.change("below/file", damage.change)
        return it
    }

    /// The kernel looks a name up again once: after a second `ESTALE` it is the program's.
    @Test func `a file is not replaced again while an open that was sent back looks for it`() throws
    {
        let it = try TestWorkspace()
        try it.makeFile("file", whole)
        let begin = Deadline.now
        for _ in 0..<2 {
            try it.withEntry("file") { found in
                try it.places.change("file") { $0.removeLast() }
                #expect(try it.verify(repair: true).map(\.problem) == [.end])
                #expect(found.entry.inode.isReplaced)
            }
        }
        #expect(Deadline(asFarAheadAs: begin) > Deadline(milliseconds: 900))
    }

    @Test(arguments: damages)
    fileprivate func `damage is told, and nothing is changed`(damage: Damage) throws {
        let it = try damagedFile(damage)
        let before = try it.places.stored("below/file")
        let findings = try it.verify()
        #expect(findings.map(\.problem) == [damage.problem])
        #expect(findings.first?.path.shown == "below/file")
        #expect(findings.first?.outcome == .left(nil))
        #expect(try it.places.stored("below/file") == before)
        #expect(!it.places.exists(".mamd/quarantine"))
    }

    @Test(arguments: damages)
    fileprivate func `a repair leaves what is good of it`(damage: Damage) throws {
        let it = try damagedFile(damage)
        let before = try it.places.stored("below/file")
        let finding = try #require(try it.verify(repair: true).first)
        switch (damage.outcome, finding.outcome) {
        case (.repaired, .repaired), (.incomplete, .incomplete): break
        case (.quarantined, .quarantined(let place)):
            #expect(try it.places.stored(place.shown) == before)
            #expect(!it.places.exists("below/file"))
        default: Issue.record("\(finding.outcome)")
        }
        let left = damage.problem == .blocks ? [Finding.Problem.lost] : []
        #expect(try it.verify().map(\.problem) == left)
        if let content = damage.content { #expect(try it.content("below/file") == content) }
        #expect(try it.content("good") == whole)
        let again = try TestWorkspace(in: it.places)
        if let content = damage.content { #expect(try again.content("below/file") == content) }
    }

    @Test func `of a file with a lost block all others are read, and what it held is kept`() throws
    {
        let it = try damagedFile(damages[3])
        let damaged = try it.places.stored("below/file")[block..<2 * block]
        _ = try it.verify(repair: true)
        try it.withHandle("below/file", O_RDONLY) { handle in
            #expect(refusal { _ = try it.content(of: handle) } == .badMessage)
            for good in [0, 2, 3, 4, 5] as [Int64] {
                let start = Layout.plainOffset(ofBlock: good)
                var bytes = [UInt8](repeating: 0, count: 700)
                try bytes.withUnsafeMutableBytes { buffer in
                    _ = try Handles(it.tree).read(handle, into: buffer, at: start, for: it.caller)
                }
                #expect(bytes == Array(whole[Int(start)...].prefix(700)))
            }
        }
        let top = it.places.path(".mamd/quarantine")
        let runs = try entries(of: ByteString(top)).map(\.shown).filter { !$0.hasSuffix(".log") }
        let kept = try it.places.stored(".mamd/quarantine/\(runs[0])/below/file")
        #expect(kept[block..<2 * block] == damaged)
    }

    @Test func `under a handle nothing is cut or given up, and behind it everything`() throws {
        let it = try damagedFile(damages[7])
        // It opens as one that a failed call has left behind.
        let bytes = try it.places.stored("below/file")
        let header = try FileHeader.decode(bytes.span.bytes)
        it.tree.vault.openFiles.uncertainEnds.add(header.fileID)
        try it.withHandle("good") { _ in
            try it.withHandle("below/file", O_RDONLY) { _ in
                let finding = try #require(try it.verify(repair: true).first)
                #expect(finding.outcome == .left("it is open; close it and try again"))
            }
        }
        #expect(try it.verify(repair: true).count == 1)
        #expect(try it.verify().isEmpty)
    }
}
