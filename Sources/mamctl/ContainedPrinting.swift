// Whether a contained command may print.

internal import CContainment
internal import MAMWire

/// Asks the daemon, for each connection to the print service. Runs in the supervisor, on a thread
/// of the broker's; no answer is no.
func mayPrint(_ rules: UnsafePointer<mam_containment>?) -> Int32 {
    guard let rules, let socket = rules.pointee.daemon, let account = rules.pointee.account else {
        return 0
    }
    do throws(VarlinkClient.Failure) {
        var daemon = try VarlinkClient(path: String(cString: socket))
        let question = Varlink.Policy.Ask(
            question: "isPrintingAllowed", account: String(cString: account))
        return try daemon.call(question).decision.allowed ? 1 : 0
    } catch { return 0 }
}
