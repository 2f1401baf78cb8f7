// What a program gives to a server.

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
    /// Called on many threads at once, one per connection. Throw
    /// ``VarlinkError/methodNotFound(_:)`` for a method that is not there. An error that is no
    /// ``VarlinkError`` ends the connection: the server cannot know how to name it.
    func answer(_ call: VarlinkCall) throws -> any VarlinkReply

    /// What a call of that method takes: a user may have so many of each kind at a time.
    func cost(of method: String) -> CallCost

    /// A client has gone: what was to last as long as its connection ends.
    func connectionEnded(_ connection: ConnectionID)
}

extension VarlinkInterface {
    package func cost(of method: String) -> CallCost { .short }

    package func connectionEnded(_ connection: ConnectionID) {}
}

/// What a service says of itself in `org.varlink.service.GetInfo`.
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
