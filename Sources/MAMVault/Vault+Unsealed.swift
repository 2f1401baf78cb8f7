// Plain files that name an account. Their header has no key in it, so that anybody who can write
// the backing directory can make one, with any content.

internal import MAMAudit
package import MAMFormat
internal import MAMModel
package import MAMSystem

extension Vault {
    /// True for a plain file whose owner's files are sealed here: one from before the account,
    /// or that an earlier build decrypted in place, or a forgery.
    package func isUnsealed(_ header: FileHeader?) -> Bool {
        guard let header, header.sealing == nil else { return false }
        return isManaged(header.owner)
    }

    /// Why such a file is read and not written, and what repairs that.
    package func reasonAgainstWriting(to header: FileHeader) -> String {
        "it is plain although files of \(header.owner) are sealed here, so this daemon did not "
            + "make it for them: it can be read, but not changed; mamctl protect FILE seals it, or "
            + "mamctl decrypt FILE makes it nobody's"
    }

    /// Something in the backing directory that is not known to be the daemon's own: in the log and
    /// the audit, once and then how often it came again.
    package func auditForgery(_ reason: String, of file: UInt64, at path: ByteString?) {
        let key = AuditKey(.damaged, thread: 0, file: file, operation: "open", reason: reason)
        trail.add(key) {
            var record = AuditRecord(.damaged)
            record.operation = "open"
            record.path = path?.shown
            record.reason = reason
            return record
        }
    }
}
