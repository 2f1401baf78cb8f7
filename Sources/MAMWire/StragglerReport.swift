// The interface's type Straggler.

package import MAMModel

/// A file that was in a lock's way.
package struct StragglerReport: Sendable {
    package let path: String
    package let processes: [(pid: Int32, name: String)]

    package init(path: String, processes: [(pid: Int32, name: String)]) {
        self.path = path
        self.processes = processes
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        path = try wire.string("path")
        var processes: [(Int32, String)] = []
        for process in try wire.objects("processes") {
            guard let pid = Int32(exactly: try process.integer("pid")) else {
                throw .invalidParameter("pid")
            }
            processes.append((pid, try process.string("name")))
        }
        self.processes = processes
    }

    /// The wire form.
    package var json: JSONValue {
        [
            "path": .string(path),
            "processes": .array(
                processes.map { ["pid": JSONValue($0.pid), "name": .string($0.name)] }),
        ]
    }
}
