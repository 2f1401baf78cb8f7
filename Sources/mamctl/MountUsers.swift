// Who keeps a mount busy.

internal import Glibc
internal import MAMSystem

/// `process 123 (name)` for each process with a file, a directory or its program below `place`.
///
/// Read from links in /proc: looking at the files themselves would wake the mount.
func processes(using place: ByteString) -> [String] {
    let numbers = ((try? entries(of: ByteString("/proc"))) ?? []).compactMap {
        $0.text.flatMap { Int32($0) }
    }
    return numbers.sorted().filter { isUsing(place, $0) }.map {
        "process \($0) (\(commandName($0)))"
    }
}

private func isUsing(_ place: ByteString, _ pid: Int32) -> Bool {
    let own = ByteString("/proc/\(pid)")
    let files = ((try? entries(of: own.appending("fd"))) ?? []).compactMap(\.text).map {
        "fd/\($0)"
    }
    return (["cwd", "root", "exe"] + files).contains { link in
        target(of: own.appending(link))?.isWithin(place) ?? false
    }
}

private func target(of link: ByteString) -> ByteString? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link.cString, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return ByteString(buffer.prefix(count).map { UInt8(bitPattern: $0) })
}

private func commandName(_ pid: Int32) -> String {
    guard let name = try? readSmallFile("/proc/\(pid)/comm", maximumByteCount: 64) else {
        return "?"
    }
    return ByteString(name.filter { $0 != UInt8(ascii: "\n") }).shown
}
