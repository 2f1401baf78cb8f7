// Benchmarks of internal parts: allocations, system calls, memory, instructions and time per
// operation, compared with budgets.

import Glibc
import MAMCrypto
import MAMModel
import MAMSystem

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    complain(Options.usage)
    exit(2)
}
startCrypto()
do {
    exit(try run(options) ? 0 : 1)
} catch {
    complain("mambench: \(error)")
    exit(1)
}
