// The command line for people and scripts.

internal import Glibc

exit(runProgram(wordsOfCommandLine()))
