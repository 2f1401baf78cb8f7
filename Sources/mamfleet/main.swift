// Carries documents and reports; see Service.swift, Join.swift, Push.swift and Pull.swift.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

occupyStandardStreams()
umask(0o022)
exit(runProgram(ByteString.commandLine.map(\.shown)).rawValue)
