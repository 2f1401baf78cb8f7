// The sign-ins of people that are under way, and the keys of the issuer that proves who they are.

internal import Glibc
internal import MAMCrypto
internal import MAMLocks
package import MAMModel
package import MAMPolicy
package import MAMSettings
package import MAMSignIn
package import MAMSystem

/// Why a sign-in does not go on; clauses.
package enum SignInError: Error, Sendable, Equatable {
    case tooMany
    case unknownTicket
    case refused(TokenRefusal)
    /// A key is missing that the issuer may have published meanwhile.
    case unknownKey(String, retryAfterSeconds: Int64)
    case notStored(Errno)
}

/// Sign-ins live in memory, and end with the daemon; the issuer's keys are in `STATE/signin.json`.
package final class SignIns: Sendable {
    package let settings: SignInSettings
    private let stateDirectory: String?
    private let state: Guarded<State>

    fileprivate struct State: Sendable {
        var keys = IssuerKeys.none
        /// Seconds since 1970.
        var delivered: Int64 = 0
        var begun: [String: Begun] = [:]
        var count = 0
        var proven: [Proven] = []
        /// Digests of tokens that were accepted, the newest last.
        var used: [[UInt8]] = []
    }

    fileprivate struct Begun: Sendable {
        let user: UInt32
        let account: SignInAccount
        let question: SignInQuestion
        /// When it began.
        let secondsSinceBoot: Int64
        let isInteractive: Bool
        /// How many sign-ins began before it.
        let number: Int
    }

    /// An account that a person has signed in to, which may not be registered yet.
    package struct Proven: Sendable {
        let user: UInt32
        package let account: SignInAccount
        package let person: Person
        let isInteractive: Bool
        let secondsSinceBoot: Int64
    }

    /// How long a person may take, and how long a proof waits for the account to be registered.
    package static let patienceSeconds: Int64 = 600
    /// The most sign-ins of one user: a further one takes the place of the oldest.
    package static let maximumOfUser = 8
    package static let maximumCount = 256
    /// Keys that nobody has delivered again are no longer believed: the issuer may have taken one
    /// away.
    package static let keysLastSeconds: Int64 = 7 * 86_400
    /// The age at which the program that signs in should fetch the keys again.
    private static let keysAgeSeconds: Int64 = 86_400
    /// How often an unknown key is reason enough to ask the issuer again.
    private static let secondsBetweenKeys: Int64 = 60
    private static let fileName = "signin.json"

    /// `stateDirectory`: nil to keep the keys in memory.
    package init(_ settings: SignInSettings, in stateDirectory: String?) {
        self.settings = settings
        self.stateDirectory = stateDirectory
        var state = State()
        if let path = stateDirectory.map({ "\($0)/\(Self.fileName)" }),
            let stored = Self.load(path, of: settings.issuer)
        {
            (state.keys, state.delivered) = stored
        }
        self.state = Guarded(state)
    }

    /// How many keys there are, and how old they are; nil if there are none.
    package func keys(at now: Moment) -> (count: Int, ageSeconds: Int64)? {
        state.withLock { state in
            guard state.keys.count > 0 else { return nil }
            return (state.keys.count, state.keysAge(at: now))
        }
    }

    /// Whether the keys should be fetched before anybody signs in.
    package func wantsKeys(at now: Moment) -> Bool {
        keys(at: now).map { $0.ageSeconds >= Self.keysAgeSeconds } ?? true
    }

    /// Replaces all keys, so that one that the issuer no longer publishes is forgotten. Returns
    /// their number.
    package func deliver(_ bytes: [UInt8], at now: Moment) throws(SignInError) -> Int {
        try state.withLock { state throws(SignInError) in
            let keys: IssuerKeys
            do throws(TokenRefusal) { keys = try IssuerKeys(parsing: bytes) } catch {
                throw .refused(error)
            }
            try store(bytes, at: now)
            (state.keys, state.delivered) = (keys, now.wallSeconds)
            return keys.count
        }
    }

    private func store(_ bytes: [UInt8], at now: Moment) throws(SignInError) {
        guard let stateDirectory else { return }
        let content: JSONValue = [
            "issuer": .string(settings.issuer), "delivered": .integer(now.wallSeconds),
            "keys": .string(base64(bytes)),
        ]
        do throws(Errno) {
            let directory = try openFile(stateDirectory, O_RDONLY | O_DIRECTORY)
            try replaceFile(in: directory, named: Self.fileName, with: content.encoded())
        } catch { throw .notStored(error) }
    }

    /// Nil for a file that is damaged or another issuer's: then they are fetched again.
    private static func load(_ path: String, of issuer: String) -> (IssuerKeys, Int64)? {
        let maximum = 2 * IssuerKeys.maximumByteCount
        guard let content = try? readSmallFile(path, maximumByteCount: maximum),
            let members = (try? JSONValue(parsing: content))?.object,
            members["issuer"]?.text == issuer, let delivered = members["delivered"]?.integer,
            delivered >= 0,
            let bytes = members["keys"]?.text.flatMap(MAMModel.bytes(base64:)),
            let keys = try? IssuerKeys(parsing: bytes)
        else { return nil }
        return (keys, delivered)
    }

    // MARK: Signing in

    /// Returns what names the sign-in, and what the token must answer. `clock`: where the issuer's
    /// times count, which no debug setting moves.
    package func begin(
        for user: UInt32, _ account: SignInAccount, _ way: SignInWay, at now: Moment, clock: Int64
    ) throws(SignInError) -> (ticket: String, nonce: String) {
        let (ticket, nonce) = (randomText(), randomText())
        let question = SignInQuestion(
            issuer: settings.issuer, clientID: settings.clientID,
            nonce: way == .browser ? .required(nonce) : .noneOr(account.nonce),
            begun: clock)
        try state.withLock { state throws(SignInError) in
            state.forgetOld(at: now)
            let own = state.begun.filter { $0.value.user == user }
            if own.count >= Self.maximumOfUser,
                let oldest = own.min(by: { $0.value.number < $1.value.number })
            {
                state.begun[oldest.key] = nil
            }
            guard state.begun.count < Self.maximumCount else { throw .tooMany }
            state.begun[ticket] = Begun(
                user: user, account: account, question: question,
                secondsSinceBoot: now.secondsSinceBoot, isInteractive: way != .refresh,
                number: state.count)
            state.count += 1
        }
        return (ticket, nonce)
    }

    /// Verifies the token of a sign-in: once for each ticket, unless a key was unknown.
    package func finish(
        _ ticket: String, for user: UInt32, _ token: [UInt8], at now: Moment, clock: Int64
    ) throws(SignInError) -> Proven {
        try state.withLock { state throws(SignInError) in
            state.forgetOld(at: now)
            guard let begun = state.begun[ticket], begun.user == user else {
                throw .unknownTicket
            }
            let person: Person
            do throws(TokenRefusal) {
                person = try state.person(token, begun, at: now, clock: clock)
            } catch {
                guard case .unknownKey(let id) = error else {
                    state.begun[ticket] = nil
                    throw .refused(error)
                }
                let wait =
                    state.keys.count == 0
                    ? 0 : Self.secondsBetweenKeys - state.keysAge(at: now)
                throw .unknownKey(id, retryAfterSeconds: max(0, wait))
            }
            state.begun[ticket] = nil
            state.used.append(signedDigest(of: token))
            if state.used.count > Self.maximumCount { state.used.removeFirst() }
            let proven = Proven(
                user: user, account: begun.account, person: person,
                isInteractive: begun.isInteractive, secondsSinceBoot: now.secondsSinceBoot)
            state.add(proven)
            return proven
        }
    }

    /// A person's latest sign-in to an account, by a browser or another device.
    package func proof(of identity: Identity, by user: UInt32, at now: Moment) -> Proven? {
        state.withLock { state in
            state.forgetOld(at: now)
            return state.proven.last {
                $0.user == user && $0.isInteractive && $0.isOf(identity)
            }
        }
    }

    /// Forgets a user's proofs for an account: each counts once.
    package func forgetProofs(of identity: Identity, by user: UInt32) {
        state.withLock { state in
            state.proven.removeAll { $0.user == user && $0.isOf(identity) }
        }
    }

    /// The groups of those who have signed in to an account that is not registered yet.
    package func groups(at now: Moment) -> [ProvenGroups] {
        state.withLock { state in
            state.forgetOld(at: now)
            return state.proven.compactMap { proven in
                proven.person.groups.flatMap { groups in
                    proven.account.identity.map { ProvenGroups(of: $0, groups) }
                }
            }
        }
    }
}

