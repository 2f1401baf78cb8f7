// The bundles that there are, and where carriers have them.

package import MAMFleet

/// The machines that a bundle is for, or its kind: each place has one bundle.
package enum BundlePlace: Sendable, Hashable {
    case roots, all, time
    case group(String)
    case machine(MachineID)

    /// The file's path below a web server's directory, or a stick's.
    package var path: String {
        switch self {
        case .roots: "roots.json"
        case .all: "all.json"
        case .time: "time.json"
        case .group(let name): "g/\(name).json"
        case .machine(let id): "m/\(id).json"
        }
    }

    /// The subject of its message.
    package var subject: String {
        switch self {
        case .roots: Subject.roots
        case .all: Subject.all
        case .time: Subject.time
        case .group(let name): Subject.group(name)
        case .machine(let id): Subject.machine(id)
        }
    }

    /// The order in which machines take them: roots first, since their keys count for all that
    /// follows; the machine's memberships before its groups' policies; and the time, which names
    /// them all, last.
    package var rank: Int {
        switch self {
        case .roots: 0
        case .all: 1
        case .machine: 2
        case .group: 3
        case .time: 4
        }
    }

    package init(_ kind: DocumentKind, _ audience: Audience) {
        self =
            switch (kind, audience) {
            case (.root, _): .roots
            case (.time, _): .time
            case (_, .all): .all
            case (_, .group(let name)): .group(name)
            case (_, .machine(let id)): .machine(id)
            }
    }
}
