// What the inner parts cost: prints nanoseconds per operation, medians of several rounds.

import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

startCrypto()
print("mambench \(productVersion): median of \(roundCount) rounds")
benchmarkCipher()
benchmarkHeader()
benchmarkFile()
