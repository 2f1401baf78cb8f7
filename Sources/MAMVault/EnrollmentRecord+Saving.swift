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
        other.launch = launch
        let passed = reading.secondsSinceBoot.subtractingReportingOverflow(
            saved.reading.secondsSinceBoot)
        // A check-in resets a count.
        return other != self || sinceCheckIn < saved.sinceCheckIn
            || sinceAttempt < saved.sinceAttempt
            || sincePassphrase < saved.sincePassphrase || passed.overflow
            || passed.partialValue >= Enrollments.unsavedSeconds || passed.partialValue < 0
    }
}
