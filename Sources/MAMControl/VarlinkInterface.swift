// What a program provides to a server.

internal import CInterfaces
package import MAMModel
package import MAMWire

/// One interface of a service.
package protocol VarlinkInterface: Sendable {
    /// The full name, such as `io.mamd.Workspace`.
    var name: String { get }

    /// The interface definition, as `GetInterfaceDescription` returns it.
    var description: String { get }

    /// Carries out one call and returns its reply.
    ///
    /// Called on many threads at once, one per connection, for a method that it has. An error other
    /// than ``VarlinkError`` ends the connection, as it has no name on the wire.
    func answer(_ call: VarlinkCall) throws -> any VarlinkReply

    /// False for a name that only a caller knows, which nothing else here gets to see.
    func has(method: String) -> Bool

    /// The resource that a call of the method uses. Each has a limit per user.
    func cost(of method: String) -> CallCost

    /// A connection has ended. Drops the state that was bound to it.
    func connectionEnded(_ connection: ConnectionID)
}

extension VarlinkInterface {
    /// The words of its file in docs.
    package var description: String { interface_text(name).map { String(cString: $0) } ?? "" }

    package func cost(of method: String) -> CallCost { .short }

    package func connectionEnded(_ connection: ConnectionID) {}

    func operation(of call: VarlinkCall) -> String { call.operation(on: name) }
}

extension VarlinkCall {
    /// Its name in the audit, such as `Workspace.Decrypt`.
    func operation(on interface: String) -> String {
        "\(interface.split(separator: ".").last ?? "").\(method)"
    }
}

/// The service's reply to `org.varlink.service.GetInfo`.
package struct ServiceInformation: Sendable {
    package let vendor: String
    package let product: String
    package let version: String
    package let url: String

    package init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
