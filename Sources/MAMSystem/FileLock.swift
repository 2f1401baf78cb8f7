// flock(2) against those who only ask whether somebody holds a lock.

internal import Glibc

/// Takes the lock unless it is held for long: a question holds it for a moment.
package func takesLock(_ file: Descriptor) -> Bool {
    let deadline = Deadline(milliseconds: 200)
    return withExtendedLifetime(file) {
        while flock(file.raw, LOCK_EX | LOCK_NB) != 0 {
            guard !deadline.hasPassed else { return false }
            usleep(5000)
        }
        return true
    }
}

/// Whether somebody holds the lock.
package func isLocked(_ file: Descriptor) -> Bool {
    withExtendedLifetime(file) { flock(file.raw, LOCK_SH | LOCK_NB) != 0 }
}
