import Glibc
import MAMCrypto
import MAMEnrollment
import MAMKeyring
import MAMModel
import MAMSettings
import MAMSystem
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

/// With a thousand accounts a write for each of them is what a mount takes.
@Suite struct EnrollmentWriteTests {
    private let place: TemporaryDirectory
    private let account = AccountID(SecureRandom.bytes16())

    init() throws {
        place = try TemporaryDirectory()
        let directory = try place.open()
        let new = try Enrollments(in: directory.raw, [], Settings(), .silent, at: moment(0))
        new.begin(account, at: moment(0))
    }

    private func start(at now: Moment) throws -> Enrollments {
        let directory = try place.open()
        return try Enrollments(in: directory.raw, [account], Settings(), .silent, at: now)
    }

    private func written() throws -> ino_t {
        let directory = try place.open()
        return try status(at: directory.raw, "enrollment/\(account.bytes)").st_ino
    }

    private func moment(_ seconds: Int64) -> Moment {
        Moment(wallSeconds: 1_000_000 + seconds, secondsSinceBoot: 1000 + seconds)
    }

    @Test func `a start does not write what it has read`() throws {
        _ = try start(at: moment(0))
        let first = try written()
        _ = try start(at: moment(5))
        #expect(try written() == first)
    }

    @Test(arguments: [(Int64(10), false), (700, true)])
    func `a check-in is written if an earlier one is not recent`(
        _ seconds: Int64, _ isWritten: Bool
    ) throws {
        let enrollments = try start(at: moment(0))
        let first = try written()
        _ = enrollments.change(account) { record in
            record.sinceCheckIn = 0
            record.reading = ClockReading(moment(seconds), boot: record.reading.boot)
        }
        #expect(try (written() != first) == isWritten)
    }

    @Test func `what is saved later is not written before`() throws {
        let enrollments = try start(at: moment(0))
        let first = try written()
        _ = enrollments.change(account, saving: .later) { $0.isLockedOut = true }
        #expect(try written() == first)
        enrollments.saveChanged()
        #expect(try written() != first)
        #expect(try start(at: moment(5)).record(of: account)?.isLockedOut == true)
    }

    @Test func `a lock-out is written at once`() throws {
        let enrollments = try start(at: moment(0))
        _ = enrollments.change(account) { $0.isLockedOut = true }
        #expect(try start(at: moment(5)).record(of: account)?.isLockedOut == true)
    }
}
