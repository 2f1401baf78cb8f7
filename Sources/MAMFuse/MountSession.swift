// The kernel mount: from fusermount3 or mount(2) to the last request.

internal import CFuse3
internal import CShims
internal import CTransport
internal import Glibc
package import MAMModel
package import MAMSystem
package import MAMTree
internal import Synchronization

/// One mount of one file system, served by libfuse's threads.
package final class MountSession: @unchecked Sendable {
    // libfuse's session functions used here are safe from any thread; the pointer never changes.
    private let session: OpaquePointer
    private let mounted: Mount
    /// Nil if another program unmounts it.
    private let mount: OwnMount?
    /// The thread that waits in ``serve()``, to be woken by ``stop()``.
    private let waiting = Mutex<pthread_t?>(nil)

    package enum Failure: Error {
        case badOptions
        /// libfuse has said why on standard error.
        case notMounted
        case failed(Errno)
    }

    /// Mounts; requests wait in the kernel until ``serve()``.
    ///
    /// `name`: the workspace's name, shown as the mount's source; the type is `fuse.mamd`.
    package init(
        _ tree: Tree, at mountPoint: ByteString, on target: MountTarget, name: String,
        _ options: MountOptions
    ) throws(Failure) {
        let words = ["default_permissions", "subtype=mamd", "fsname=\(name)"] + options.words
        let list = words.joined(separator: ",")
        do throws(Errno) { mounted = try Mount(of: tree) } catch { throw .failed(error) }
        guard let session = Self.makeSession(["mamd", "-o", list], mounted) else {
            throw .badOptions
        }
        do throws(Failure) {
            mount = try Self.mount(session, mountPoint, target, name, options)
        } catch {
            fuse_session_destroy(session)
            throw error
        }
        self.session = session
        tree.setMount(mount ?? (try? OwnMount(at: mountPoint)))
        mam_transport_prepare(
            mounted.requestTransport.context, options.rings != .never, mam_serve_request,
            UnsafeMutableRawPointer(session), Self.begun)
        guard mam_use_transport(session) == 0 else {
            stop()
            throw .notMounted
        }
        do throws(Errno) { try mounted.attach(session, options.rings) } catch {
            stop()
            throw .failed(error)
        }
    }

    private static func mount(
        _ session: OpaquePointer, _ place: ByteString, _ target: MountTarget, _ name: String,
        _ options: MountOptions
    ) throws(Failure) -> OwnMount? {
        let (directory, isDead): (Descriptor, Bool)
        switch target {
        case .mounted(let device):
            do throws(Errno) {
                let own = try retrying { fcntl(device.raw, F_DUPFD_CLOEXEC, 3) }
                try serve(session, mountOf: own)
            } catch { throw .failed(error) }
            return nil
        case .path(let whenMounted):
            guard fuse_session_mount(session, place.cString) == 0 else { throw .notMounted }
            whenMounted()
            do throws(Errno) { return try OwnMount(at: place) } catch {
                fuse_session_unmount(session)
                throw .failed(error)
            }
        case .directory(let opened): (directory, isDead) = (opened, false)
        case .deadMount(let root): (directory, isDead) = (root, true)
        }
        do throws(Errno) {
            let (device, id) = try mountByDescriptor(
                directory, isDeadMount: isDead, at: place, name: name, options)
            try serve(session, mountOf: device)
            return try OwnMount(id: id)
        } catch { throw .failed(error) }
    }

    /// Gives libfuse an existing mount, by descriptor. It never unmounts it.
    private static func serve(
        _ session: OpaquePointer, mountOf device: Int32
    ) throws(Errno) {
        guard fuse_session_mount(session, "/dev/fd/\(device)") == 0 else { throw .ioError }
    }

    /// Called with the transport's owner.
    private static let begun: @convention(c) (UnsafeMutableRawPointer?) -> Void = { mount in
        guard let mount else { return }
        let mounted = Unmanaged<Mount>.fromOpaque(mount).takeUnretainedValue()
        if mam_transport_maps_direct(mounted.requestTransport.context) {
            mounted.tree.room.allowDirectOpens()
        }
        mounted.tree.becameReady()
    }

    private static func makeSession(
        _ arguments: [String], _ mount: Mount
    ) -> OpaquePointer? {
        var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        return strings.withUnsafeMutableBufferPointer { buffer in
            var list = fuse_args(argc: Int32(buffer.count), argv: buffer.baseAddress, allocated: 0)
            defer { fuse_opt_free_args(&list) }
            var operations = makeOperations()
            let transport = mount.requestTransport.context
            mam_transport_set_owner(transport, Unmanaged.passUnretained(mount).toOpaque())
            return mam_session_new(
                &list, &operations, MemoryLayout<fuse_lowlevel_ops>.size,
                UnsafeMutableRawPointer(transport))
        }
    }

    package var loopProgress: LoopProgress { mounted.loopProgress }

    /// Serves requests until the file system is unmounted or ``stop()`` is called. False if a
    /// thread may still be serving one.
    package func serve() -> Bool {
        waiting.withLock { $0 = pthread_self() }
        let configuration = fuse_loop_cfg_create()
        fuse_loop_cfg_set_clone_fd(configuration, 1)
        fuse_loop_cfg_set_max_threads(configuration, Self.threadCount)
        // Threads stay: starting them for each burst costs more than keeping them.
        fuse_loop_cfg_set_idle_threads(configuration, Self.threadCount)
        mam_session_loop(session, configuration)
        fuse_loop_cfg_destroy(configuration)
        waiting.withLock { $0 = nil }
        // A thread that hangs in the kernel may still use both; the process ends soon.
        guard mam_transport_stop(mounted.requestTransport.context, 5000), mounted.detach() else {
            _ = Unmanaged.passRetained(mounted)
            return false
        }
        fuse_session_unmount(session)
        fuse_session_destroy(session)
        return true
    }

    /// Requests served at once, which may wait for each other or for the disk.
    private static let threadCount: UInt32 = 10

    /// Unmounts, even while files are open, and makes ``serve()`` return, even if unmounting fails.
    ///
    /// The kernel's cache must have been written back before.
    package func stop(ifNotUnmounted report: (Errno) -> Void = { _ in }) {
        if let mount {
            do throws(Errno) { try mount.takeAway() } catch { report(error) }
            // With nothing open the kernel ends the connection now, and the loop with it.
            for _ in 0..<20 {
                if waiting.withLock({ $0 == nil }) { return }
                usleep(50_000)
            }
        }
        // Repeatedly: a signal that arrives before the thread waits is lost.
        for _ in 0..<100 where wakeWaitingThread() { usleep(50_000) }
    }

    /// False if no thread waits any more.
    private func wakeWaitingThread() -> Bool {
        // Under the lock: the session is freed only after the waiting thread cleared it.
        waiting.withLock { thread in
            guard let thread else { return false }
            fuse_session_exit(session)
            // The signal's handler does nothing.
            pthread_kill(thread, SIGUSR1)
            return true
        }
    }
}

extension MountSession.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badOptions: "libfuse does not take its options"
        case .notMounted: "libfuse said why on standard error"
        case .failed(let error): error.description
        }
    }
}
