// What an organisation's directory says about its machines, read once.

package import MAMFleet
package import MAMModel

package struct Survey: Sendable {
    /// When it was made, in seconds since 1970.
    package let time: Int64
    package let staleSeconds: Int64
    package let wanted: Wanted
    /// In the order of their labels.
    package let machines: [SurveyedMachine]
    package let orders: OrderBook
    /// Reports of machines that the register does not know, and entries that cannot be read.
    package let strays: [String]
    package let unreadable: [UnusableFile]
    /// Of the engine; none if this user may not read them.
    package let certificates: [EngineCertificate]
    package let engineFlaws: [Wanted.Flaw]
    /// Nil: no policy goes by rings, or it cannot be read, which ``unreadable`` tells.
    package let rollout: Rollout?

    /// `root`: the root whose keys count, of serial `serial`.
    package init(
        _ directory: OrganizationDirectory, root: Root, of organization: Bytes16, serial: Int64,
        staleAfter staleSeconds: Int64, at now: Int64
    ) {
        (time, self.staleSeconds) = (now, staleSeconds)
        wanted = Wanted(directory, root: root, of: organization, serial: serial, at: now)
        var orders = OrderBook(directory, root: root, of: organization)
        let judge = Judge(
            directory: directory, organization: organization, wanted: wanted, orders: orders,
            now: now,
            staleSeconds: staleSeconds)
        var register = Listing(directory, OrganizationDirectory.machines)
        let reports = Listing(directory, OrganizationDirectory.statuses)
        machines = register.contents { directory.registered($0)?.map(judge.machine) }.sorted {
            ($0.label, $0.entry.machine.high) < ($1.label, $1.entry.machine.high)
        }
        var unusable = register.unusable + reports.unusable
        do throws(OrganizationDirectory.Failure) {
            rollout = try Rollout(directory, root: root, of: organization, machines, wanted)
        } catch {
            rollout = nil
            unusable.append(
                UnusableFile(
                    name: directory.name(of: error.path), reason: error.reason.clause))
        }
        unreadable = unusable.sorted { $0.name < $1.name }
        orders.fill(from: machines, wanted, at: now)
        self.orders = orders
        let certificates = EngineCertificates(directory)
        (self.certificates, engineFlaws) = (certificates.all, certificates.flaws(at: now))
        let known = Set(machines.map { directory.statusFile($0.entry.machine) })
        strays = reports.names.filter { !known.contains($0) }
    }

    package var sums: Sums { Sums(self) }

    package struct Sums: Sendable, Equatable {
        package private(set) var states: [SurveyedMachine.State: Int] = [:]
        /// How many machines need it, by ``SurveyedMachine/Attention/name``.
        package private(set) var attention: [String: Int] = [:]
        /// How many machines have each version, of those whose reports count.
        package private(set) var versions: [String: Int] = [:]
        package private(set) var pending: Int64 = 0
        package private(set) var refused: Int64 = 0
        package private(set) var accounts = 0

        fileprivate init(_ survey: Survey) {
            for machine in survey.machines {
                states[machine.state, default: 0] += 1
                for name in Set(machine.attention.map(\.name)) { attention[name, default: 0] += 1 }
                guard let status = machine.status, !machine.isRevoked else { continue }
                versions[status.version, default: 0] += 1
                // Machines may report any number.
                pending += min(status.pending, Int64(MachineStanding.maximumOrderCount))
                refused.add(saturating: status.refused)
                accounts += status.accounts.count
            }
        }
    }
}
