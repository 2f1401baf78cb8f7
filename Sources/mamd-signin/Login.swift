// The tasks: a person signs in, a refresh token does, and the issuer's keys are fetched.

import Glibc
import MAMCommandLine
import MAMModel
import MAMSystem
import MAMWire

func login(_ arguments: Arguments, _ daemon: inout Daemon) throws(Failure) {
    let account = try arguments.required("account")
    let isByDevice = arguments.has("device-code")
    let way = isByDevice ? Varlink.SignIn.Way.deviceCode : .browser
    let begun = try daemon.begin(account, try arguments.text("oid"), way)
    let issuer = try Issuer(daemon.issuer)
    if begun.wantsKeys { try deliverKeys(of: issuer, &daemon) }
    let tokens =
        isByDevice
        ? try askOnDevice(issuer, account)
        : try askInBrowser(
            issuer, account, nonce: begun.nonce, redirect: daemon.issuer.redirectUri,
            opens: !arguments.has("no-browser"))
    try finish(begun.ticket, tokens, of: issuer, &daemon)
    keep(tokens.refresh, TokenStore(issuer: daemon.issuer, account: account))
}

/// Without a word to anybody, if a refresh token is kept.
func refresh(_ arguments: Arguments, _ daemon: inout Daemon) throws(Failure) {
    let account = try arguments.required("account")
    let store = TokenStore(issuer: daemon.issuer, account: account)
    guard let kept = try store.find() else {
        throw Failure(
            .notFound, "no refresh token of \(account) is kept: mamctl account login \(account)")
    }
    let begun = try daemon.begin(account, nil, .refresh)
    let issuer = try Issuer(daemon.issuer)
    if begun.wantsKeys { try deliverKeys(of: issuer, &daemon) }
    let form = [
        ("grant_type", "refresh_token"), ("refresh_token", kept), ("scope", Issuer.scope),
    ]
    guard case .success(let tokens) = try issuer.tokens(form) else { return }
    // First: the issuer may have made the former one useless.
    if tokens.refresh != kept { keep(tokens.refresh, store) }
    try finish(begun.ticket, tokens, of: issuer, &daemon)
}

/// Into a file for somebody who may deliver them, and needs no network for that.
func fetchKeys(_ arguments: Arguments, _ daemon: inout Daemon) throws(Failure) {
    let keys = try Issuer(daemon.issuer).keySet()
    guard let path = try arguments.text("into") else { return try daemon.deliver(keys) }
    do throws(Errno) {
        let file = try openFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
        try writeAll(keys, to: file.raw)
    } catch { throw Failure("\(shown(path)) cannot be written: \(error)") }
}

/// Only those whom the daemon lets; others wait for one of them.
private func deliverKeys(of issuer: Issuer, _ daemon: inout Daemon) throws(Failure) {
    guard daemon.issuer.mayDeliver else { return }
    try daemon.deliver(try issuer.keySet())
}

/// An unknown key is looked for once: the issuer may have changed its keys.
private func finish(
    _ ticket: String, _ tokens: Tokens, of issuer: Issuer, _ daemon: inout Daemon
) throws(Failure) {
    let reply = try daemon.finish(ticket, tokens.identity)
    guard !reply.signedIn else { return }
    let key = shown(reply.keyID ?? "")
    guard daemon.issuer.mayDeliver else {
        throw Failure(
            "the issuer's key '\(key)' is not known here yet: root fetches it by mamctl account"
                + " keys")
    }
    if let seconds = reply.retryAfterSeconds, seconds > 0 {
        throw Failure("the issuer's key '\(key)' is not known; try again in \(seconds) s")
    }
    try daemon.deliver(try issuer.keySet())
    guard try daemon.finish(ticket, tokens.identity).signedIn else {
        throw Failure(.refused, "the token is refused: the issuer has published no key '\(key)'")
    }
}

private func keep(_ token: String?, _ store: TokenStore) {
    guard let token else { return }
    guard store.keep(token) else {
        return printError(
            "the refresh token is not kept: secret-tool stores nothing here; sign in again"
                + " when policy asks for it")
    }
}
