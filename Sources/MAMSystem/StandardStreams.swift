// The three descriptors that every program expects to be there.

internal import Glibc

/// To be called before anything is opened: a number that the caller has closed would go to the next
/// file, and messages would be written into that.
package func occupyStandardStreams() {
    // Each the wrong way round: using one is an error, as it was.
    for (number, mode) in [
        (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(number, F_GETFD) < 0 {
        _ = Glibc.open("/dev/null", mode)
    }
}
