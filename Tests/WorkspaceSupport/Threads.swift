// The threads of the process that runs the tests.

import Foundation
internal import TestSupport

/// Waits until no thread of this process has a name with this prefix, so that what such threads
/// were started for is done. False if that does not come.
package func haveEnded(threadsNamed prefix: String) -> Bool {
    func isThere(_ task: String) -> Bool {
        let path = "/proc/self/task/\(task)/comm"
        return (try? String(contentsOfFile: path, encoding: .utf8))?.hasPrefix(prefix) ?? false
    }
    return eventually {
        let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return tasks.map { !$0.contains(where: isThere) } ?? false
    }
}
