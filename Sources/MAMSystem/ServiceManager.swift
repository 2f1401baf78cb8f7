// systemd, for a daemon that it started: what it gave, and what it is told. Nothing of this does
// anything without it.

internal import CShims
internal import CSystemd
internal import Glibc

/// Tells systemd that the service is ready, or is stopping.
package func notifyServiceManager(_ state: String) { sd_notify(0, state) }

/// Gives systemd a descriptor to keep, and waits until it has it: the next program of the service
/// gets it by that name. False where there is no systemd to keep it.
package func storeDescriptor(_ descriptor: Int32, named name: String) -> Bool {
    // It is not watched: one that is stored is about to be used, whatever poll(2) says of it.
    let state = "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0"
    guard mam_notify_with_descriptor(state, descriptor) > 0 else { return false }
    return sd_notify_barrier(0, 10_000_000) > 0
}

/// systemd keeps no descriptor of that name any more.
package func forgetStoredDescriptors(named name: String) {
    notifyServiceManager("FDSTOREREMOVE=1\nFDNAME=\(name)")
}

/// What systemd gave this process: name and descriptor. To be asked once, before any thread starts.
package func givenDescriptors() -> [(name: String, descriptor: Descriptor)] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    guard count > 0, let names else { return [] }
    defer { free(names) }
    return (0..<Int(count)).map { index in
        let name = names[index].map { String(cString: $0) } ?? ""
        free(names[index])
        // SD_LISTEN_FDS_START
        return (name, Descriptor(owning: 3 + Int32(index)))
    }
}

/// How often systemd wants to hear of us, in microseconds; nil if it does not care.
package func watchdogMicroseconds() -> UInt64? {
    var interval: UInt64 = 0
    return sd_watchdog_enabled(1, &interval) > 0 ? interval : nil
}

/// True of a listening stream socket at this path.
package func isListening(_ socket: Int32, at path: String) -> Bool {
    sd_is_socket_unix(socket, Int32(SOCK_STREAM.rawValue), 1, path, 0) > 0
}
