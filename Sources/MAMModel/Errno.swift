// Error numbers of system calls.

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
    /// The kernel lacks the call.
    package static let notImplemented = Errno(rawValue: ENOSYS)
    /// lseek(2): only a hole follows.
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

    /// The failure is for lack of descriptors; the file itself is fine.
    package var isShortOfDescriptors: Bool {
        self == .tooManyOpenFiles || self == .tooManyOpenFilesOfAll
    }

    /// The disk is full, or the user's part of it.
    package var meansNoRoom: Bool { self == .noSpace || self == .quotaExceeded }

    /// A call on a mount whose daemon has died fails with one of these: `ECONNABORTED` if it died
    /// during the call, or `ECANCELED` with io_uring.
    package var meansDeadDaemon: Bool {
        self == .notConnected || self == .connectionAborted || self == .canceled
    }
}

extension Errno: CustomStringConvertible {
    /// The C library's text, such as `No such file or directory`.
    package var description: String { String(cString: strerror(rawValue)) }
}
