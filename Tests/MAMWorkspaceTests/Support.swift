import Glibc
import MAMIdentity
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import WorkspaceSupport

@testable import MAMWorkspace

/// A call on behalf of an identity.
func giver(_ identity: Identity) -> Giver {
    Giver(
        FoundIdentity(identity: identity, source: .process(1), giver: 0),
        operation: "Protection.Protect", process: 1, user: 0)
}

extension TestWorkspace {
    /// Gives a file to another owner, as `mamctl protect` and `decrypt` do.
    func give(_ name: String, to owner: String, for caller: String = "ann@contoso.com") throws {
        let (owner, caller) = (try identity(owner), try identity(caller))
        try withEntry(name) { found in
            try Owners(tree).give(
                found.entry.inode, at: { () throws(VaultError) in EntryLocation(found) }, to: owner,
                by: giver(caller))
        }
    }

    /// What a check finds, in the order of the paths.
    func verify(repair: Bool = false) throws -> [Finding] {
        let listener = FindingList()
        _ = try Verify(tree).verify(nil, repair: repair, listener)
        return listener.findings.sorted { $0.path.shown < $1.path.shown }
    }

    /// Names below the work directory.
    var leftovers: [String] {
        get throws { try entries(of: ByteString(places.work)).map(\.shown) }
    }

    /// Goes through all files, or through those of none, for classes that policy wants.
    func updateClasses(ofAll: Bool = true, goesOn: Bool = true) -> Bool {
        ClassUpdates(tree).updateClasses(of: { _ in ofAll }, while: { goesOn })
    }

    func forget(_ entry: Entry) { tree.leave(entry.inode.node) }
}

/// Keeps what is found, and wants all.
final class FindingList: VerifyListener {
    private(set) var findings: [Finding] = []

    func found(_ finding: Finding) -> Bool {
        findings.append(finding)
        return true
    }

    func progressed(_ counts: VerifyCounts) -> Bool { true }
}

/// What a program is told; nil if all is well.
func refusal(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch let error as Errno {
        return error
    } catch let error as VaultError {
        return error.errno
    } catch { return .ioError }
}
