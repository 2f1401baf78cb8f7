// Accounts that were removed here although the setting Groups names them: they are not added again
// automatically (docs/adr/0047-auto-enrolment.md).

package import MAMEnrollment
internal import MAMModel
package import MAMSystem
internal import Synchronization

/// Names without regard to case, only those in `Groups`, so the list is bounded.
package final class DepartedNames: Sendable {
    private static let file = "departed"
    private let store: EnrollmentStore?
    private let log: Log
    private let names: Mutex<Set<String>>

    /// `grouped`: all names in `Groups`. If the file is damaged, all of them count as departed.
    package init(in store: EnrollmentStore?, _ grouped: some Sequence<String>, _ log: Log) {
        self.store = store
        self.log = log
        switch store?.load(Self.file) {
        case nil, .nothing: names = Mutex([])
        case .value(let json) where json.array?.allSatisfy { $0.text != nil } == true:
            names = Mutex(Set((json.array ?? []).compactMap(\.text)))
        case .value, .damaged:
            log.error(
                "enrollment/\(Self.file) is damaged: no account that is named in Groups now is"
                    + " registered by itself; mamctl account register does it")
            names = Mutex(Set(grouped.map { $0.caseFolded }))
            _ = names.withLock { save($0) }
        }
    }

    package func contains(_ name: String) -> Bool {
        names.withLock { $0.contains(name.caseFolded) }
    }

    /// Durable on return; false if it cannot be written.
    package func note(_ departed: some Sequence<String>) -> Bool {
        names.withLock { names in
            let new = names.union(departed.map { $0.caseFolded })
            guard new != names else { return true }
            guard save(new) else { return false }
            names = new
            return true
        }
    }

    /// An account that is named again later can be added again.
    package func keep(only grouped: some Sequence<String>) {
        names.withLock { names in
            let kept = names.intersection(grouped.map { $0.caseFolded })
            if kept != names, save(kept) { names = kept }
        }
    }

    private func save(_ names: Set<String>) -> Bool {
        do throws(Errno) {
            try store?.save(.array(names.sorted().map { .string($0) }), as: Self.file)
            return true
        } catch {
            log.error("enrollment/\(Self.file) cannot be written: \(error)")
            return false
        }
    }
}
