// The daemon: wiring only. What it does stands in Daemon.swift.

import MAMSystem

occupyStandardStreams()
let arguments = Arguments(ByteString.commandLine)
exitProcess(runDaemon(arguments))
