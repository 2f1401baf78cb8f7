// The program that libFuzzer drives: `MAMD_FUZZ_CHECK=NAME`, then libFuzzer's own arguments. See
// scripts/dev fuzz.

import FuzzChecks
import Glibc

private let check: FuzzCheck = {
    guard let name = getenv("MAMD_FUZZ_CHECK").map({ String(cString: $0) }),
        let check = FuzzCheck(rawValue: name)
    else { fatalError("MAMD_FUZZ_CHECK: one of \(FuzzCheck.allCases.map(\.rawValue))") }
    return check
}()

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(Violation) {
        try check.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch { fatalError("\(check.rawValue): \(error)") }
    return 0
}
