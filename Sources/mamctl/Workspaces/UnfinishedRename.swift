// A rename that was interrupted: its link in the state directories tells.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Both names lead to the same keys until it is finished.
struct UnfinishedRename {
    let old: WorkspaceName
    /// Nil if only the rename itself can tell.
    let new: WorkspaceName?

    /// Nil if the name is in none.
    init?(with name: WorkspaceName) {
        let root = Places.current.stateRoot
        let links = (try? entries(of: ByteString(root))) ?? []
        for link in links.compactMap({ $0.text.flatMap { WorkspaceName($0) } }) {
            guard let target = linkTarget("\(root)/\(link)").flatMap({ WorkspaceName($0) }),
                link == name || target == name
            else { continue }
            self.old = target
            new = link == target ? nil : link
            return
        }
        return nil
    }

    var failure: Failure {
        let new = self.new.map(\.description) ?? "NEW"
        return Failure(
            .failure, "the rename of the workspace '\(old)' is not finished",
            next: "mamctl workspace rename \(old) \(new)")
    }
}

/// Nil if it is no symbolic link.
func linkTarget(_ path: String) -> String? {
    guard let target = try? MAMSystem.linkTarget(path) else { return nil }
    return target.text
}
