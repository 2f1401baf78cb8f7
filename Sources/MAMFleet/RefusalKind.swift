// What a refusal says about whoever sent the document.

extension Refusal {
    /// For counts, and for who carries documents.
    package enum Kind: String, Sendable, CaseIterable {
        /// It was signed once, and a newer one or its order is done: who was away sends it, and who
        /// replays.
        case older
        /// It was changed, or not enough keys have signed it, or one that was stolen.
        case unsigned
        case otherOrganization
        /// Another one of the same serial was signed.
        case twoOfOneSerial
        case malformed
        /// It does not count here, or now.
        case other

        /// Whether nobody sends it by mistake: a key was stolen, or a document made up.
        package var isSuspect: Bool {
            switch self {
            case .unsigned, .otherOrganization, .twoOfOneSerial: true
            case .older, .malformed, .other: false
            }
        }
    }

    package var kind: Kind {
        switch self {
        case .older, .obeyed: .older
        case .notSigned, .outOfScope, .recoveryKeyNotOrdered, .contentChanged, .otherNonce:
            .unsigned
        case .otherOrganization: .otherOrganization
        case .twoOfOneSerial: .twoOfOneSerial
        case .malformed: .malformed
        default: .other
        }
    }
}
