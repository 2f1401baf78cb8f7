// Carries documents and reports; see Service.swift, Join.swift, Push.swift and Pull.swift.

internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMNats
internal import MAMSystem
internal import MAMWire

occupyStandardStreams()
umask(0o022)
_ = mam_forbid_core_dumps()
forgetDefaultAuthorities()
let exitStatus = runProgram(ByteString.commandLine)
// Without what exit(3) would call: libnats frees there what its threads still use.
fflush(nil)
_exit(exitStatus.rawValue)
