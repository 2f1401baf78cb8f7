// The verbs for under whose name a program works.

let identityVerbs: [Verb] = []
