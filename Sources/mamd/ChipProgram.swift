// The program that asks the chip for the daemon: the daemon's own, with this one argument.

import CChip
import Glibc

let chipArgument = "--chip"

/// Answers one request on the standard streams, and ends; returns at once in any other program.
func serveChipIfAsked() {
    guard CommandLine.arguments.dropFirst().elementsEqual([chipArgument]) else { return }
    exit(mam_chip_serve(STDIN_FILENO, STDOUT_FILENO))
}
