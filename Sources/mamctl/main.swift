// The command line for people and scripts.

internal import Glibc
internal import MAMSystem

exit(runProgram(ByteString.commandLine))
