// Sockets that a contained command may connect to.

internal import Glibc
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

    /// Those that it may always connect to, by name.
    var listed: [ByteString] {
        var found = [daemon].compactMap(\.self)
        if hasSound, let runtime = SessionDisplay.runtimeDirectory {
            found.append(runtime.appending(ByteString("pulse/native")))
        }
        // The compositor has its connection already.
        if daemon != nil, hasDisplay, nested == nil {
            found += SessionDisplay.wayland + SessionDisplay.x11
        }
        return found
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
