// The questions, and the calls that ask them.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What can be asked of a policy.
public enum PolicyQuestion: Sendable, Hashable {
    /// A property that needs nothing else.
    case property(PolicyProperty)
    /// May data be saved at a location that belongs to an account; nil: to nobody managed.
    case save(to: SaveLocation, of: String?)
    /// May the data of a file's owner be saved there.
    case saveFile(FileReference, to: SaveLocation, of: String?)
    /// May data be taken in from there.
    case open(from: OpenLocation, of: String?)
    /// May a file come in.
    case receive(FileReference)
    /// May data of an owner come in that is no file; nil: it says nothing of one.
    case receiveItem(ofOwner: String?)
    /// May a link be opened.
    case url(String, isKnownManagedAppScheme: Bool)
    /// May a link be opened as a universal link alone.
    case universalLink(String)
    /// May so many characters be copied, for an account or, with nil, for all programs.
    case copy(count: Int, to: String?)
    /// May so many characters be pasted that an account, or with nil nobody knows who, copied.
    case paste(count: Int, from: String?)
    /// May a document picker be shown.
    case documentPicker(DocumentPickerMode)
}

/// An answer. Show the reason to the person who wanted to.
public struct Decision: Sendable, Hashable {
    /// Yes: allowed, or required if that was the question.
    public let isAllowed: Bool
    /// One sentence.
    public let reason: String
    /// The property of the policy that decided, as Microsoft Graph names it; nil if none had to.
    public let rule: String?
    /// Of a file that may come in: policy makes it the receiver's.
    public let becomesReceivers: Bool
    /// Of a link: what to open instead, or the same.
    public let opens: String?

    /// Of a reply, or of a member of one, that has a `decision`.
    init(_ wire: Parameters) throws(VarlinkError) {
        let decision = MAMModel.Decision(try wire.value("decision"))
        (isAllowed, reason, rule) = (decision.isAllowed, decision.reason, decision.rule)
        becomesReceivers = try wire.flag("becomesReceivers")
        opens = try wire.optionalString("opens")
    }
}

extension PolicyQuestion {
    /// A method, its parameters, the name of the one that says whose policy is asked, and
    /// descriptors.
    struct Call {
        var method: String
        var parameters: [String: JSONValue]
        var asker: String? = "account"
        var files: [Descriptor] = []
    }

    var call: Call {
        get throws(MAMError) {
            switch self {
            case .property(let property):
                Call(method: "Ask", parameters: ["question": .string(property.rawValue)])
            case .save(let location, let place):
                Call(
                    method: "CanSave",
                    parameters: ["location": .string(location.name)].adding("account", place),
                    asker: "owner")
            case .saveFile(let file, let location, let place):
                Call(
                    method: "CanSave",
                    parameters: ["location": .string(location.name), "fileDescriptor": 0]
                        .adding("account", place),
                    // The file says whose it is.
                    asker: nil, files: [try file.openForQuestion()])
            case .open(let location, let place):
                Call(
                    method: "CanOpen",
                    parameters: ["location": .string(location.name)].adding("account", place),
                    asker: "receiver")
            case .receive(let file):
                Call(
                    method: "CanReceive", parameters: ["fileDescriptor": 0],
                    files: [try file.openForQuestion()])
            case .receiveItem(let owner):
                Call(method: "CanReceive", parameters: ["item": true].adding("owner", owner))
            case .url(let url, let isKnown):
                Call(
                    method: "CanOpenURL",
                    parameters: ["url": .string(url), "knownManagedScheme": .bool(isKnown)])
            case .universalLink(let url):
                Call(method: "CanOpenURL", parameters: ["url": .string(url), "universal": true])
            case .copy(let count, let target):
                Call(
                    method: "CanCopy",
                    parameters: ["count": JSONValue(count)].adding("target", target))
            case .paste(let count, let source):
                Call(
                    method: "CanPaste",
                    parameters: ["count": JSONValue(count)].adding("source", source))
            case .documentPicker(let mode):
                Call(method: "CanPickDocuments", parameters: ["mode": .string("\(mode)")])
            }
        }
    }
}
