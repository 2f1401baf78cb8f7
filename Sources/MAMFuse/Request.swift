// One request of the kernel, and its one reply.

internal import CFuse3
internal import CTransport
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

/// A request handle of libfuse. Exactly one `reply` ends it, on any thread; it must not be used
/// afterwards.
struct Request: @unchecked Sendable {
    // libfuse keeps it until then.
    let raw: fuse_req_t

    init(_ raw: fuse_req_t?) {
        // libfuse never passes a null request.
        guard let raw else { preconditionFailure("a request without a handle") }
        self.raw = raw
    }

    var mount: Mount { unmanagedMount.takeUnretainedValue() }

    private var unmanagedMount: Unmanaged<Mount> {
        let context = OpaquePointer(fuse_req_userdata(raw))
        return Unmanaged<Mount>.fromOpaque(mam_transport_owner(context))
    }

    var tree: Tree { mount.tree }

    var caller: Caller {
        let context = fuse_req_ctx(raw).pointee
        return Caller(
            thread: context.pid, user: context.uid, group: context.gid, umask: context.umask)
    }

    /// Runs the request; what it throws is the reply, otherwise `body` has replied.
    @inline(__always)
    func serve(_ body: (Tree) throws(Errno) -> Void) {
        do throws(Errno) { try body(tree) } catch { replyError(error.rawValue) }
    }

    /// Like ``serve(_:)``, for what is asked most: takes no reference to the mount, which lives
    /// longer than its requests. A reference's count is one cache line for all processors.
    @inline(__always)
    func serveFast(_ body: (Mount) throws(Errno) -> Void) {
        let result = unmanagedMount._withUnsafeGuaranteedRef { mount in
            Result { () throws(Errno) in try body(mount) }
        }
        if case .failure(let error) = result { replyError(error.rawValue) }
    }

    func replyError(_ code: Int32) { fuse_reply_err(raw, code) }

    func replyDone() { fuse_reply_err(raw, 0) }

    func reply(_ entry: Entry) {
        let tree = tree
        var parameters = fuse_entry_param(entry)
        if fuse_reply_entry(raw, &parameters) != 0 { tree.forget(entry.inode.node, count: 1) }
    }

    func replyAttributes(_ entry: Entry) {
        var attributes = entry.attributes
        fuse_reply_attr(raw, &attributes, entry.cacheSeconds)
    }

    func reply(_ creation: Creation, _ info: UnsafeMutablePointer<fuse_file_info>) {
        let tree = tree
        var parameters = fuse_entry_param(creation.entry)
        info.pointee.hold(creation.handle)
        if fuse_reply_create(raw, &parameters, info) != 0 {
            // The caller was interrupted: the kernel will never release this handle.
            Handles(tree).release(info.pointee.takeHandle(OpenHandle.self))
            tree.forget(creation.entry.inode.node, count: 1)
        }
    }

    /// False if the kernel did not take it.
    @discardableResult func reply(_ bytes: UnsafeRawBufferPointer) -> Bool {
        fuse_reply_buf(
            raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) == 0
    }
}

extension fuse_entry_param {
    init(_ entry: Entry) {
        self.init(
            ino: entry.inode.node, generation: UInt64(entry.inode.generation),
            attr: entry.attributes,
            attr_timeout: entry.cacheSeconds, entry_timeout: entry.connects ? 0 : Tree.cacheSeconds)
    }
}

extension fuse_file_info {
    /// Gives a reference to the kernel, until ``takeHandle(_:)``.
    mutating func hold(_ object: some AnyObject) {
        fh = UInt64(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()))
    }

    /// What the kernel holds; it sends only what it was given and has not released.
    func handle<Object: AnyObject>(_ type: Object.Type) -> Object {
        unmanaged(type).takeUnretainedValue()
    }

    func takeHandle<Object: AnyObject>(_ type: Object.Type) -> Object {
        unmanaged(type).takeRetainedValue()
    }

    private func unmanaged<Object: AnyObject>(_ type: Object.Type) -> Unmanaged<Object> {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(fh)) else {
            preconditionFailure("the kernel sent a handle that it was not given")
        }
        return Unmanaged<Object>.fromOpaque(pointer)
    }
}

extension Optional where Wrapped == UnsafeMutablePointer<fuse_file_info> {
    /// The open handle of a request that may come without one.
    var openHandle: OpenHandle? { map { $0.pointee.handle(OpenHandle.self) } }

    /// The file information of a request that always has one.
    var required: UnsafeMutablePointer<fuse_file_info> {
        guard let self else { preconditionFailure("a request without file information") }
        return self
    }
}

extension Optional where Wrapped == UnsafePointer<CChar> {
    /// A name that the kernel always sends.
    var name: Name {
        guard let self else { preconditionFailure("a request without a name") }
        return self
    }
}
