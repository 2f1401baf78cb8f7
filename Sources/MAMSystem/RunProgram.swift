// Running a small helper program and waiting for it.

internal import Glibc

/// Runs a program found in PATH, with our standard streams, and returns its exit status; 127 if it cannot be run.
package func runProgram(_ arguments: [String]) -> Int32 {
    var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    strings.append(nil)
    defer { strings.forEach { free($0) } }
    guard let name = strings.first.flatMap({ $0 }) else { return 127 }
    var process: pid_t = 0
    guard posix_spawnp(&process, name, nil, nil, strings, environ) == 0 else { return 127 }
    var status: Int32 = 0
    guard (try? retrying({ waitpid(process, &status, 0) })) != nil else { return 127 }
    // Glibc's WIFEXITED and WEXITSTATUS are macros: the low seven bits are the signal.
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 127
}
