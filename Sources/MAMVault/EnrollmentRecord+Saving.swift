// When a changed record is written.

internal import MAMEnrollment
internal import MAMSystem

extension EnrollmentRecord {
    /// False if only running counts changed: those can be recomputed from the clocks.
    func isWorthSaving(over saved: EnrollmentRecord) -> Bool {
        var other = saved
        other.reading = reading
        other.sinceCheckIn = sinceCheckIn
        other.sinceAttempt = sinceAttempt
        other.sincePassphrase = sincePassphrase
        if sinceClockedOut != nil, other.sinceClockedOut != nil {
            other.sinceClockedOut = sinceClockedOut
        }
        if sinceSignIn != nil, other.sinceSignIn != nil { other.sinceSignIn = sinceSignIn }
        other.launch = launch
        let passed = reading.secondsSinceBoot.subtractingReportingOverflow(
            saved.reading.secondsSinceBoot)
        guard !passed.overflow, (0..<Enrollments.unsavedSeconds).contains(passed.partialValue)
        else { return true }
        // A check-in resets a count. One that was saved shortly before need not be saved again: the
        // account then only seems to have been offline for longer, until the start checks in.
        let most = Enrollments.unsavedSeconds - passed.partialValue
        return other != self || sinceSignIn ?? .max < (saved.sinceSignIn ?? .max) - most
            || sinceCheckIn < saved.sinceCheckIn - most
            || sinceAttempt < saved.sinceAttempt - most || sincePassphrase < saved.sincePassphrase
    }
}
