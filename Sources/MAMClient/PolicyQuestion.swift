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
            try service.decide(Wire.CanPickDocuments(mode: "\(mode)", account: account))
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
