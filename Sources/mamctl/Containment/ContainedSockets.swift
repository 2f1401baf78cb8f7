// Sockets that a contained command may connect to.

internal import Glibc
internal import MAMModel
internal import MAMSystem

struct ContainedSockets {
    /// The daemon's.
    var daemon: ByteString?
    /// The sound server's, where the network is free: a client can have it write what it plays into
    /// a file.
    var hasSound = false
    /// The session's display, which other programs have too.
    var hasDisplay = true
    /// The display of the command's own, in place of the session's.
    var nested: NestedDisplay?
    /// Where policy is asked at each connection.
    var printer: ByteString?

    /// The session's, as they are now: others of their names are not allowed. Nil: it has none.
    struct Held {
        let sound, wayland, x11: Descriptor?
    }

    var held: Held {
        let runtime = hasSound ? SessionDisplay.runtimeDirectory : nil
        // The compositor has its connection already.
        let isShown = daemon != nil && hasDisplay && nested == nil
        return Held(
            sound: hold(runtime?.appending(ByteString("pulse/native"))),
            wayland: hold(isShown ? SessionDisplay.wayland.first : nil),
            x11: hold(isShown ? SessionDisplay.x11.first : nil))
    }

    private func hold(_ path: ByteString?) -> Descriptor? {
        path.flatMap { try? openFile($0.cString, openPathOnly) }
    }

    /// The print service's, as Debian's CUPS has it. Not what CUPS_SERVER names: that could be
    /// anybody's.
    static let printService = ByteString("/run/cups/cups.sock")
}

/// The sockets of the session's display, as programs find them.
enum SessionDisplay {
    static var runtimeDirectory: ByteString? { variable("XDG_RUNTIME_DIR") }

    /// None where the session is not on Wayland.
    static var wayland: [ByteString] {
        guard let name = variable("WAYLAND_DISPLAY") else { return [] }
        if name.bytes.first == UInt8(ascii: "/") { return [name] }
        return runtimeDirectory.map { [$0.appending(name)] } ?? []
    }

    static var x11: [ByteString] {
        guard let display = variable("DISPLAY")?.bytes, display.first == UInt8(ascii: ":") else {
            return []
        }
        let number = display.dropFirst().prefix { $0 != UInt8(ascii: ".") }
        return [ByteString(Array("/tmp/.X11-unix/X".utf8) + number)]
    }

    private static func variable(_ name: String) -> ByteString? {
        getenv(name).map { ByteString(cString: $0) }.flatMap { $0.bytes.isEmpty ? nil : $0 }
    }
}
