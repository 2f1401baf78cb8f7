// io.mamd.SignIn over the vault, one function per method.

internal import Glibc
internal import MAMAudit
internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSettings
internal import MAMSignIn
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Implements the interface. Stateless.
package struct SignInInterface: VaultInterface {
    typealias Wire = Varlink.SignIn

    let tree: Tree
    private let readPolicies: @Sendable () -> Void

    /// `readPolicies`: a person's groups choose others.
    package init(tree: Tree, readPolicies: @escaping @Sendable () -> Void) {
        (self.tree, self.readPolicies) = (tree, readPolicies)
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .show: try show(call)
        case .begin: try begin(call)
        case .finish: try finish(call)
        case .deliverKeys: try deliverKeys(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .finish, .deliverKeys: .long
        case .show, .begin, nil: .short
        }
    }

    private func show(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Show.Reply {
        _ = try call.request(Wire.Show.self)
        guard let signIns = vault.signIns else { return .init(issuer: nil) }
        let keys = signIns.keys(at: vault.clock.now)
        return .init(
            issuer: .init(
                authority: signIns.settings.issuer, clientID: signIns.settings.clientID,
                redirectUri: signIns.settings.redirect,
                deviceCode: signIns.settings.allowsDeviceCode,
                mayDeliver: isCarrier(call.peer), keys: keys?.count ?? 0,
                keysAge: keys.map { Int(clamping: $0.ageSeconds) }))
    }

    private func begin(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Begin.Reply {
        let request: Wire.Begin = try call.request()
        let signIns = try signIns()
        let way = SignInWay(request.way)
        guard way != .deviceCode || signIns.settings.allowsDeviceCode else {
            throw .refused("the setting SignInDeviceCode is off")
        }
        let account = try account(request, call)
        guard way != .refresh || account.isKnown else {
            throw .refused(
                "nobody has signed in to \(account.name) before",
                next: "mamctl account login \(account.name)")
        }
        let now = vault.clock.now
        do throws(SignInError) {
            let (ticket, nonce) = try signIns.begin(
                for: call.peer.uid, account, way, at: now, clock: Clock().now.wallSeconds)
            return .init(ticket: ticket, nonce: nonce, wantsKeys: signIns.wantsKeys(at: now))
        } catch { throw .refused("\(error)") }
    }

    /// One of the caller's, or a name that nobody has registered.
    private func account(
        _ request: Wire.Begin, _ call: VarlinkCall
    ) throws(VarlinkError) -> SignInAccount {
        let issuer = try signIns().settings.issuer
        let identity: Identity
        do throws(Identity.Invalid) {
            identity = try Identity(name: request.account, objectID: request.objectID ?? "")
        } catch { throw .invalidInput("the name or object id cannot be used: \(error)") }
        guard !request.account.isEmpty else { throw .invalidParameter("account") }
        guard
            let known = vault.account(named: request.account)
                ?? vault.keyring.account(claimedBy: identity)
        else {
            return SignInAccount(
                name: identity.name, objectID: identity.objectID, former: nil, issuer: issuer)
        }
        let own = vault.identity(of: known)
        try requireControl(call, of: own)
        return SignInAccount(
            name: own.name, objectID: own.objectID,
            former: vault.enrollments.record(of: known)?.person, issuer: issuer)
    }

    private func finish(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Finish.Reply {
        let request: Wire.Finish = try call.request()
        let signIns = try signIns()
        guard let descriptor = try call.descriptor("tokenDescriptor") else {
            throw .invalidParameter("tokenDescriptor")
        }
        let token = try read(descriptor)
        let before = vault.provenGroups
        let proven: SignIns.Proven
        do throws(SignInError) {
            proven = try signIns.finish(
                request.ticket, for: call.peer.uid, token, at: vault.clock.now,
                clock: Clock().now.wallSeconds)
        } catch {
            if case .unknownKey(let id, let seconds) = error {
                return .init(
                    signedIn: false, keyID: id, retryAfterSeconds: Int(clamping: seconds))
            }
            noteRefusal(call, "uid \(call.peer.uid): \(error)")
            throw .refused("\(error)")
        }
        let account = vault.account(named: proven.account.name)
        if let account { try requireSamePerson(call, proven, account) }
        note(
            .signedIn, account,
            "\(proven.person.title) has signed in as \(proven.account.name), by uid"
                + " \(call.peer.uid)")
        if let account { SignInProofs(tree).apply(proven, to: account) }
        if vault.provenGroups != before { readPolicies() }
        return .init(signedIn: true, groups: proven.person.groups?.count)
    }

    private func deliverKeys(_ call: VarlinkCall) throws(VarlinkError) -> Wire.DeliverKeys.Reply {
        let request: Wire.DeliverKeys = try call.request()
        let signIns = try signIns()
        // Whose keys count: a user's own would prove whatever that user likes.
        try requireCarrier(call, toDo: "deliver an issuer's keys")
        do throws(SignInError) {
            return .init(
                keys: try signIns.deliver(Array(request.keys.utf8), at: vault.clock.now))
        } catch { throw .refused("\(error)") }
    }

    // MARK: Parts

    private func signIns() throws(VarlinkError) -> SignIns {
        guard let signIns = vault.signIns else {
            throw .refused("accounts of this workspace need no sign-in: ADALAuthority is not set")
        }
        return signIns
    }

    /// Somebody else may have registered an account of that name since the sign-in began.
    private func requireSamePerson(
        _ call: VarlinkCall, _ proven: SignIns.Proven, _ account: AccountID
    ) throws(VarlinkError) {
        try requireControl(call, of: vault.identity(of: account))
        let former = vault.enrollments.record(of: account)?.person
        let new = proven.signedIn(by: vault.signIns?.settings.issuer ?? "")
        guard let former, former.issuer == new.issuer, former.subject != new.subject else { return }
        throw .refused("the account was registered for another person meanwhile")
    }

    /// Anybody may cause these at any rate: repeated ones are one record.
    private func noteRefusal(_ call: VarlinkCall, _ words: String) {
        let key = AuditKey(
            .signInRefused, user: call.peer.uid, thread: call.peer.pid,
            operation: "SignIn.Finish", reason: words)
        vault.sinks.trail.add(key) { AuditRecord(.signInRefused, reason: words) }
    }

    private func note(_ event: LogMessage, _ account: AccountID?, _ words: String) {
        vault.audit(event, account, words) { $0.reason = words }
    }

    /// Reads to the end of file, but not for ever.
    private func read(_ descriptor: Descriptor) throws(VarlinkError) -> [UInt8] {
        let deadline = Deadline(milliseconds: 10_000)
        var token: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 8192)
        while token.count <= SignedToken.maximumByteCount {
            do throws(Errno) {
                var waiting = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
                let left = deadline.secondsLeft
                guard left > 0, try retrying({ poll(&waiting, 1, Int32(left) * 1000) }) > 0 else {
                    throw .timedOut
                }
                let count = try retrying { Glibc.read(descriptor.raw, &piece, piece.count) }
                guard count > 0 else { break }
                token += piece[..<count]
            } catch { throw .systemError(error, .verbatim("tokenDescriptor")) }
        }
        while token.last == UInt8(ascii: "\n") { token.removeLast() }
        return token
    }
}

extension SignInWay {
    fileprivate init(_ way: Varlink.SignIn.Way) {
        self =
            switch way {
            case .browser: .browser
            case .deviceCode: .deviceCode
            case .refresh: .refresh
            }
    }
}
