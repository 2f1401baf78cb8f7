// The owner of a file: an account of an organisation, a person, or nobody.

/// An owner as a file's header stores it: a user principal name and a directory object id.
///
/// Both keep their case and are compared without regard to it, as Entra does. Either may be empty;
/// nobody has neither.
package struct Identity: Sendable {
    /// User principal name, such as `ann@contoso.com`: at most ``maximumNameByteCount`` bytes of
    /// UTF-8.
    package let name: String
    /// Directory object id, a GUID by custom: at most ``maximumObjectIDByteCount`` bytes of UTF-8.
    package let objectID: String

    package static let maximumNameByteCount = 512
    package static let maximumObjectIDByteCount = 64

    /// The owner of files without one.
    package static let nobody = Identity(unchecked: "", objectID: "")

    package enum Invalid: Error, Equatable, CustomStringConvertible {
        case nameTooLong(Int)
        case objectIDTooLong(Int)
        case controlCharacter

        package var description: String {
            switch self {
            case .nameTooLong(let count):
                "the name has \(count) bytes; the maximum is \(maximumNameByteCount)"
            case .objectIDTooLong(let count):
                "the object id has \(count) bytes; the maximum is \(maximumObjectIDByteCount)"
            case .controlCharacter: "it contains a control character"
            }
        }
    }

    /// Accepts any text that fits and has no control characters, so that it prints on one line.
    package init(name: String, objectID: String = "") throws(Invalid) {
        guard name.utf8.count <= Self.maximumNameByteCount else {
            throw .nameTooLong(name.utf8.count)
        }
        guard objectID.utf8.count <= Self.maximumObjectIDByteCount else {
            throw .objectIDTooLong(objectID.utf8.count)
        }
        let bytes = [name.utf8, objectID.utf8].joined()
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
        self.init(unchecked: name, objectID: objectID)
    }

    private init(unchecked name: String, objectID: String) {
        self.name = name
        self.objectID = objectID
    }

    package var isNobody: Bool { name.isEmpty && objectID.isEmpty }

    /// True when the names or the object ids are equal, without regard to case.
    ///
    /// Nobody matches only nobody. A name never matches an object id.
    package func matches(_ other: Identity) -> Bool {
        if isNobody || other.isNobody { return isNobody && other.isNobody }
        return Self.same(name, other.name) || Self.same(objectID, other.objectID)
    }

    /// True when `text`, as the user typed it, is this identity's name or object id.
    package func matches(_ text: String) -> Bool {
        Self.same(name, text) || Self.same(objectID, text)
    }

    /// True when `text` is its name. Its object id may be whatever somebody has typed.
    package func isNamed(_ text: String) -> Bool { Self.same(name, text) }

    private static func same(_ one: String, _ other: String) -> Bool {
        !one.isEmpty && one.isSameFolded(other)
    }
}

extension Identity: CustomStringConvertible {
    /// The name, else the object id, else `nobody`.
    package var description: String {
        name.isEmpty ? (objectID.isEmpty ? "nobody" : objectID) : name
    }
}

extension String {
    /// Whether it is no object id but a name, as `ann@contoso.com`.
    package var isName: Bool { contains("@") }

    /// 8-4-4-4-12 hexadecimal digits, as directories make object ids.
    package var isObjectID: Bool {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy(\.isHexDigit)
    }
}
