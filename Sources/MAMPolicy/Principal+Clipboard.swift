// Copy and paste. mamd only answers questions: no desktop lets a daemon control a clipboard.

package import MAMModel

/// The programs that may paste copied data.
package enum ClipboardReach: String, Sendable, CaseIterable {
    case everyone, managed, sameAccount
}

extension Principal {
    /// Who may paste this many characters of this account's data. A negative count gets no
    /// exception.
    package func clipboardReach(characters count: Int) -> ClipboardReach {
        if isShortEnough(count) { return .everyone }
        return switch rules.allowedOutboundClipboardSharingLevel ?? .allApps {
        case .allApps: .everyone
        case .managedAppsWithPasteIn, .managedApps: .managed
        case .blocked: .sameAccount
        }
    }

    /// Whether characters of this account may be copied to `target`; nil for a clipboard that every
    /// program can read.
    package func canCopy(characters count: Int, to target: Principal?) -> Decision {
        guard isManaged else { return freedom }
        let target = target ?? .nobody
        if isShortEnough(count) {
            return .yes(
                "\(count) characters are within the exception",
                by: "allowedOutboundClipboardSharingExceptionLength")
        }
        return switch clipboardReach(characters: count) {
        case .everyone: .yes("\(identity) may copy for all programs", by: Self.clipboard)
        case .managed:
            target.isManaged
                ? .yes("\(identity) may copy for managed programs", by: Self.clipboard)
                : .no("\(identity) may copy for managed programs only", by: Self.clipboard)
        case .sameAccount:
            isSameAccount(as: target)
                ? .yes("\(identity) may copy for itself", by: Self.clipboard)
                : .no("\(identity) may not copy for others", by: Self.clipboard)
        }
    }

    /// Whether this account may paste what `source` copied; nil for an unknown source. Both sides'
    /// policies apply.
    package func canPaste(characters count: Int, from source: Principal?) -> Decision {
        let source = source ?? .nobody
        let given = source.canCopy(characters: count, to: self)
        guard given.isAllowed, isManaged else { return given }
        return switch rules.allowedOutboundClipboardSharingLevel ?? .allApps {
        case .allApps, .managedAppsWithPasteIn:
            .yes("\(identity) may paste from all programs", by: Self.clipboard)
        case .managedApps:
            source.isManaged
                ? .yes("\(identity) may paste from managed programs", by: Self.clipboard)
                : .no("\(identity) may paste from managed programs only", by: Self.clipboard)
        case .blocked:
            isSameAccount(as: source)
                ? .yes("\(identity) may paste what it copied", by: Self.clipboard)
                : .no("\(identity) may paste only what it copied", by: Self.clipboard)
        }
    }

    private func isShortEnough(_ count: Int) -> Bool {
        (0...max(0, rules.allowedOutboundClipboardSharingExceptionLength ?? 0)).contains(count)
    }

    private static let clipboard = "allowedOutboundClipboardSharingLevel"
}
