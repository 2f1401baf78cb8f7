// The one place where the C library's errno becomes a Swift error, and where EINTR is retried.

internal import Glibc

/// A system call's error number.
package struct Errno: Error, Sendable, Hashable, RawRepresentable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let noEntry = Errno(rawValue: ENOENT)
    package static let exists = Errno(rawValue: EEXIST)
    package static let accessDenied = Errno(rawValue: EACCES)
    package static let notPermitted = Errno(rawValue: EPERM)
    package static let invalid = Errno(rawValue: EINVAL)
    package static let ioError = Errno(rawValue: EIO)
    package static let isDirectory = Errno(rawValue: EISDIR)
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let quotaExceeded = Errno(rawValue: EDQUOT)
    package static let fileTooLarge = Errno(rawValue: EFBIG)
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    /// The kernel does not know the call.
    package static let notImplemented = Errno(rawValue: ENOSYS)
    /// Of lseek(2): nothing but a hole is left.
    package static let noSuchAddress = Errno(rawValue: ENXIO)
    package static let busy = Errno(rawValue: EBUSY)
    package static let readOnly = Errno(rawValue: EROFS)
    package static let notConnected = Errno(rawValue: ENOTCONN)
    package static let connectionAborted = Errno(rawValue: ECONNABORTED)
    package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
    package static let wouldBlock = Errno(rawValue: EAGAIN)
    package static let badDescriptor = Errno(rawValue: EBADF)
    package static let noData = Errno(rawValue: ENODATA)
    package static let rangeTooSmall = Errno(rawValue: ERANGE)
    package static let tooManyLinks = Errno(rawValue: ELOOP)
    package static let crossDevice = Errno(rawValue: EXDEV)
    package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
    package static let tooManyOpenFilesOfAll = Errno(rawValue: ENFILE)
    package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
    package static let staleHandle = Errno(rawValue: ESTALE)
    package static let textBusy = Errno(rawValue: ETXTBSY)
    package static let canceled = Errno(rawValue: ECANCELED)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    /// An access window is closed.
    package static let noKey = Errno(rawValue: ENOKEY)
    /// The key was destroyed.
    package static let keyExpired = Errno(rawValue: EKEYEXPIRED)
    package static let keyRevoked = Errno(rawValue: EKEYREVOKED)
    /// Failed authentication: damaged or forged.
    package static let badMessage = Errno(rawValue: EBADMSG)

    /// Nothing is wrong with what was to be opened.
    package var isShortOfDescriptors: Bool {
        self == .tooManyOpenFiles || self == .tooManyOpenFilesOfAll
    }

    /// What a call on a mount fails with whose daemon has died, or dies while it is asked: then
    /// `ECONNABORTED`, with io_uring `ECANCELED` too.
    package var meansDeadDaemon: Bool {
        self == .notConnected || self == .connectionAborted || self == .canceled
    }

    /// What the last failed call of this thread left.
    package static var current: Errno { Errno(rawValue: errno) }
}

extension Errno: CustomStringConvertible {
    /// The C library's text, such as `No such file or directory`.
    package var description: String { String(cString: strerror(rawValue)) }
}

/// Runs a call that returns -1 on failure, again while a signal interrupts it.
@inline(__always)
package func retrying<Value: BinaryInteger>(_ call: () -> Value) throws(Errno) -> Value {
    while true {
        let value = call()
        if value != -1 { return value }
        let error = Errno.current
        if error.rawValue != EINTR { throw error }
    }
}
