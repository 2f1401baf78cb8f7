// Verbs of file providers: what goes to a cloud and comes from it.

internal import MAMWire

let providerVerbs: [Verb] = []
