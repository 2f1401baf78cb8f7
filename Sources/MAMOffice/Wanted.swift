// What the machines should have: what was signed, and what the time says that there is.

package import MAMFleet
package import MAMModel

/// The highest serial of each slot, by audience, and which machines are in which group.
package struct Wanted: Sendable {
    /// Slots are text here, as in a status: ten thousand of those are compared.
    package struct Head: Sendable, Equatable {
        package let serial: Int64
        /// When it was signed, or went out as a step of a push: a machine that has reported before
        /// cannot have it yet.
        package let issued: Int64
    }

    private(set) var all: [String: Head] = [:]
    private(set) var ofGroups: [String: [String: Head]] = [:]
    private(set) var ofMachines: [MachineID: [String: Head]] = [:]
    private var groupsOfAll: Set<String> = []
    private var groupsOfMachines: [MachineID: Set<String>] = [:]
    private var membersForAll: [String: [String]] = [:]
    private var membershipsForAll: [Slot: Membership] = [:]
    /// Of the machines that have a membership of their own with members.
    private(set) var membersForMachines: [MachineID: [String: [String]]] = [:]
    package let rootSerial: Int64
    /// When documents expire, in seconds since 1970, by slot; of those for single machines, which
    /// are many, the first end of each kind.
    package private(set) var ends: [String: Int64] = [:]
    /// What is wrong with the organisation's own documents.
    package private(set) var flaws: [Flaw] = []
    /// The policies that order keys have not signed, in the order of their slots: none of them
    /// wipes.
    package private(set) var unordered: [SignedDocument] = []
    /// The policies that are not sent before order keys have signed them.
    private var heldBack: Set<Slot> = []
    /// What asks something of settings.
    private var settings: [SignedDocument] = []

    package enum Flaw: Sendable, Equatable {
        /// A machine would refuse it, or it is no document.
        case unusable(UnusableFile)
        case noTime
        case oldTime(Int64)
        /// Check-ins fail until it is signed again.
        case expired(slot: String, Int64)
        case expiresSoon(slot: String, Int64)
        /// It names a recovery key or takes one away, and too few order keys have signed it.
        /// Machines that have it keep it; where nothing was sent none has.
        case lacksOrderKeys(slot: String, isSent: Bool)
        /// By a clock that was ahead: machines that lack it cannot be told from those that report
        /// before then.
        case signedLater(slot: String, Int64)
        /// Machines have a newer one than the time, which can be held back.
        case timeLacks(slot: String)
        /// The time names one that is not here.
        case missing(slot: String, serial: Int64)
        /// Machines connect to the server until then; to no server if it is the authority's.
        case certificateEnds(EngineCertificate)
        case certificateEnded(EngineCertificate)
    }

    /// What is left of a document when it is due to be signed again.
    private static let soonSeconds: Int64 = 7 * secondsPerDay

    /// The documents for a machine, by slot: for all, for the machine, and for each of its groups.
    func documents(for machine: MachineID) -> [[String: Head]] {
        [all, ofMachines[machine] ?? [:]] + groups(of: machine).compactMap { ofGroups[$0] }
    }

    package func groups(of machine: MachineID) -> Set<String> {
        groupsOfAll.union(groupsOfMachines[machine] ?? [])
    }

    /// What is asked of the machine's settings.
    func settingsAsked(of machine: MachineID) -> [SignedDocument] {
        let groups = groups(of: machine)
        return settings.filter { $0.statement.audience.includes(machine, in: groups) }
    }

    /// The accounts in each group, as the machine has them once these memberships for all are
    /// signed, too.
    func members(
        for machine: MachineID, with new: [Slot: Membership] = [:]
    ) -> [String: [String]] {
        var members = membersForAll
        if !new.isEmpty {
            members = membershipsForAll.merging(new) { $1 }.values.reduce(into: [:]) {
                $0.merge($1.members) { $0 + $1 }
            }
        }
        guard let own = membersForMachines[machine] else { return members }
        return members.merging(own) { $0 + $1 }
    }

    /// `root`: the root whose keys count, of serial `serial`.
    package init(
        _ directory: OrganizationDirectory, root: Root, of organization: Bytes16, serial: Int64,
        at now: Int64
    ) {
        rootSerial = serial
        var newest: [Slot: SignedDocument] = [:]
        var listing = Listing(directory, OrganizationDirectory.signed)
        let documents = listing.contents { Self.document(directory, $0, root, organization) }
        for document in documents where DocumentKind.lasting.contains(document.kind) {
            if document.statement.serial >= newest[document.slot]?.statement.serial ?? 0 {
                newest[document.slot] = document
            }
        }
        flaws = listing.unusable.map { .unusable($0) }
        let time = Self.document(directory, OrganizationDirectory.time, root, organization)
        let orderKeys = try? directory.orderKeys(by: root)
        judgeOrderKeys(&newest, orderKeys ?? OrderKeys(by: root, since: nil, in: directory))
        let steps = PublishedSteps(directory, at: now)
        for document in newest.values {
            take(document, sent: steps.time(of: document), at: now)
        }
        unordered = newest.values.filter { $0.kind == .policy && !$0.isOrdered }
            .sorted { $0.slot.description < $1.slot.description }
        take(time, newest, at: now)
        flaws.sort { "\($0)" < "\($1)" }
    }

    private static func document(
        _ directory: OrganizationDirectory, _ name: String, _ root: Root, _ organization: Bytes16
    ) -> Result<SignedDocument, UnusableFile>? {
        directory.reading(name, atMost: Envelope.maximumByteCount) { bytes throws(Refusal) in
            let envelope = try Envelope(parsing: bytes)
            // Roots have keys of their own, and machines take them one after the other.
            if envelope.kind == .root { return try SignedDocument(root: envelope) }
            let document = try SignedDocument(envelope, by: root, of: organization)
            try document.checkContent()
            return document
        }
    }

    /// What is held back no machine should have: the version in force counts, and its end.
    private mutating func judgeOrderKeys(
        _ newest: inout [Slot: SignedDocument], _ orderKeys: OrderKeys
    ) {
        for (slot, document) in newest where slot.kind == .policy {
            do throws(OrganizationDirectory.Failure) {
                switch try orderKeys.verdict(on: document) {
                case .enough: break
                case .inForce: flaws.append(.lacksOrderKeys(slot: "\(slot)", isSent: true))
                case .heldBack:
                    flaws.append(.lacksOrderKeys(slot: "\(slot)", isSent: false))
                    heldBack.insert(slot)
                    newest[slot] = try orderKeys.versionInForce(before: document)
                }
            } catch {
                // What it replaces cannot be read.
                flaws.append(
                    .unusable(
                        UnusableFile(name: error.path.shown, reason: error.reason.clause)))
            }
        }
    }

    private mutating func take(_ document: SignedDocument, sent: Int64, at now: Int64) {
        let slot = "\(document.slot)"
        add(slot, document.statement.audience, Head(document.statement.serial, sent))
        note(document)
        if document.kind == .settings, !document.content.isEmpty {
            settings.append(document)
        }
        if document.statement.issued > now + Judge.toleratedSeconds {
            flaws.append(.signedLater(slot: slot, document.statement.issued))
        }
        if let expires = document.statement.expires {
            // Machines go on by it nevertheless.
            if expires <= now {
                flaws.append(.expired(slot: slot, expires))
            } else if expires <= now + Self.soonSeconds {
                flaws.append(.expiresSoon(slot: slot, expires))
            }
        }
        guard document.kind == .membership,
            let membership = try? Membership(parsing: document.content)
        else { return }
        switch document.statement.audience {
        case .all:
            groupsOfAll.formUnion(membership.groups)
            membersForAll.merge(membership.members) { $0 + $1 }
            membershipsForAll[document.slot] = membership
        case .machine(let id):
            groupsOfMachines[id, default: []].formUnion(membership.groups)
            guard !membership.members.isEmpty else { break }
            membersForMachines[id, default: [:]].merge(membership.members) { $0 + $1 }
        case .group: break
        }
    }

    private mutating func note(_ document: SignedDocument) {
        guard let expires = document.statement.expires else { return }
        var slot = "\(document.slot)"
        if case .machine = document.statement.audience { slot = "\(document.kind)/machine" }
        ends[slot] = min(ends[slot] ?? .max, expires)
    }

    private mutating func add(_ slot: String, _ audience: Audience, _ head: Head) {
        switch audience {
        case .all: all[slot] = head
        case .group(let name): ofGroups[name, default: [:]][slot] = head
        case .machine(let id): ofMachines[id, default: [:]][slot] = head
        }
    }

    private mutating func take(
        _ result: Result<SignedDocument, UnusableFile>?, _ newest: [Slot: SignedDocument],
        at now: Int64
    ) {
        if case .failure(let file) = result { flaws.append(.unusable(file)) }
        guard case .success(let document) = result, document.kind == .time,
            let heads = (try? SignedTime(parsing: document.content))?.heads
        else {
            flaws.append(.noTime)
            return
        }
        note(document)
        if now - document.statement.issued > secondsPerDay {
            flaws.append(.oldTime(document.statement.issued))
        }
        for (slot, serial) in heads where DocumentKind.lasting.contains(slot.kind) {
            let known = newest[slot]?.statement.serial ?? 0
            guard serial > known else { continue }
            // The version before one that is held back has left its place.
            if !heldBack.contains(slot) {
                flaws.append(.missing(slot: "\(slot)", serial: serial))
            }
            add("\(slot)", slot.audience, Head(serial, document.statement.issued))
        }
        for (slot, document) in newest where document.statement.serial > heads[slot] ?? 0 {
            // Memberships of machines are too many to be listed.
            if case .machine = slot.audience { continue }
            flaws.append(.timeLacks(slot: "\(slot)"))
        }
    }
}

extension Wanted.Head {
    fileprivate init(_ serial: Int64, _ issued: Int64) {
        (self.serial, self.issued) = (serial, issued)
    }
}
