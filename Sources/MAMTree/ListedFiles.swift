// Which files of a listing are read ahead once some of them are opened.

internal import MAMLocks

/// A listing reads nothing of sealed files, and many programs only list. One that opens a file of a
/// directory mostly opens more, mostly in order: at each, twice as many are read ahead as before.
package final class ListedFiles: Sendable {
    fileprivate struct Directory {
        let node: UInt64
        /// In the order of the listing.
        var files: [UInt64] = []
        var takenCount = 0
        var nextCount = 4
    }

    // Of so many, the rest is not read ahead.
    private static let directoryLimit = 8
    private static let fileLimit = 4096
    fileprivate static let mostAtOnce = 64

    /// The last one was listed last.
    private let directories = Guarded<[Directory]>([])

    package init() {}

    /// `isFirst`: the listing begins.
    package func add(_ files: [UInt64], of directory: UInt64, isFirst: Bool) {
        directories.withLock { all in
            var one = Directory(node: directory)
            if let place = all.firstIndex(where: { $0.node == directory }) {
                let known = all.remove(at: place)
                if !isFirst { one = known }
            }
            if all.count == Self.directoryLimit { all.removeFirst() }
            one.files.append(contentsOf: files.prefix(Self.fileLimit - one.files.count))
            all.append(one)
        }
    }

    /// Those to be read ahead when one of the directory is opened.
    package func next(after file: UInt64, in directory: UInt64) -> [UInt64] {
        directories.withLock { all in
            guard let place = all.firstIndex(where: { $0.node == directory }) else { return [] }
            return all[place].next(after: file)
        }
    }
}

extension ListedFiles.Directory {
    fileprivate mutating func next(after file: UInt64) -> [UInt64] {
        let near = files[takenCount...].prefix(nextCount)
        let start = near.firstIndex(of: file).map { $0 + 1 } ?? takenCount
        takenCount = min(files.count, start + nextCount)
        nextCount = min(ListedFiles.mostAtOnce, 2 * nextCount)
        return Array(files[start..<takenCount])
    }
}