extension SignIns.State {
    /// In seconds. Keys of a time to come count as old: the clock was wrong then, or is now.
    fileprivate func keysAge(at now: Moment) -> Int64 {
        delivered > now.wallSeconds + 300
            ? SignIns.keysLastSeconds : max(0, now.wallSeconds - delivered)
    }

    fileprivate mutating func forgetOld(at now: Moment) {
        let oldest = now.secondsSinceBoot - SignIns.patienceSeconds
        begun = begun.filter { $0.value.secondsSinceBoot > oldest }
        proven.removeAll { $0.secondsSinceBoot <= oldest }
    }

    fileprivate mutating func add(_ new: SignIns.Proven) {
        // A refresh takes no sign-in's place that waits for a passphrase.
        proven.removeAll {
            $0.user == new.user && $0.account.name == new.account.name
                && (new.isInteractive || !$0.isInteractive)
        }
        let own = proven.indices.filter { proven[$0].user == new.user }
        if own.count >= SignIns.maximumOfUser { proven.remove(at: own[0]) }
        if proven.count >= SignIns.maximumCount { proven.removeFirst() }
        proven.append(new)
    }

    fileprivate func person(
        _ bytes: [UInt8], _ begun: SignIns.Begun, at now: Moment, clock: Int64
    ) throws(TokenRefusal) -> Person {
        guard !used.contains(signedDigest(of: bytes)) else {
            throw .malformed("it was used before")
        }
        let token = try SignedToken(parsing: bytes)
        let isOld = keysAge(at: now) >= SignIns.keysLastSeconds
        let person = try token.person(
            signedBy: isOld ? .none : keys, asking: begun.question, at: clock)
        let account = begun.account
        guard
            person.has(
                name: account.name, objectID: account.objectID, subject: account.subject)
        else { throw .otherPerson(person.title) }
        return person
    }
}

/// The digest of all but the signature: from one by ECDSA anybody can make another that is as good.
private func signedDigest(of token: [UInt8]) -> [UInt8] {
    let end = token.lastIndex(of: UInt8(ascii: ".")) ?? token.endIndex
    return SHA256.digest(of: Array(token[..<end]))
}

extension SignInError: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .tooMany: "too many sign-ins are under way; wait ten minutes"
        case .unknownTicket: "no such sign-in is under way: it has ended, or took too long"
        case .refused(let refusal): "the token is refused: \(refusal)"
        case .unknownKey(let id, _): "the issuer has published no key '\(id)'"
        case .notStored(let error): "the keys in the state directory: \(error)"
        }
    }
}
