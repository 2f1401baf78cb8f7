// Verbs that bring an account to another machine, or back.

internal import MAMWire

let recoveryVerbs: [Verb] = []
