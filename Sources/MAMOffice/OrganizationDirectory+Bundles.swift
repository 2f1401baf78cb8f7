// Which documents go into which bundle.

package import MAMEngine
package import MAMFleet
package import MAMModel

extension OrganizationDirectory {
    package func envelope(_ name: String) throws(Failure) -> Envelope {
        try read(name, atMost: Envelope.maximumByteCount) { bytes throws(Refusal) in
            try Envelope(parsing: bytes)
        }
    }

    /// The root in force, signed by its own keys.
    package func rootInForce() throws(Failure) -> (document: SignedDocument, root: Root) {
        let envelope = try envelope(Self.root)
        do throws(Refusal) {
            return (try SignedDocument(root: envelope), try Root(parsing: envelope.content))
        } catch { throw failure(Self.root, error) }
    }

    /// All roots, oldest first. Each that is not the first must follow the one before: a machine
    /// that was away takes them one after the other.
    package func allRoots() throws(Failure) -> [Envelope] {
        var bySerial: [Int64: Envelope] = [:]
        for name in try files(below: Self.roots) + [Self.root] {
            let found = try envelope(name)
            do throws(Refusal) {
                let serial = try SignedDocument(root: found).statement.serial
                if let other = bySerial[serial], other.payload != found.payload {
                    throw .twoOfOneSerial(serial)
                }
                bySerial[serial] = found
            } catch { throw failure(name, error) }
        }
        return bySerial.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The newest document of each slot below a directory, with its file. Those that no machine
    /// would accept are refused: each would be sent again and again.
    package func documents(
        below directory: String, _ kinds: Set<DocumentKind>, by root: Root,
        of organization: Bytes16
    ) throws(Failure) -> [Slot: (name: String, document: SignedDocument)] {
        var newest: [Slot: (name: String, document: SignedDocument)] = [:]
        for name in try files(below: directory) {
            let envelope = try envelope(name)
            guard kinds.contains(envelope.kind) else { continue }
            do throws(Refusal) {
                let document = try SignedDocument(envelope, by: root, of: organization)
                try document.checkContent()
                let other = newest[document.slot]?.document
                if let other, other.statement.serial == document.statement.serial,
                    other.envelope.payload != envelope.payload
                {
                    throw .twoOfOneSerial(document.statement.serial)
                }
                if other.map({ $0.statement.serial < document.statement.serial }) ?? true {
                    newest[document.slot] = (name, document)
                }
            } catch { throw failure(name, error) }
        }
        return newest
    }

    /// All bundles. Machines that were revoked get their orders alone. Orders that have expired or
    /// that miss signatures are left out, and so are those of a version that did not make nonces as
    /// machines want them now: of these `tell` is given a sentence each. `holdBack` is given the
    /// documents that order keys have yet to sign, in whose place the version in force is sent.
    package func bundles(
        at now: Int64, tell: (Message) -> Void = { _ in }, holdBack: (Failure) -> Void = { _ in }
    ) throws(Failure) -> [BundlePlace: Bundle] {
        let (document, root) = try rootInForce()
        let organization = document.statement.organization
        var parts: [BundlePlace: [SignedDocument]] = [.all: []]
        let signed = try documents(
            below: Self.signed, DocumentKind.lasting, by: root, of: organization)
        let orderKeys = try orderKeys(by: root)
        for (name, found) in signed.values.sorted(by: { $0.name < $1.name }) {
            var sent: SignedDocument? = found
            if case .heldBack(let refusal) = try orderKeys.verdict(on: found) {
                holdBack(failure(name, refusal))
                sent = try orderKeys.versionInForce(before: found)
            }
            guard let sent, sent == found || sent.statement.expires ?? .max > now else { continue }
            parts[BundlePlace(sent.kind, sent.statement.audience), default: []].append(sent)
        }
        for order in try orders(by: root, of: organization, at: now, tell) {
            parts[BundlePlace(.order, order.statement.audience), default: []].append(order)
        }
        for machine in try registeredMachines() {
            let place = BundlePlace.machine(machine.machine)
            let found = parts[place] ?? []
            let orders = found.filter { $0.kind == .order }
            // Over HTTPS a stolen machine still gets its wipe.
            parts[place] = machine.revoked == nil ? found : orders.isEmpty ? nil : orders
        }
        var bundles = parts.mapValues { found in
            Bundle(
                found.sorted { $0.slot.description < $1.slot.description }.map(\.envelope))
        }
        bundles[.roots] = Bundle(try allRoots())
        if try has(Self.time) { bundles[.time] = Bundle([try envelope(Self.time)]) }
        return bundles
    }

    /// The orders that enough keys have signed, that have not expired, and that neither were
    /// withdrawn nor wait for others. One that lacks a signature is no error.
    private func orders(
        by root: Root, of organization: Bytes16, at now: Int64, _ tell: (Message) -> Void
    ) throws(Failure) -> [SignedDocument] {
        var found: [Slot: SignedDocument] = [:]
        var unsigned: [Envelope] = []
        for name in try files(below: Self.orders) {
            let envelope = try envelope(name)
            guard envelope.kind == .order else { continue }
            do throws(Refusal) {
                let order = try SignedDocument(envelope, by: root, of: organization)
                guard order.statement.expires ?? .max > now else { continue }
                try order.checkContent()
                found[order.slot] = order
            } catch {
                switch error {
                case .notSigned: unsigned.append(envelope)
                case .otherNonce:
                    tell(
                        "\(whole(name).shown) is not sent: \(error). Remove it, and sign it anew:"
                            + " mamctl fleet order.")
                default: throw failure(name, error)
                }
            }
        }
        let withdrawn = Set(found.values.compactMap { try? $0.order().withdrawn?.description })
        let wanted = found.values.filter { !withdrawn.contains($0.statement.name) }
        let unsignedWipes = unsigned.compactMap { $0.wipe(at: now) }
        return wanted.filter { !isHeldBack($0, by: wanted, unsignedWipes, of: organization) }
    }
}
