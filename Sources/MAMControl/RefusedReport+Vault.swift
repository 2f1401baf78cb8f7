// A refused document as the vault knows it, in its wire form.

internal import MAMVault
internal import MAMWire

extension RefusedReport {
    init(_ document: RefusedDocument) {
        self.init(
            file: document.file, reason: document.reason, since: Int(document.since),
            inForce: document.lastGood?.documents,
            inForceSince: document.lastGood.map { Int($0.time) })
    }
}
