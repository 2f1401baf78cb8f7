// The command line for people and scripts.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWords

occupyStandardStreams()
Catalogue.open(besides: ByteString("/proc/self/exe").resolved)
exit(runProgram(ByteString.commandLine))
