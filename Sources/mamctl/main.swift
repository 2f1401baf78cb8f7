// The command line for people and scripts.

internal import Glibc
internal import MAMSystem

occupyStandardStreams()
exit(runProgram(ByteString.commandLine))
