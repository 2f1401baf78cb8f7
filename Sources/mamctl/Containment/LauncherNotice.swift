// Tells a person on the desktop why a launcher has started nothing.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWords

/// What a launcher's `mamctl` prints is seen by nobody: the desktop writes it to its log.
struct LauncherNotice {
    private let isWanted: Bool
    /// The command's environment has no session bus.
    private let bus = getenv("DBUS_SESSION_BUS_ADDRESS").map { ByteString(cString: $0) }

    init(_ invocation: Invocation) {
        isWanted = invocation.arguments.has("discard-output") && isatty(STDERR_FILENO) == 0
    }

    /// Runs what starts the command; a failure is shown.
    func telling<Value: ~Copyable>(
        about command: [ByteString], _ body: () throws -> Value
    ) throws -> Value {
        do { return try body() } catch {
            let failure = Failure(any: error)
            show(
                command, failure.message.translated.onOneLine, failure.next?.translated.onOneLine)
            throw error
        }
    }

    /// Without notify-send, or a session, nothing is shown.
    func show(_ command: [ByteString], _ reason: String, _ next: String? = nil) {
        guard isWanted else { return }
        if let bus { setenv("DBUS_SESSION_BUS_ADDRESS", bus.cString, 1) }
        let title: Message = "\(command[0].lastComponent.shown) was not started"
        let text: Message = next.map { "\(reason)\nTry: \($0)" } ?? .verbatim(reason)
        _ = output(of: [
            "notify-send", "--app-name=mamctl", "--icon=dialog-error", "--", title.translated,
            text.translated,
        ])
    }
}
