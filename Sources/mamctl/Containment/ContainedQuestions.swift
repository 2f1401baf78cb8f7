// What the broker of a contained command asks the daemon at each connection: policy may have
// changed since the command began; and what it tells. It runs in the supervisor, on threads of the
// broker's; no answer is no.

internal import CContainment
internal import CShims
internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Whether the command may connect to the print service.
func mayPrint(_ rules: UnsafePointer<mam_containment>?) -> Int32 {
    asking(rules) { daemon, account throws(VarlinkClient.Failure) in
        let question = Varlink.Policy.Ask(question: "isPrintingAllowed", account: account)
        return try daemon.call(question).decision.allowed
    }
}

/// Whether it may connect to the port; -1: to a socket of a family without ports.
func mayConnect(_ rules: UnsafePointer<mam_containment>?, _ port: Int32) -> Int32 {
    asking(rules) { daemon, account throws(VarlinkClient.Failure) in
        let told = try daemon.call(Varlink.Identity.GetContainment(account: account)).containment
        return switch ContainmentRules.Network(told) {
        case .any: true
        case .ports(let ports): ports.contains { Int32($0) == port }
        case .none: false
        }
    }
}

/// Whether the daemon knows that this process is contained. One that has started since is told.
func mayJoin(_ rules: UnsafePointer<mam_containment>?) -> Int32 {
    asking(rules) { daemon, account throws(VarlinkClient.Failure) in
        if try daemon.call(Varlink.Identity.GetIdentity()).acting.contained { return true }
        guard let own = try? retrying({ mam_open_process(getpid()) }) else { return false }
        let program = rules?.pointee.program.map { ByteString(cString: $0).wireText }
        _ = try daemon.call(
            Varlink.Identity.Contain(account: account, processDescriptor: 0, program: program),
            descriptors: [Descriptor(owning: own)])
        return true
    }
}

/// Records what this process has refused the command.
func noteRefusal(_ rules: UnsafePointer<mam_containment>?, _ what: UnsafePointer<CChar>?) {
    guard let what, let act = Varlink.Identity.ContainedAct(rawValue: String(cString: what)) else {
        return
    }
    _ = asking(rules) { daemon, _ throws(VarlinkClient.Failure) in
        _ = try daemon.call(Varlink.Identity.NoteRefusal(what: act))
        return true
    }
}

private func asking(
    _ rules: UnsafePointer<mam_containment>?,
    _ ask: (inout VarlinkClient, String) throws(VarlinkClient.Failure) -> Bool
) -> Int32 {
    guard let rules, let socket = rules.pointee.daemon, let account = rules.pointee.account else {
        return 0
    }
    do throws(VarlinkClient.Failure) {
        var daemon = try VarlinkClient(path: String(cString: socket))
        return try ask(&daemon, String(cString: account)) ? 1 : 0
    } catch { return 0 }
}
