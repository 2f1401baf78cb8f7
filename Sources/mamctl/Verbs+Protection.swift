// The verbs for protecting files and data.

let protectionVerbs: [Verb] = []
