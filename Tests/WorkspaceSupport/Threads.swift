// The threads of the process that runs the tests.

import Foundation
internal import Glibc

/// Waits until no thread of this process has a name with this prefix, so that what such threads
/// were started for is done. False after ten seconds.
package func haveEnded(threadsNamed prefix: String) -> Bool {
    func isThere(_ task: String) -> Bool {
        let path = "/proc/self/task/\(task)/comm"
        return (try? String(contentsOfFile: path, encoding: .utf8))?.hasPrefix(prefix) ?? false
    }
    for _ in 0..<1000 {
        let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        if let tasks, !tasks.contains(where: isThere) { return true }
        usleep(10_000)
    }
    return false
}
