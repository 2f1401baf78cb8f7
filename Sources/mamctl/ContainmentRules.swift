// What a contained command may do outside the workspace.

internal import CContainment
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The rules for CContainment.
struct ContainmentRules {
    let workspace: ByteString
    /// The daemon's socket.
    let daemon: ByteString
    let network: Network

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
            case "any": self = .any
            case "ports": self = .ports(told.ports.compactMap { UInt16(exactly: $0) })
            default: self = .none
            }
        }

        func isWithin(_ other: Network) -> Bool {
            switch (self, other) {
            case (.none, _), (_, .any): true
            case (.ports(let own), .ports(let others)): own.allSatisfy(others.contains)
            default: false
            }
        }

        var words: String {
            switch self {
            case .any: "anything"
            case .none: "nothing"
            case .ports(let ports): "TCP ports \(ports.map(String.init).joined(separator: ", "))"
            }
        }

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
        withPointers(devices) { devices in
            withPointers(sockets) { sockets in
                let devices = devices.map { UnsafePointer($0) }
                let sockets = sockets.map { UnsafePointer($0) }
                let ports = network.list
                return workspace.cString.withUnsafeBufferPointer { workspace in
                    devices.withUnsafeBufferPointer { devices in
                        sockets.withUnsafeBufferPointer { sockets in
                            ports.withUnsafeBufferPointer { ports in
                                var rules = mam_containment(
                                    workspace: workspace.baseAddress,
                                    devices: devices.baseAddress, sockets: sockets.baseAddress,
                                    network: network.kind, ports: ports.baseAddress,
                                    port_count: UInt32(ports.count))
                                return body(&rules)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Those that keep nothing, and show or play what a person sees and hears anyway. Of terminals
    /// only the own one: somebody may read another. Not the sequencer: programs talk through it.
    private var devices: [ByteString] {
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"].map { ByteString($0) } + terminals
            + devices(in: "/dev/dri", ["renderD"]) + devices(in: "/dev/snd", ["pcm", "controlC"])
    }

    private func devices(in directory: String, _ prefixes: [String]) -> [ByteString] {
        let names = (try? entries(of: ByteString(directory))) ?? []
        return names.filter { name in prefixes.contains { name.bytes.starts(with: $0.utf8) } }
            .map { ByteString(directory).appending($0) }
    }

    private var terminals: [ByteString] {
        (STDIN_FILENO...STDERR_FILENO).filter { isatty($0) == 1 }
            .compactMap { try? currentPath(of: $0) }
    }

    /// The daemon's, the display's and the sound server's. A client can have the sound server write
    /// what it plays into a file, so that one is left out where the network is not free.
    private var sockets: [ByteString] {
        let runtime = getenv("XDG_RUNTIME_DIR").map { ByteString(cString: $0) }
        let wayland = getenv("WAYLAND_DISPLAY").map { ByteString(cString: $0) }
        let display = getenv("DISPLAY").map { ByteString(cString: $0).bytes } ?? []
        var found = [daemon]
        if let wayland, wayland.bytes.first == UInt8(ascii: "/") { found.append(wayland) }
        if let runtime {
            if let wayland { found.append(runtime.appending(wayland)) }
            if network == .any { found.append(runtime.appending(ByteString("pulse/native"))) }
        }
        if display.first == UInt8(ascii: ":") {
            let number = display.dropFirst().prefix { $0 != UInt8(ascii: ".") }
            found.append(ByteString(Array("/tmp/.X11-unix/X".utf8) + number))
        }
        return found
    }
}
