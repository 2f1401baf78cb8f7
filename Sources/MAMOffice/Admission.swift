// Which machines ask to be let in, and whether they may be.

package import MAMEngine
package import MAMFleet
package import MAMModel

/// A machine that asks with a good invitation.
package struct Applicant: Sendable, Equatable {
    package let machine: MachineID
    package let publicKey: [UInt8]
    package let transportKey: NKey
    /// The name that it gives itself.
    package let host: String
    /// What the register calls it: its invitation's note, if no other has it, else ``host``; with
    /// its id, where that is what others are called.
    package let name: String
    /// In seconds since 1970.
    package let asked: Int64
    package let invitation: InvitationRecord
    /// Its entry in the register, if it has joined before with another invitation.
    package let former: RegisteredMachine?

    /// Its former connection, which ends; nil if it has none, or asks for the same again.
    package var endedConnection: NKey? {
        former.flatMap { $0.transportKey == transportKey ? nil : $0.transportKey }
    }
}

/// The register while requests are judged, one after the other.
package struct Admission: Sendable {
    private let organization: Bytes16
    private var invitations: [Bytes16: InvitationRecord]
    private var machines: [MachineID: RegisteredMachine]
    private let answered: Set<Bytes16>

    /// `answered`: the invitations whose requests have been answered.
    package init(
        _ organization: Bytes16, invitations: [InvitationRecord], machines: [RegisteredMachine],
        answered: Set<Bytes16> = []
    ) {
        (self.organization, self.answered) = (organization, answered)
        self.invitations = Dictionary(invitations.map { ($0.id, $0) }) { first, _ in first }
        self.machines = Dictionary(machines.map { ($0.machine, $0) }) { first, _ in first }
    }

    package enum Verdict: Sendable, Equatable {
        case applicant(Applicant)
        /// The machine was admitted before, by this very request.
        case admitted
        case refused(Reason)
    }

    package enum Reason: Sendable, Equatable {
        case report(Refusal)
        /// The request names one invitation, and was sent with another.
        case sentAs(Bytes16, says: String)
        case unknownInvitation
        case expired(Int64)
        case used(by: MachineID, again: MachineID)
        case revoked(MachineID)
        case transportKey
    }

    /// `sentAs`: the invitation that the sender had, according to the servers.
    package mutating func judge(
        _ request: [UInt8], sentAs id: Bytes16, at now: Int64
    ) -> Verdict {
        let report: MachineReport
        do throws(Refusal) {
            report = try MachineReport(
                enrolment: ReportEnvelope(parsing: request), in: organization)
        } catch { return .refused(.report(error)) }
        guard case .enrolment(let asked) = report.content else {
            return .refused(.report(.malformed("it is no enrolment request")))
        }
        guard asked.invitation == id.description else {
            return .refused(.sentAs(id, says: asked.invitation))
        }
        guard let invitation = invitations[id] else { return .refused(.unknownInvitation) }
        let former = machines[report.machine]
        if let other = invitation.machine, other != report.machine {
            return .refused(.used(by: other, again: report.machine))
        }
        if let former, former.revoked != nil { return .refused(.revoked(report.machine)) }
        if let former, former.invitation == id {
            return former.transportKey.description == asked.transportKey
                ? .admitted : .refused(.used(by: report.machine, again: report.machine))
        }
        // By a later invitation it has come back: the former request would undo that.
        if former != nil, answered.contains(id) { return .admitted }
        guard invitation.expires > now else { return .refused(.expired(invitation.expires)) }
        guard let transportKey = NKey(asked.transportKey), transportKey.role == .user,
            !machines.values.contains(where: {
                $0.transportKey == transportKey && $0.machine != report.machine
            })
        else { return .refused(.transportKey) }
        let applicant = Applicant(
            machine: report.machine, publicKey: asked.publicKey, transportKey: transportKey,
            host: asked.host,
            name: note(of: invitation, naming: report.machine)
                ?? name(asked.host, of: report.machine),
            asked: report.issued, invitation: invitation, former: former)
        // Nobody else uses it from now on, nor the machine another one.
        invitations[id]?.machine = report.machine
        machines[report.machine] = RegisteredMachine(
            applicant, named: applicant.name, at: now)
        return .applicant(applicant)
    }

    /// Nil for a note that several have: a name is to find one machine.
    private func note(of invitation: InvitationRecord, naming machine: MachineID) -> String? {
        let note = invitation.note
        let isShared =
            invitations.values.contains {
                $0.note == note && $0.id != invitation.id && $0.machine != machine
            } || machines.values.contains { $0.name == note && $0.machine != machine }
        return note.isEmpty || isShared ? nil : note
    }

    /// A machine chooses its host name, and so must not get one that finds another, nor keep one
    /// from the machine that is invited by it.
    private func name(_ host: String, of machine: MachineID) -> String {
        let isTaken =
            invitations.values.contains { $0.note == host && $0.machine != machine }
            || machines.values.contains { $0.name == host && $0.machine != machine }
        return isTaken && !host.isEmpty ? "\(host) (\(machine.description.prefix(8)))" : host
    }
}

extension RegisteredMachine {
    package init(_ applicant: Applicant, named name: String, at now: Int64) {
        self.init(
            applicant.publicKey, named: name, transportKey: applicant.transportKey,
            invitation: applicant.invitation.id, groups: applicant.invitation.groups,
            admitted: now)
    }
}

extension Admission.Reason: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .report(let refusal): "\(refusal)"
        case .sentAs(let id, let says):
            "it was sent with the invitation \(id), and says \(says): somebody uses a false name"
        case .unknownInvitation: "nobody has made this invitation"
        case .expired(let time): "its invitation expired at \(rfc3339(time))"
        case .used(let machine, let again) where machine == again:
            "its invitation was used by machine \(machine) before, with another transport key"
        case .used(let machine, let again):
            "its invitation was used by machine \(machine) before, and now by \(again): one of them"
                + " may have stolen it"
        case .revoked(let machine):
            "machine \(machine) was revoked; mamctl fleet readmit lets it in again"
        case .transportKey:
            "its transport key is known already, or has a wrong checksum; if it was enrolled"
                + " before, remove transport.nk from mamfleet's state directory there, and"
                + " join with a new code"
        }
    }
}
