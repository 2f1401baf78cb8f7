// A backing directory's owner for files created by programs that act for no particular account: a
// name or an object id.

package import MAMModel
package import MAMSystem

package enum ChildOwner {
    /// Nil if there is none. The note's value is nil if it is invalid.
    package static func read(of directory: Descriptor, _ marks: Marks) -> Note<Identity?>? {
        DirectoryNote.childOwner.read(of: directory, marks)?.map { bytes in
            let owner = String(validating: bytes, as: UTF8.self)
                .flatMap { try? Identity(name: $0) }
            return owner?.isNobody == true ? nil : owner
        }
    }

    /// Nil removes it.
    package static func write(
        _ owner: Note<Identity>?, of directory: Descriptor, _ marks: Marks
    ) throws(Errno) {
        try DirectoryNote.childOwner.write(
            owner.map { Array($0.value.description.utf8) }, isProved: owner?.isProved ?? true,
            of: directory, marks)
    }
}
