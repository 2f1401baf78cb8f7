// Waiting for other threads and processes, on machines that are busy with other things.

internal import Glibc
package import MAMSystem

extension Deadline {
    /// For what has to come: later than the most loaded machine is.
    package static var patient: Deadline { Deadline(seconds: 120) }
}

/// False if it does not come to that.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Deadline.patient
    while !deadline.hasPassed {
        if try condition() { return true }
        usleep(1000)
    }
    return try condition()
}

/// For what is in time unless this thread is kept from running: one of several tries is enough.
package func inOneOfFiveTries(_ isInTime: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<5 where try isInTime() { return true }
    return false
}

/// The processor's time that a thread takes for something, which other programs do not add to.
package func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return now() - start

    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
