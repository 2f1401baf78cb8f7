// The daemon's entry point; see Daemon.swift.

import Glibc
import MAMModel
import MAMSystem
import MAMWire
import MAMWords

serveChipIfAsked()
occupyStandardStreams()
Catalogue.open(besides: ByteString("/proc/self/exe").resolved)
exit(runProgram(ByteString.commandLine).rawValue)
