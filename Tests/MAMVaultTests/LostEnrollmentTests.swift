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

/// `STATE/enrollment`, or a file of it, is gone.
@Suite struct LostEnrollmentTests {
    private let place: TemporaryDirectory
    private let account = AccountID(SecureRandom.bytes16())
    private let now = Moment(wallSeconds: 1_000_000, secondsSinceBoot: 1000)

    init() throws {
        place = try TemporaryDirectory()
        let new = try start([])
        #expect(!new.hasForgottenOrders)
        new.begin(account, at: now)
    }

    private func start(_ accounts: [AccountID]) throws -> Enrollments {
        let directory = try place.open()
        return try Enrollments(in: directory.raw, accounts, Settings(), .silent, at: now)
    }

    private func lose(_ name: String) {
        #expect(unlink(place.path("enrollment/\(name)")) == 0)
    }

    @Test func `nothing is`() throws {
        let enrollments = try start([account])
        #expect(!enrollments.hasForgottenOrders)
        #expect(enrollments.record(of: account)?.isLockedOut == false)
    }

    @Test func `an account's record`() throws {
        lose("\(account.bytes)")
        let enrollments = try start([account])
        #expect(!enrollments.hasForgottenOrders)
        #expect(enrollments.record(of: account)?.isLockedOut == true)
    }

    /// The requests to wipe that are in the policy directory may have been obeyed before.
    @Test func `the record of requests to wipe`() throws {
        lose("workspace")
        let enrollments = try start([account])
        #expect(enrollments.hasForgottenOrders)
        #expect(enrollments.record(of: account)?.isLockedOut == false)
        enrollments.takeAsObeyed([])
        #expect(try !start([account]).hasForgottenOrders)
    }

    @Test func `all of it`() throws {
        lose("\(account.bytes)")
        lose("workspace")
        #expect(rmdir(place.path("enrollment")) == 0)
        let enrollments = try start([account])
        #expect(enrollments.hasForgottenOrders)
        #expect(enrollments.record(of: account)?.isLockedOut == true)
    }
}
