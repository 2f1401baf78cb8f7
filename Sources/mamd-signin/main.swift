// Signs people in to accounts, for mamctl: asks the issuer over the network, and hands its tokens
// to the daemon. It has no keys; what it says is verified by the daemon.

import CShims
import Glibc
import MAMModel
import MAMSystem
import MAMWire

occupyStandardStreams()
// Tokens are no one else's.
_ = mam_forbid_core_dumps()
signal(SIGPIPE, SIG_IGN)
exit(runProgram(Array(ByteString.commandLine)).rawValue)
