// Documents of `signed/` that were replaced, as `roots/` has all roots.

package import MAMFleet
package import MAMModel

extension SignedPolicy {
    /// What the machines outside its ring have; nil: all have the same.
    package var beforeItsRing: SignedPolicy? {
        guard isValid, ring != nil, let replaced else { return nil }
        return SignedPolicy(
            file: file, slot: slot, serial: serial, issued: issued, expires: expires,
            content: replaced, isValid: true)
    }
}

extension OrganizationDirectory {
    /// `former/SERIAL/NAME`, where `signed/NAME` had that serial.
    private static let former = "former"

    /// Writes a document, `signed/NAME`, and keeps the one that it replaces.
    package func replace(signed name: String, with bytes: [UInt8]) throws(Failure) {
        try keep(signed: name, before: bytes)
        try write(name, bytes)
    }

    /// Keeps a document, `signed/NAME`, that `bytes` will replace.
    package func keep(signed name: String, before bytes: [UInt8]) throws(Failure) {
        guard try has(name) else { return }
        let known = try read(name, atMost: Envelope.maximumByteCount)
        if known != bytes, let statement = try? Envelope(parsing: known).statement() {
            try write(formerFile(statement.serial, of: name), known)
        }
    }

    /// What was replaced in a slot and had one of these serials, the newest first.
    func formerEnvelopes(_ slot: Slot, _ serials: Range<Int64>) throws(Failure) -> [Envelope] {
        var found: [Envelope] = []
        for serial in try entries(of: Self.former).compactMap({ Int64($0) }).sorted(by: >)
        where serials.contains(serial) {
            for name in try files(below: "\(Self.former)/\(serial)") {
                let envelope = try envelope(name)
                let statement = try? envelope.statement()
                let other = statement.map { Slot(envelope.kind, $0.audience, $0.name) }
                if other == slot { found.append(envelope) }
            }
        }
        return found
    }

    /// What was replaced, and had that serial; nothing of what cannot be read.
    func formerStatements(serial: Int64) -> [(slot: Slot, statement: Statement)] {
        let names = (try? files(below: "\(Self.former)/\(serial)")) ?? []
        return names.compactMap { name in
            guard let envelope = try? envelope(name), let statement = try? envelope.statement()
            else { return nil }
            return (Slot(envelope.kind, statement.audience, statement.name), statement)
        }
    }

    /// Where the document `name`, `signed/NAME`, stands that had this serial, once it is replaced.
    func formerFile(_ serial: Int64, of name: String) -> String {
        "\(Self.former)/\(serial)/\(name.dropFirst(Self.signed.count + 1))"
    }

    /// The policies that were replaced, the newest first, each with its successor's file.
    package func formerPolicies(
        by root: Root, of organization: Bytes16
    ) throws(Failure) -> [SignedPolicy] {
        try policies(below: Self.former, by: root, of: organization).map { policy in
            let name = policy.file.split(separator: "/").dropFirst(2).joined(separator: "/")
            return SignedPolicy(
                file: "\(Self.signed)/\(name)", slot: policy.slot, serial: policy.serial,
                issued: policy.issued, expires: policy.expires, content: policy.content,
                isValid: policy.isValid, ring: policy.ring, replaced: policy.replaced)
        }.sorted { $0.serial > $1.serial }
    }
}
