// Policy questions, and the calls for them.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A question to a policy.
public enum PolicyQuestion: Sendable, Hashable {
    /// A property that depends only on the policy.
    case property(PolicyProperty)
    /// Whether data may be saved at a location of an account; nil: of an unmanaged identity.
    case save(to: SaveLocation, of: String?)
    /// Whether data of a file's owner may be saved there.
    case saveFile(FileReference, to: SaveLocation, of: String?)
    /// Whether data may be opened from there.
    case open(from: OpenLocation, of: String?)
    /// Whether a file may be received.
    case receive(FileReference)
    /// Whether data other than a file may be received from an owner; nil: without an owner.
    case receiveItem(ofOwner: String?)
    /// Whether a link may be opened.
    case url(String, isKnownManagedAppScheme: Bool)
    /// Whether a link may be opened as a universal link only.
    case universalLink(String)
    /// Whether this many characters may be copied for an account or, with nil, for all programs.
    case copy(count: Int, to: String?)
    /// Whether this many characters may be pasted that an account or, with nil, an unknown program
    /// copied.
    case paste(count: Int, from: String?)
    /// Whether a document picker may be shown.
    case documentPicker(DocumentPickerMode)
}

/// An answer. Show the reason to the user.
public struct Decision: Sendable, Hashable {
    /// The answer: allowed, or required if that was the question.
    public let isAllowed: Bool
    /// One sentence.
    public let reason: String
    /// The policy property that decided, by its name in Microsoft Graph; nil if none applied.
    public let rule: String?
    /// Of a file that may come in: policy makes it the receiver's. In the mount it is so by now;
    /// what is elsewhere, protect where you keep it.
    public private(set) var becomesReceivers = false
    /// Of a link: what to open instead, or the same.
    public private(set) var opens: String?

    init(_ reply: some DecisionReply) {
        self.init(reply.decision)
        becomesReceivers = (reply as? Varlink.Policy.CanReceive.Reply)?.becomesReceivers ?? false
        opens = (reply as? Varlink.Policy.CanOpenURL.Reply)?.opens
    }

    init(_ wire: Varlink.Policy.Decision) {
        (isAllowed, reason, rule) = (wire.allowed, wire.reason, wire.rule)
    }
}

extension PolicyQuestion {
    private typealias Wire = Varlink.Policy

    /// `account`: whose policy is asked.
    func ask(_ service: Service, about account: String?) throws(MAMError) -> Decision {
        switch self {
        case .property(let property):
            try service.decide(Wire.Ask(question: property.rawValue, account: account))
        case .save(let location, let place):
            try service.decide(
                Wire.CanSave(location: location.name, owner: account, account: place))
        case .saveFile(let file, let location, let place):
            // The file says whose it is.
            try service.decide(
                Wire.CanSave(location: location.name, fileDescriptor: 0, account: place),
                [try file.openForQuestion()])
        case .open(let location, let place):
            try service.decide(
                Wire.CanOpen(location: location.name, receiver: account, account: place))
        case .receive(let file):
            try service.decide(
                Wire.CanReceive(fileDescriptor: 0, account: account),
                [try file.openForQuestion()])
        case .receiveItem(let owner):
            try service.decide(Wire.CanReceive(owner: owner, item: true, account: account))
        case .url(let url, let isKnown):
            try service.decide(
                Wire.CanOpenURL(url: url, account: account, knownManagedScheme: isKnown))
        case .universalLink(let url):
            try service.decide(Wire.CanOpenURL(url: url, account: account, universal: true))
        case .copy(let count, let target):
            try service.decide(Wire.CanCopy(count: count, account: account, target: target))
        case .paste(let count, let source):
            try service.decide(Wire.CanPaste(count: count, account: account, source: source))
        case .documentPicker(let mode):
            try service.decide(Wire.CanPickDocuments(mode: mode.wire, account: account))
        }
    }
}

extension Service {
    fileprivate func decide<Request: VarlinkRequest>(
        _ request: Request, _ files: [Descriptor] = []
    ) throws(MAMError) -> Decision where Request.Reply: DecisionReply {
        Decision(try call(request, files))
    }
}

extension DocumentPickerMode {
    fileprivate var wire: Varlink.Policy.PickerMode {
        switch self {
        case .import: .import
        case .open: .open
        case .exportToService: .exportToService
        case .moveToService: .moveToService
        }
    }
}
