// Talks to systemd if it started the daemon; otherwise these functions do nothing.

internal import CSystemd
internal import Glibc
package import MAMSystem

/// Tells systemd that the service is ready, or is stopping.
package func notifyServiceManager(_ state: String) { sd_notify(0, state) }

/// Stores a descriptor with systemd, which passes it to the service's next process under that name,
/// and waits until systemd has it. False without systemd.
package func storeDescriptor(_ descriptor: Int32, named name: String) -> Bool {
    // FDPOLL=0: systemd must not drop a descriptor because poll(2) reports an error on it.
    let state = "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0"
    guard mam_notify_with_descriptor(state, descriptor) > 0 else { return false }
    return sd_notify_barrier(0, 10_000_000) > 0
}

/// Has systemd drop the stored descriptors of that name.
package func forgetStoredDescriptors(named name: String) {
    notifyServiceManager("FDSTOREREMOVE=1\nFDNAME=\(name)")
}

/// The descriptors that systemd passed, with their names. Call once, before any thread starts.
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

/// The watchdog interval in microseconds; nil without a watchdog.
package func watchdogMicroseconds() -> UInt64? {
    var interval: UInt64 = 0
    return sd_watchdog_enabled(1, &interval) > 0 ? interval : nil
}

/// True if `socket` is a stream socket that listens at this path.
package func isListening(_ socket: Int32, at path: String) -> Bool {
    sd_is_socket_unix(socket, Int32(SOCK_STREAM.rawValue), 1, path, 0) > 0
}
