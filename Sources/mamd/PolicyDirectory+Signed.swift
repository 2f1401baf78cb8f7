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
    func readSigned(_ standing: MachineStanding) -> PolicyReading {
        var reading = PolicyReading()
        do throws(Errno) {
            let directory = try openFile(path, O_RDONLY | O_DIRECTORY)
            for name in try signedFirst(in: directory) { take(name, in: directory, &reading) }
        } catch { if error != .noEntry { reading.failure = error.description } }
        // Left meanwhile, the next reading is of unsigned documents.
        let standing = fleet.standing ?? standing
        reading.documents = policies(of: standing)
        reading.signed = SignedReading(
            groups: standing.membership.members,
            staleness: standing.staleness(at: Clock().now.wallSeconds)?.description)
        return reading
    }

    private func signedFirst(in directory: Descriptor) throws(Errno) -> [ByteString] {
        try withExtendedLifetime(directory) { () throws(Errno) in
            try entries(of: directory.raw)
        }.filter { $0.bytes.suffix(5) == Array(".json".utf8)[...] && $0.bytes.first != 0x2E }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private func take(
        _ name: ByteString, in directory: Descriptor, _ reading: inout PolicyReading
    ) {
        do throws(FleetError) {
            let bytes: [UInt8]
            do throws(Errno) {
                bytes = try readSmallFile(
                    at: directory.raw, name.cString, maximumByteCount: Envelope.maximumByteCount)
            } catch { throw .notStored(error) }
            guard let json = try? JSONValue(parsing: bytes), Envelope.isEnvelope(json) else {
                throw .refused(.malformed("it is not signed"))
            }
            _ = try fleet.accept(bytes, at: Clock().now.wallSeconds)
        } catch {
            if error.isOfThePast { return }
            reading.refused.append(
                RefusedDocument(
                    file: name.shown, reason: error.description, isObeyed: false,
                    since: Clock().now.wallSeconds, lastGood: nil))
        }
    }

    /// With what holds until a policy arrives, or if a root takes the last one away: the account is
    /// closed then, and its files must not get a weaker class meanwhile.
    private func policies(of standing: MachineStanding) -> [PolicyDocument] {
        var placeholder = PolicyDocument()
        placeholder.displayName = "no policy that \(standing.root.name) has signed"
        placeholder.isPlaceholder = true
        placeholder.isSigned = true
        placeholder.rules.appDataEncryptionType = .whenDeviceLocked
        placeholder.rules.allowedOutboundDataTransferDestinations = .noApps
        placeholder.rules.saveAsBlocked = true
        return [placeholder] + signed(standing)
    }

    private func signed(_ standing: MachineStanding) -> [PolicyDocument] {
        standing.policies.flatMap { signed in
            let documents = try? PolicyDocument.decode(
                signed.content, file: signed.slot.description)
            return (documents ?? []).map { document in
                var document = document
                document.isSigned = true
                return document
            }
        }
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
