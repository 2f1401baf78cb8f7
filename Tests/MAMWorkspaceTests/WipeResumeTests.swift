import Glibc
import MAMEnrollment
import MAMKeyring
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

extension TestWorkspace {
    fileprivate func wipe(
        progressed: (WipeProgress) -> Void = { _ in }
    ) throws -> WipeOutcome {
        try Wipe(tree).wipe(ann, because: WipeReason(.command, "a test"), progressed: progressed)
    }

    /// As the daemon does once it serves.
    fileprivate func resumeWipes() { Wipe(tree).resumeWipes() }
}

/// Wipes that are cut off, and carried to their end by the next daemon.
@Suite struct WipeResumeTests {
    private static let anns = ["one", "below/two", ".mamd/kept"]

    private func makeWorkspace() throws -> TestWorkspace {
        let it = try TestWorkspace { $0.keepsState = true }
        try it.places.makeDirectory("below")
        for name in Self.anns { try it.makeFile(name, pattern(5000)) }
        try it.makeFile("bobs", of: "bob@contoso.com", pattern(7))
        try it.places.put(pattern(9), at: "below/foreign")
        return it
    }

    private func restart(_ it: TestWorkspace) throws -> TestWorkspace {
        try TestWorkspace(in: it.places) { $0.keepsState = true }
    }

    /// Whether an account is as it was. A name that is free is registered anew in each workspace.
    private func isHere(_ account: AccountID, in it: TestWorkspace) -> Bool {
        it.vault.account(named: "ann@contoso.com") == account
    }

    /// Nothing of an account is left, in the tree or among the records, and all of Bob's.
    private func expectEnd(of account: AccountID, in it: TestWorkspace) throws {
        #expect(!it.vault.isWiping && !isHere(account, in: it))
        #expect(Self.anns.allSatisfy { !it.places.exists($0) })
        #expect(try it.content("bobs") == pattern(7))
        #expect(try it.content("below/foreign") == pattern(9))
        #expect(try records(of: account, in: it).isEmpty)
    }

    /// Files of the state directory that have an account's id in their names.
    private func records(of account: AccountID, in it: TestWorkspace) throws -> [String] {
        var found: [String] = []
        for directory in try entries(of: ByteString(it.places.state)) {
            let path = ByteString(it.places.state).appending(directory)
            for name in (try? entries(of: path)) ?? []
            where name.shown.contains(account.bytes.description) {
                found.append("\(directory.shown)/\(name.shown)")
            }
        }
        return found
    }

    @Test func `cut off at any call, it is not begun, or the next daemon ends it`() throws {
        var ends: Set<String> = []
        for step in 1...200 {
            let it = try makeWorkspace()
            Faults.arm(.any, nth: step, error: .ioError)
            let outcome = try? it.wipe()
            let hasFailed = Faults.disarm()
            let again = try restart(it)
            if isHere(it.ann, in: again) {
                ends.insert("not begun")
                #expect(outcome == nil)
                #expect(try again.content("one") == pattern(5000))
                continue
            }
            ends.insert(again.vault.isWiping ? "begun" : "ended")
            for name in Self.anns where again.places.exists(name) {
                #expect(throws: Errno.self) { try again.content(name) }
            }
            again.resumeWipes()
            try expectEnd(of: it.ann, in: again)
            if !hasFailed {
                #expect(outcome?.isComplete == true)
                break
            }
        }
        #expect(ends == ["not begun", "begun", "ended"])
    }

    @Test func `from the decision on no key is usable, whatever is left of the account`() throws {
        let it = try makeWorkspace()
        _ = try it.vault.keyring.wipes.decide(of: it.ann)
        let again = try restart(it)
        #expect(again.vault.isWiping && !isHere(it.ann, in: again))
        #expect(refusal { _ = try again.content("one") } == .keyRevoked)
        #expect(throws: (any Error).self) {
            try Unlock(again.tree).unlock(again.ann, passphrase: secret(TestWorkspace.passphrase))
        }
        again.resumeWipes()
        try expectEnd(of: it.ann, in: again)
    }

    @Test func `files that are moved about while it goes through the tree are found`() throws {
        let it = try makeWorkspace()
        let names = Names(it.tree)
        var count = 0
        let outcome = try it.wipe { _ in
            count += 1
            guard count < 12 else { return }
            let (from, to) = count % 2 == 1 ? ("below", "0moved") : ("0moved", "below")
            try? names.rename(
                from, in: InodeTable.rootNode, to: to, in: InodeTable.rootNode, flags: 0,
                for: it.caller)
        }
        #expect(outcome.isComplete)
        if it.places.exists("0moved") {
            rename(it.places.path("0moved"), it.places.path("below"))
        }
        try expectEnd(of: it.ann, in: it)
    }

    @Test func `an open file of a wiped account is not read, and gets no name`() throws {
        let it = try makeWorkspace()
        try it.withHandle("one") { one in
            let outcome = try it.wipe()
            #expect(outcome.isComplete)
            #expect(refusal { _ = try it.content(of: one) } == .keyRevoked)
            #expect(refusal { try it.write([1], to: one) } == .keyRevoked)
            #expect(throws: Errno.keyRevoked) {
                try Names(it.tree).link(
                    one.inode.node, as: "back", in: InodeTable.rootNode, for: it.caller)
            }
        }
        try expectEnd(of: it.ann, in: it)
    }

    @Test func `a check tells of a wipe that was cut off, and its repair ends it`() throws {
        let it = try makeWorkspace()
        _ = try it.vault.keyring.wipes.decide(of: it.ann)
        let again = try restart(it)
        #expect(try again.verify().map(\.problem).contains(.wipe))
        #expect(again.vault.isWiping)
        let outcomes = try again.verify(repair: true).filter { $0.problem == .wipe }.map(\.outcome)
        #expect(outcomes == [.repaired("carried to its end")])
        try expectEnd(of: it.ann, in: again)
    }
}
