// Why something on the bus did not work.

internal import CSystemd
internal import MAMSystem

/// A number of libsystemd's, and what the other side said if it was the other side.
struct BusError: Error, CustomStringConvertible {
    private let errno: Errno
    private let name: String
    private let message: String?

    /// `status`: what a function of libsystemd returned, an error number below zero.
    init(_ status: Int32) {
        errno = Errno(rawValue: -status)
        name = ""
        message = nil
    }

    /// A call that failed.
    init(_ status: Int32, _ answer: sd_bus_error) {
        errno = Errno(rawValue: -status)
        name = answer.name.map { String(cString: $0) } ?? ""
        message = answer.message.map { String(cString: $0) }
    }

    /// An answer without the value that was asked for.
    static let noValue = BusError(-Errno.noData.rawValue)

    /// Nobody has the name that was called, and nothing could be started for it.
    var isNobodyThere: Bool {
        name == "org.freedesktop.DBus.Error.ServiceUnknown"
            || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
            || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }

    /// What was asked about is not there any more.
    var isObjectGone: Bool {
        name == "org.freedesktop.DBus.Error.UnknownObject"
            || name == "org.freedesktop.login1.NoSuchSession"
    }

    var description: String { message ?? errno.description }
}

/// Passes a function's result on, and throws if it is an error number.
@discardableResult
func checked(_ status: Int32) throws(BusError) -> Int32 {
    if status < 0 { throw BusError(status) }
    return status
}
