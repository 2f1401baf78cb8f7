// Verbs for finding out what happened.

internal import MAMWire

let diagnosticsVerbs: [Verb] = []
