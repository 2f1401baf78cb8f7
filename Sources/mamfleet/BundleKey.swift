// The bundles that a machine takes, in their order, and their carriers.

internal import MAMEngine
internal import MAMFleet
internal import MAMModel

extension BundlePlace {
    static func all(for machine: MachineID, groups: Set<String>) -> [BundlePlace] {
        [.roots, .all, .machine(machine)] + groups.sorted().map { .group($0) } + [.time]
    }

    /// The place as a part of a file's name.
    var label: String {
        String(path.dropLast(".json".count).map { $0 == "/" ? "." : $0 })
    }

    init?(label: String) {
        switch label {
        case "roots": self = .roots
        case "all": self = .all
        case "time": self = .time
        case _ where label.hasPrefix("g.") && isName(label.dropFirst(2)):
            self = .group(String(label.dropFirst(2)))
        case _ where label.hasPrefix("m."):
            guard let id = Bytes16(hex: String(label.dropFirst(2))) else { return nil }
            self = .machine(id)
        default: return nil
        }
    }
}

/// Where a bundle arrives from. None of them is trusted.
enum Carrier: String, Sendable, CaseIterable {
    case nats, https, directory
}

/// One bundle of one carrier: the newest of each is kept.
struct BundleKey: Hashable, Sendable {
    let carrier: Carrier
    let place: BundlePlace

    /// The name of its file in the state directory.
    var file: String { "bundle-\(carrier)-\(place.label)" }

    init(_ carrier: Carrier, _ place: BundlePlace) {
        (self.carrier, self.place) = (carrier, place)
    }

    init?(file: String) {
        let parts = file.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "bundle",
            let carrier = Carrier(rawValue: String(parts[1])),
            let place = BundlePlace(label: String(parts[2]))
        else { return nil }
        self.init(carrier, place)
    }
}

/// A bundle on its way to the daemon.
struct ArrivedBundle: Sendable {
    let key: BundleKey
    let bytes: [UInt8]
    /// The web server's entity tag of this state of the file.
    var tag: String?
    /// Whether it was read from the state directory, and need not be written there.
    var isKept = false
}
