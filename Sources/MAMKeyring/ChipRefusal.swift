// Why this machine's chip did not open a slot, or seal one.

internal import CChip
internal import MAMModel

enum ChipRefusal: Error, Equatable {
    case wrongPIN
    /// `seconds`: until the chip takes one more PIN, at most.
    case lockedOut(seconds: UInt32)
    case noLibrary
    case noChip
    case notPermitted
    /// The chip was cleared, or is not the one that sealed it.
    case otherChip
    case damaged
    case pcrsChanged
    /// The bank of SHA-256 lacks some of them.
    case noPCRs
    /// Its owner hierarchy has a password.
    case owned
    case failed(code: UInt32)
    case silent
    case notAsked(Errno)

    /// Nil if the chip did what was asked.
    init?(_ reply: mam_chip_reply) {
        switch mam_chip_end(reply.end) {
        case MAM_CHIP_DONE: return nil
        case MAM_CHIP_WRONG_PIN: self = .wrongPIN
        case MAM_CHIP_LOCKED_OUT: self = .lockedOut(seconds: reply.seconds)
        case MAM_CHIP_NO_LIBRARY: self = .noLibrary
        case MAM_CHIP_NONE: self = .noChip
        case MAM_CHIP_NOT_PERMITTED: self = .notPermitted
        case MAM_CHIP_OTHER: self = .otherChip
        case MAM_CHIP_DAMAGED: self = .damaged
        case MAM_CHIP_PCRS_CHANGED: self = .pcrsChanged
        case MAM_CHIP_NO_PCRS: self = .noPCRs
        case MAM_CHIP_OWNED: self = .owned
        default: self = .failed(code: reply.code)
        }
    }
}

extension ChipRefusal {
    /// `pcrs`: the slot's.
    func error(pcrs: [Int] = []) -> KeyringError {
        switch self {
        case .wrongPIN: .refused("the chip refuses the PIN")
        case .lockedOut(let seconds):
            .refused(
                "the chip takes no PIN after so many wrong ones: one more in at most \(seconds) s"
                    + " (TPM_RC_LOCKOUT)", next: "mamctl unlock, with a passphrase")
        case .noLibrary:
            .refused(
                "the chip's library is missing",
                next: "apt install libtss2-esys-3.0.2-0 libtss2-tctildr0 libtss2-tcti-device0")
        case .noChip:
            .refused("no TPM 2.0 chip answers", next: "mamctl unlock, with a passphrase")
        case .notPermitted:
            .refused(
                "the daemon may not use the chip, which is root's and the group tss's",
                next: "adduser USER tss, and log in again")
        case .otherChip:
            .refused(
                "the chip was cleared, or is not the one that the key slot is of: it got no PIN",
                next: "mamctl unlock with a passphrase, then mamctl slot add --type tpm")
        case .damaged:
            .refused(
                "the chip does not take what it has sealed for the key slot: that was changed",
                next: "mamctl unlock with a passphrase, then mamctl slot add --type tpm")
        case .pcrsChanged:
            .refused(
                "the machine did not start as the key slot wants it:"
                    + " PCR \(pcrs.map(String.init).joined(separator: ", ")) changed, as after a"
                    + " firmware update",
                next: "mamctl unlock with a passphrase, then mamctl slot add --type tpm")
        case .noPCRs:
            .refused(
                "the chip does not keep these PCRs in a bank of SHA-256, so that nothing would be"
                    + " bound to them", next: "tpm2_getcap pcrs")
        case .owned:
            .refused(
                "the chip's owner hierarchy has a password, and it has no storage key at"
                    + " 0x81000001", next: "tpm2_createprimary and tpm2_evictcontrol")
        case .failed(let code):
            .refused(
                "the chip failed, with the code 0x\(String(code, radix: 16))",
                next: "tpm2_rc_decode 0x\(String(code, radix: 16))")
        case .silent: .refused("the chip does not answer", next: "mamctl unlock, with a passphrase")
        case .notAsked(let error): .refused("the chip could not be asked: \(error)")
        }
    }
}
