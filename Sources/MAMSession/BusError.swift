// Errors of bus calls.

internal import CSystemd
internal import MAMModel
internal import MAMSystem

/// A libsystemd error number, with the remote error's name and text if there is one.
struct BusError: Error, CustomStringConvertible {
    private let errno: Errno
    private let name: String
    private let message: String?

    /// `status`: a negative errno from a libsystemd function.
    init(_ status: Int32) {
        errno = Errno(rawValue: -status)
        name = ""
        message = nil
    }

    /// For a failed call.
    init(_ status: Int32, _ answer: sd_bus_error) {
        errno = Errno(rawValue: -status)
        name = answer.name.map { String(cString: $0) } ?? ""
        message = answer.message.map { String(cString: $0) }
    }

    /// The reply lacks the requested value.
    static let noValue = BusError(-Errno.noData.rawValue)

    /// The name has no owner, and no service could be started for it.
    var isNobodyThere: Bool {
        name == "org.freedesktop.DBus.Error.ServiceUnknown"
            || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
            || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
    }

    /// The object no longer exists.
    var isObjectGone: Bool {
        name == "org.freedesktop.DBus.Error.UnknownObject"
            || name == "org.freedesktop.login1.NoSuchSession"
    }

    var description: String { message ?? errno.description }
}

/// Returns the function's result, or throws if it is an error number.
@discardableResult
func checked(_ status: Int32) throws(BusError) -> Int32 {
    if status < 0 { throw BusError(status) }
    return status
}
