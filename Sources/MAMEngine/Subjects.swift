// The subjects and streams of the engine, and which of them each client may use.

package import MAMFleet
package import MAMModel

/// The streams: docs/adr/0057.
package enum Stream: String, Sendable, CaseIterable {
    case docs = "DOCS"
    case status = "STATUS"
    case records = "REC"
    case audit = "AUDIT"
    case enrolment = "ENROL"
    case invited = "INVITED"
}

package enum Subject {
    package static let roots = "docs.roots"
    package static let all = "docs.all"
    package static let time = "docs.time"
    /// The next authority of the servers' certificates. Machines may read what is for groups, and
    /// no group's name begins so.
    package static let authority = "docs.g.=authority"

    /// `.` parts a subject, and no group's name has `=`.
    package static func group(_ name: String) -> String {
        "docs.g.\(String(name.map { $0 == "." ? "=" : $0 }))"
    }

    package static func machine(_ machine: MachineID) -> String { "docs.m.\(machine)" }
    package static func status(_ machine: MachineID) -> String { "status.\(machine)" }
    package static func audit(_ machine: MachineID) -> String { "audit.\(machine)" }
    package static func enrolment(_ invitation: Bytes16) -> String { "enrol.\(invitation)" }
    package static func invited(_ invitation: Bytes16) -> String { "invited.\(invitation)" }

    package static func records(_ machine: MachineID, account: String) -> String {
        "rec.\(machine).\(account)"
    }

    /// Where answers to a client go, below which it makes up names of its own.
    package static func inbox(_ client: Bytes16) -> String { "_INBOX.\(client)" }

    /// Asks for the last message of a subject.
    package static func last(_ subject: String, in stream: Stream) -> String {
        "$JS.API.DIRECT.GET.\(stream.rawValue).\(subject)"
    }
}

extension Permissions {
    private static let shared = [Subject.roots, Subject.all, Subject.time]
    private static let groups = "docs.g.*"

    /// What a machine may use. Policies of groups are no secret between an organisation's machines.
    package static func machine(_ id: MachineID) -> Permissions {
        let documents = shared + [groups, Subject.machine(id)]
        return Permissions(
            publish: [
                Subject.status(id), Subject.records(id, account: "*"), Subject.audit(id),
            ] + documents.map { Subject.last($0, in: .docs) },
            subscribe: documents + ["\(Subject.inbox(id)).>"], subscriptionCount: 256)
    }

    /// An invitation's holder may ask once, and read the answer.
    package static func invitation(_ id: Bytes16) -> Permissions {
        Permissions(
            publish: [Subject.enrolment(id)] + shared.map { Subject.last($0, in: .docs) }
                + [Subject.last(Subject.invited(id), in: .invited)],
            subscribe: [Subject.invited(id), "\(Subject.inbox(id)).>"], subscriptionCount: 16)
    }
}
