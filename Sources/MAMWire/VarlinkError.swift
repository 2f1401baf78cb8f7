// Varlink errors, as on the wire.

package import MAMModel

/// A varlink error: its full name and its parameters.
package struct VarlinkError: Error, Sendable, Equatable {
    package let name: String
    package let parameters: [String: JSONValue]

    package init(_ name: String, _ parameters: [String: JSONValue] = [:]) {
        self.name = name
        self.parameters = parameters
    }
}

// The errors of org.varlink.service, common to all services.
extension VarlinkError {
    private static func service(_ name: String, _ key: String, _ value: String) -> VarlinkError {
        VarlinkError("org.varlink.service.\(name)", [key: .string(value)])
    }

    /// The server has no such interface.
    package static func interfaceNotFound(_ name: String) -> VarlinkError {
        service("InterfaceNotFound", "interface", name)
    }

    /// The interface has no such method. `name` lacks the interface's.
    package static func methodNotFound(_ name: String) -> VarlinkError {
        service("MethodNotFound", "method", name)
    }

    /// An earlier service may lack a method that is new.
    package var isOfMissingMethod: Bool { name == "org.varlink.service.MethodNotFound" }

    /// The method is defined but not implemented here.
    package static func methodNotImplemented(_ name: String) -> VarlinkError {
        service("MethodNotImplemented", "method", name)
    }

    /// A parameter is missing, unknown, of another type or out of range.
    package static func invalidParameter(_ name: String) -> VarlinkError {
        service("InvalidParameter", "parameter", name)
    }

    /// A method that streams replies was called without `more`.
    package static let expectedMore = VarlinkError("org.varlink.service.ExpectedMore")
}
