// When a change of a record is worth a write.

internal import MAMEnrollment
internal import MAMSystem

extension EnrollmentRecord {
    /// Counts can be made up for by the next look at the clocks, as long as these go on.
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
        // A check-in turns a count back.
        return other != self || sinceCheckIn < saved.sinceCheckIn
            || sinceAttempt < saved.sinceAttempt
            || sincePassphrase < saved.sincePassphrase || passed.overflow
            || passed.partialValue >= Enrollments.unsavedSeconds || passed.partialValue < 0
    }
}
