// What a contained command may do outside the workspace.

internal import CContainment
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The rules for CContainment.
struct ContainmentRules {
    /// Nil: no file may be changed.
    let workspace: ByteString?
    let sockets: ContainedSockets
    /// Where it may read outside the workspace.
    let readable: [ByteString]
    let network: Network
    /// Whom policy is asked about.
    var account = ByteString("")
    /// What the daemon is told about the command.
    var program = ByteString("")
    /// The number of the workspace's file system.
    var fileSystem = ByteString("")
    /// Tells of the end of that file system.
    var watch: Descriptor?
    /// Its own. Without one, it has no controlling terminal to write to either.
    var hasTerminal = true

    enum Network: Equatable {
        case any, none
        case ports([UInt16])

        /// `any`, `none` or ports with commas; nil for anything else.
        init?(_ text: String) {
            switch text {
            case "any": self = .any
            case "none": self = .none
            default:
                let ports = text.split(separator: ",", omittingEmptySubsequences: false)
                    .map { UInt16($0) }
                guard !ports.contains(nil) else { return nil }
                self = .ports(ports.compactMap(\.self))
            }
        }

        init(_ told: Varlink.Identity.Containment) {
            switch told.network {
            case .any: self = .any
            case .ports: self = .ports(told.ports.compactMap { UInt16(exactly: $0) })
            case .none: self = .none
            }
        }

        func isWithin(_ other: Network) -> Bool {
            switch (self, other) {
            case (.none, _), (_, .any): true
            case (.ports(let own), .ports(let others)): own.allSatisfy(others.contains)
            default: false
            }
        }

        var words: Message {
            switch self {
            case .any: "anything"
            case .none: "nothing"
            case .ports(let ports): "TCP ports \(ports.map(String.init).joined(separator: ", "))"
            }
        }

        /// Names are found by what is a port like others: glibc's resolver and what asks it use TCP
        /// then.
        func enter() {
            guard case .ports(let ports) = self, ports.contains(Self.ofNames) else { return }
            let options = getenv("RES_OPTIONS").map { String(cString: $0) + " " } ?? ""
            setenv("RES_OPTIONS", options + "use-vc", 1)
        }

        private static let ofNames: UInt16 = 53

        fileprivate var kind: mam_network {
            switch self {
            case .any: MAM_NETWORK_ANY
            case .none: MAM_NETWORK_NONE
            case .ports: MAM_NETWORK_PORTS
            }
        }

        fileprivate var list: [UInt16] { if case .ports(let ports) = self { ports } else { [] } }
    }

    /// Lends the rules; they are copied with the process by fork(2).
    func withRules<Result>(_ body: (UnsafePointer<mam_containment>) -> Result) -> Result {
        let ports = network.list
        let held = sockets.held
        return withLists([devices, texts, readable]) { lists in
            ports.withUnsafeBufferPointer { ports in
                var rules = mam_containment(
                    workspace: workspace == nil ? nil : lists[1][0], devices: lists[0],
                    readable: lists[2], sound: held.sound?.raw ?? -1,
                    wayland: held.wayland?.raw ?? -1, x11: held.x11?.raw ?? -1,
                    network: network.kind, ports: ports.baseAddress,
                    port_count: UInt32(ports.count), display: sockets.nested?.display.raw ?? -1,
                    compositor: sockets.nested?.life.raw ?? -1, printer: lists[1][1],
                    may_print: mayPrint, may_connect: mayConnect, may_join: mayJoin,
                    daemon: lists[1][2], account: lists[1][3], program: lists[1][4],
                    file_system: lists[1][5], watch: watch?.raw ?? -1, is_covered: isCovered,
                    note: noteRefusal)
                return withExtendedLifetime((sockets, held, watch)) { body(&rules) }
            }
        }
    }

    private var texts: [ByteString] {
        let none = ByteString("")
        return [
            workspace ?? none, sockets.printer ?? none, sockets.daemon ?? none, account, program,
            fileSystem,
        ]
    }

    /// Those that keep nothing, and show or play what a person sees and hears anyway. Of terminals
    /// only the own one: somebody may read another. Not the sequencer: programs talk through it.
    private var devices: [ByteString] {
        ["/dev/null", "/dev/zero", "/dev/full"].map { ByteString($0) } + terminals
            + devices(in: "/dev/dri", ["renderD"]) + devices(in: "/dev/snd", ["pcm", "controlC"])
    }

    private func devices(in directory: String, _ prefixes: [String]) -> [ByteString] {
        let names = (try? entries(of: ByteString(directory))) ?? []
        return names.filter { name in prefixes.contains { name.bytes.starts(with: $0.utf8) } }
            .map { ByteString(directory).appending($0) }
    }

    private var terminals: [ByteString] {
        guard hasTerminal else { return [] }
        return [ByteString("/dev/tty")]
            + (STDIN_FILENO...STDERR_FILENO).filter { isatty($0) == 1 }
            .compactMap { try? currentPath(of: $0) }
    }
}

/// Lends lists of C strings, each with NULL at its end.
private func withLists<Result>(
    _ lists: [[ByteString]], _ body: ([UnsafePointer<UnsafePointer<CChar>?>]) -> Result
) -> Result {
    var lent: [UnsafePointer<UnsafePointer<CChar>?>] = []
    func lend(_ rest: ArraySlice<[ByteString]>) -> Result {
        guard let first = rest.first else { return body(lent) }
        return withPointers(first) { pointers in
            pointers.map { UnsafePointer($0) }.withUnsafeBufferPointer { list in
                // It has at least its NULL.
                if let start = list.baseAddress { lent.append(start) }
                return lend(rest.dropFirst())
            }
        }
    }
    return lend(lists[...])
}
