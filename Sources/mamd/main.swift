// The daemon's entry point; see Daemon.swift.

import MAMSystem

occupyStandardStreams()
let arguments = Arguments(ByteString.commandLine)
exitProcess(runDaemon(arguments))
