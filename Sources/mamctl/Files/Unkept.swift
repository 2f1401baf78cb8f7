// What a copy lacks of its original's beside the content: its file system has none of that, or the
// caller may not set it. Every file may lack the same: people get the first, and how many.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem

enum Unkept: String, CaseIterable {
    case owner, permissions, accessList, attributes, time, hardLinks

    var words: Message {
        switch self {
        case .owner: "owner or group"
        case .permissions: "permissions"
        case .accessList: "access list"
        case .attributes: "extended attributes"
        case .time: "exact time"
        case .hardLinks: "hard links"
        }
    }

    /// Compares an original with its copy, which has got all that it can have.
    static func all(of source: stat, _ original: Descriptor, on copy: Descriptor) -> [Unkept] {
        guard let made = try? status(of: copy.raw) else { return [] }
        var found = all(of: source, on: made)
        if source.st_mode & 0o7777 != made.st_mode & 0o7777 { found.append(.permissions) }
        func isKept(_ name: ByteString) -> Bool {
            attribute(name, of: original) == attribute(name, of: copy)
        }
        if !accessLists.allSatisfy(isKept) { found.append(.accessList) }
        if !userAttributes(of: original).allSatisfy(isKept) { found.append(.attributes) }
        if source.st_mode & S_IFMT == S_IFREG, source.st_nlink > 1 { found.append(.hardLinks) }
        return found
    }

    /// Of a symbolic link, which has no more.
    static func all(of source: stat, on made: stat) -> [Unkept] {
        let isOwned = (source.st_uid, source.st_gid) == (made.st_uid, made.st_gid)
        let (time, kept) = (source.st_mtim, made.st_mtim)
        let isTimed = (time.tv_sec, time.tv_nsec) == (kept.tv_sec, kept.tv_nsec)
        return (isOwned ? [] : [.owner]) + (isTimed ? [] : [.time])
    }
}

/// How many files lack what.
struct UnkeptTally {
    private var files: [(path: ByteString, what: [Unkept])] = []
    private var told: Set<Unkept> = []
    private(set) var hasUntold = false
    private let namesEach: Bool

    init(namesEach: Bool) { self.namesEach = namesEach }

    mutating func add(_ what: [Unkept], of path: ByteString) {
        guard !what.isEmpty else { return }
        files.append((path, what))
        guard namesEach || !told.isSuperset(of: what) else {
            hasUntold = true
            return
        }
        told.formUnion(what)
        let words = what.map(\.words).joined(separator: ", ")
        printError("mamctl: \(path.shown): not kept: \(words)")
    }

    /// Lines for people.
    var summary: [Message] {
        Unkept.allCases.compactMap { kind in
            let count = files.count { $0.what.contains(kind) }
            return count > 0 ? "not kept: \(kind.words): \(count.counted("file"))" : nil
        }
    }

    var json: JSONValue {
        .array(
            files.map { file in
                [
                    "path": .string(file.path.shown),
                    "what": .array(file.what.map { .string($0.rawValue) }),
                ]
            })
    }
}
