// One bus message, read sequentially.

internal import CSystemd
internal import Glibc
internal import MAMModel
internal import MAMSystem

/// The D-Bus types in use here.
enum BusType: UInt8 {
    case boolean = 0x62  // b
    case uint32 = 0x75  // u
    case text = 0x73  // s
    case objectPath = 0x6F  // o
    case descriptor = 0x68  // h
    case array = 0x61  // a
    case variant = 0x76  // v
    case structure = 0x72  // r
    case dictionaryEntry = 0x65  // e

    fileprivate var code: CChar { CChar(rawValue) }
}

/// A signal or a reply.
struct BusMessage: ~Copyable {
    private let message: OpaquePointer

    init(owning message: OpaquePointer) { self.message = message }

    deinit { sd_bus_message_unref(message) }

    /// The sender's unique name, which the bus guarantees, unlike the rest.
    var sender: String? { Self.text(sd_bus_message_get_sender(message)) }
    var path: String? { Self.text(sd_bus_message_get_path(message)) }
    var member: String? { Self.text(sd_bus_message_get_member(message)) }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    func readBool() throws(BusError) -> Bool {
        var value: Int32 = 0
        try checked(sd_bus_message_read_basic(message, BusType.boolean.code, &value))
        return value != 0
    }

    func readUInt32() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try checked(sd_bus_message_read_basic(message, BusType.uint32.code, &value))
        return value
    }

    func readText(_ type: BusType = .text) throws(BusError) -> String {
        var value: UnsafePointer<CChar>?
        try checked(sd_bus_message_read_basic(message, type.code, &value))
        return Self.text(value) ?? ""
    }

    /// A duplicate: the message closes its own descriptor.
    func readDescriptor() throws(BusError) -> Descriptor {
        var value: Int32 = -1
        try checked(sd_bus_message_read_basic(message, BusType.descriptor.code, &value))
        let copy = fcntl(value, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw BusError(-errno) }
        return Descriptor(owning: copy)
    }

    /// Reads the contents of the next container. Nil: an array has no more elements.
    func inside<Value>(
        _ container: BusType, of contents: String,
        _ read: (borrowing BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> Value? {
        let status = sd_bus_message_enter_container(message, container.code, contents)
        if try checked(status) == 0 { return nil }
        let value = try read(self)
        try checked(sd_bus_message_exit_container(message))
        return value
    }

    /// Skips the next value.
    func skip(_ type: String) throws(BusError) {
        try checked(sd_bus_message_skip(message, type))
    }
}
