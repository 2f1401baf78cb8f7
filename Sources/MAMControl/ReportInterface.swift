// io.mamd.Report: the data for a report on the workspace.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Implements the interface.
package struct ReportInterface: VaultInterface {
    typealias Wire = Varlink.Report

    let tree: Tree
    let lastVerify: LastVerify
    /// One census per user at a time: several would only slow each other down. A lock per user, as
    /// a user can make its census take arbitrarily long.
    private let locks = LockTable<UInt32>()

    package init(tree: Tree, lastVerify: LastVerify) {
        self.tree = tree
        self.lastVerify = lastVerify
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .census: try census(call)
        case .lastVerify: try lastVerify(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        Wire.Method(rawValue: method) == .census ? .long : .short
    }

    private func lastVerify(_ call: VarlinkCall) throws(VarlinkError) -> Wire.LastVerify.Reply {
        _ = try call.request(Wire.LastVerify.self)
        try requireTrusted(call, toDo: "see what a check has found")
        return .init(verify: lastVerify.report)
    }

    private func census(_ call: VarlinkCall) throws -> [String: JSONValue] {
        _ = try call.request(Wire.Census.self)
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        // A user without an account has no files to count: do not walk the tree for it.
        let isTrusted = isTrusted(call.peer)
        guard isTrusted || !controlled(by: call.peer).isEmpty else {
            throw VarlinkError.refused("no account answers to uid \(call.peer.uid)")
        }
        var failure: (any Error)?
        let counted = try vaulted { () throws(VaultError) in
            try locks.withLock(call.peer.uid) { () throws(VaultError) in
                // The caller may have hung up while it waited for the lock.
                guard call.isConnected else { throw VaultError(.canceled) }
                return try CensusWalk(tree).census { soFar in
                    // Progress counts all users' files: only trusted callers see it.
                    guard isTrusted else { return call.isConnected }
                    do {
                        try call.reply(Wire.Census.Reply(progress: .init(soFar)).withoutNulls)
                    } catch { failure = error }
                    return failure == nil
                }
            }
        }
        if let failure { throw failure }
        return reply(counted, isTrusted ? nil : call.peer).withoutNulls
    }

    /// `peer`: limits the reply to the files of this caller's accounts; nil: all files.
    private func reply(_ census: Census, _ peer: Peer?) -> Wire.Census.Reply {
        var sums = census.sums.map { Wire.Sum($0.key, $0.value) }
        var total = Wire.Totals(census)
        if let peer {
            let own = controlled(by: peer).map(\.identity)
            sums.removeAll { sum in
                !own.contains { $0.name == sum.owner && $0.objectID == sum.ownerObjectID }
            }
            total = Wire.Totals(Census())
            for sum in sums {
                total.files += sum.files
                total.bytes &+= sum.bytes
                total.storedBytes &+= sum.storedBytes
            }
        }
        sums.sort {
            ($0.bytes, $0.owner, $0.state.rawValue) > ($1.bytes, $1.owner, $1.state.rawValue)
        }
        return .init(sums: sums, total: total)
    }
}

extension Varlink.Report.Sum {
    fileprivate init(_ kind: Census.Kind, _ sum: Census.Sum) {
        self.init(
            owner: kind.ownerName, ownerObjectID: kind.ownerObjectID,
            class: kind.fileClass, state: kind.state, files: Int(sum.files),
            bytes: Int(sum.bytes), storedBytes: Int(sum.storedBytes))
    }
}

extension Varlink.Report.Totals {
    fileprivate init(_ census: Census) {
        self.init(
            files: Int(census.total.files), bytes: Int(census.total.bytes),
            storedBytes: Int(census.total.storedBytes), directories: Int(census.directories),
            others: Int(census.others), unreadable: Int(census.unreadable),
            uncounted: Int(census.uncounted))
    }
}
