// The daemon: wiring only. What it does stands in Daemon.swift.

let arguments = Arguments(CommandLine.arguments)
exitProcess(runDaemon(arguments))
