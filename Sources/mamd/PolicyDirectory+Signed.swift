// Reads the policy directory of a workspace that has joined an organisation: an inbox of signed
// documents.

import Glibc
import MAMFleet
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMVault

extension PolicyDirectory {
    /// Accepts what is new, and returns the policies that are in force, which are those of the
    /// standing: removing a file from the directory changes nothing.
    ///
    /// `former`: what was in force before the workspace joined, and is again once it has left.
    func readSigned(_ standing: MachineStanding, former: PolicyCopies) -> PolicyReading {
        var reading = PolicyReading()
        do throws(Errno) {
            let directory = try openFile(path, O_RDONLY | O_DIRECTORY)
            let names = try signedFirst(in: directory).filter {
                !isUnchanged($0, in: directory, since: former)
            }
            var root: Int64?
            // A new root may have the keys of what was refused before it.
            repeat {
                root = fleet.standing?.rootDocument.statement.serial
                reading.refused = []
                for name in names { take(name, in: directory, &reading) }
            } while fleet.standing?.rootDocument.statement.serial != root
        } catch { if error != .noEntry { reading.failure = error.description } }
        // Left meanwhile, the next reading is of unsigned documents.
        let standing = fleet.standing ?? standing
        let unreadable = addPolicies(of: standing, to: &reading)
        reading.signed = SignedReading(
            groups: standing.membership.members,
            wipedGroups: standing.orderedMembership.members,
            staleness: unreadable
                ?? standing.staleness(at: Clock().now.wallSeconds)?.description)
        return reading
    }

    private func signedFirst(in directory: Descriptor) throws(Errno) -> [ByteString] {
        try withExtendedLifetime(directory) { () throws(Errno) in
            try entries(of: directory.raw)
        }.filter { isDocumentName($0.bytes) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Nobody expects of such a file that it counts, so it is no refusal.
    private func isUnchanged(
        _ name: ByteString, in directory: Descriptor, since former: PolicyCopies
    ) -> Bool {
        guard let copy = name.text.flatMap({ former.documents[$0] }) else { return false }
        return (try? content(of: name, in: directory)) == copy.bytes
    }

    private func take(
        _ name: ByteString, in directory: Descriptor, _ reading: inout PolicyReading
    ) {
        var reasons: [String] = []
        do throws(FleetError) {
            let documents = try documents(of: name, in: directory)
            for (index, document) in documents.enumerated() {
                do throws(FleetError) { try take(document) } catch {
                    if error.isOfThePast { continue }
                    let which =
                        documents.count > 1
                        ? "its document \(index + 1) of \(documents.count): " : ""
                    reasons.append("\(which)\(error)")
                }
            }
        } catch { reasons.append(error.description) }
        if reasons.count > Self.toldCount {
            let count = reasons.count - Self.toldCount
            let more = "\(count) more of its documents \(count == 1 ? "is" : "are") refused"
            reasons = reasons.prefix(Self.toldCount) + [more]
        }
        for reason in reasons {
            reading.refused.append(
                RefusedDocument(
                    file: name.shown, reason: reason, isObeyed: false,
                    since: Clock().now.wallSeconds, lastGood: nil))
        }
    }

    /// Of the refused documents of one bundle.
    private static let toldCount = 20

    private func documents(
        of name: ByteString, in directory: Descriptor
    ) throws(FleetError) -> [[UInt8]] {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try readSmallFile(
                at: directory.raw, name.cString, maximumByteCount: Bundle.maximumByteCount)
        } catch { throw .notStored(error) }
        do throws(Refusal) { return try Bundle.documents(in: bytes) } catch {
            throw .refused(error)
        }
    }

    private func take(_ bytes: [UInt8]) throws(FleetError) {
        guard let json = try? JSONValue(parsing: bytes), Envelope.isEnvelope(json) else {
            throw .refused(.malformed("it is not signed"))
        }
        _ = try fleet.accept(bytes, at: Clock().now.wallSeconds)
    }

    /// Returns why one of them is not in force, if this version cannot read it. Then what holds
    /// without any covers everybody.
    private func addPolicies(
        of standing: MachineStanding, to reading: inout PolicyReading
    ) -> String? {
        // As strict as the policies can be, where the settings are not known.
        var unreadable = FleetSettings(of: standing).flaw
        for signed in standing.policies {
            let name = signed.slot.description
            do throws(PolicyError) {
                let content = signed.content(on: standing.machine)
                for document in try PolicyDocument.decode(content, file: name) {
                    var document = document
                    document.ringNote = signed.statement.ring?.note(on: standing.machine)
                    document.noteSigned(mayWipe: standing.mayWipe(by: signed))
                    reading.documents.append(document)
                }
            } catch {
                unreadable = "\(name) is not understood: \(error)"
                reading.refused.append(
                    RefusedDocument(
                        file: name, reason: error.description, isObeyed: false,
                        since: signed.statement.issued, lastGood: nil))
            }
        }
        let isComplete = unreadable == nil && standing.droppedDocuments.isEmpty
        reading.documents.append(strictest(of: standing.root.name, isPlaceholder: isComplete))
        return unreadable
    }

    /// Holds until a policy arrives, or while one is missing: the accounts are closed, and files
    /// must not get a weaker class meanwhile.
    private func strictest(of organization: String, isPlaceholder: Bool) -> PolicyDocument {
        var document = PolicyDocument()
        document.displayName = "no policy that \(organization) has signed"
        document.isPlaceholder = isPlaceholder
        document.noteSigned(mayWipe: false)
        document.rules.appDataEncryptionType = .whenDeviceLocked
        document.rules.allowedOutboundDataTransferDestinations = .noApps
        document.rules.saveAsBlocked = true
        document.rules.printBlocked = true
        return document
    }
}

extension FleetError {
    /// A document that has done what it was for, and may lie in the directory for ever.
    fileprivate var isOfThePast: Bool {
        switch self {
        case .refused(.obeyed), .refused(.older): true
        default: false
        }
    }
}

extension Ring {
    /// Which of both policies is in force, behind the policy's name.
    fileprivate func note(on machine: MachineID) -> String {
        includes(machine) ? "new, for \(share) %" : "former; \(share) % have another"
    }
}
