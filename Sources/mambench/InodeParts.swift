// The table of the inodes that the kernel knows.

import Glibc
import MAMModel
import MAMStore
import MAMSystem

func measureInodes(_ bench: Bench, count: Int) throws {
    let root = try openFile("/", openPathOnly | O_DIRECTORY)
    let facts = FileFacts.protected(try managedHeader())
    var table = try InodeTableMeter(root: root)
    var nodes: [UInt64] = []
    func start() throws {
        table = try InodeTableMeter(root: root)
        nodes = Array(repeating: 0, count: bench.scaled(count))
    }
    func fill() throws {
        try start()
        for file in nodes.indices { nodes[file] = table.insert(UInt64(file), facts) }
    }
    try bench.measure("make an inode known", count: count, before: start) { file in
        nodes[file] = table.insert(UInt64(file), facts)
    }
    try bench.measure("find an inode by its number", count: count) { file in
        try table.find(node: nodes[file])
    }
    try bench.measure("look a known file up", count: count) { file in
        _ = table.lookUp(UInt64(file))
    }
    try bench.measure("forget an inode", count: count, before: fill) { file in
        table.forget(node: nodes[file])
    }
}
