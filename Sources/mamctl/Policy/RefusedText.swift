// Text about documents that the daemon refused.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Varlink.Workspace.RefusedDocument {
    /// What is wrong, since when, and what is in force instead.
    var text: Message {
        let moment = { (seconds: Int) in localTime(seconds, "%Y-%m-%d %H:%M") }
        let name = ByteString("\(file): \(reason)").shown
        guard let inForce, let inForceSince else {
            return "\(name); since \(moment(since)), and nothing of it is in force"
        }
        return "\(name); since \(moment(since)). In force instead: \(shown(inForce)),"
            + " as it was on \(moment(inForceSince))"
    }
}
