// Verbs for looking at a workspace as a whole.

internal import MAMWire

let overviewVerbs: [Verb] = []
