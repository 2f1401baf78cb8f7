// The daemon's entry point; see Daemon.swift.

import MAMModel
import MAMSystem
import MAMWords

occupyStandardStreams()
Catalogue.open(besides: ByteString("/proc/self/exe").resolved)
let arguments = Arguments(ByteString.commandLine)
exitProcess(runDaemon(arguments))
