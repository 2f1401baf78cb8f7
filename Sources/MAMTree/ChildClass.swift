// A backing directory's class for new children: one letter.

package import MAMModel
package import MAMSystem

package enum ChildClass {
    /// Nil if there is none. The note's value is nil if it is invalid.
    package static func read(of directory: Descriptor, _ marks: Marks) -> Note<ProtectionClass?>? {
        DirectoryNote.childClass.read(of: directory, marks)?.map { letters in
            letters.count == 1 ? ProtectionClass(String(UnicodeScalar(letters[0]))) : nil
        }
    }

    /// Nil removes it.
    package static func write(
        _ asked: Note<ProtectionClass>?, of directory: Descriptor, _ marks: Marks
    ) throws(Errno) {
        try DirectoryNote.childClass.write(
            asked.map { Array($0.value.letter.utf8) }, isProved: asked?.isProved ?? true,
            of: directory, marks)
    }
}
