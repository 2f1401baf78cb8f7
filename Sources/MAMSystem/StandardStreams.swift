// Standard input, output and error.

internal import Glibc
internal import MAMModel

/// Call before opening anything: if the caller closed one of 0, 1 and 2, the next file would get
/// that number, and messages would be written into it.
package func occupyStandardStreams() {
    // Each opened in the wrong direction, so that using it still fails.
    for (number, mode) in [
        (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(number, F_GETFD) < 0 {
        _ = Glibc.open("/dev/null", mode)
    }
}
