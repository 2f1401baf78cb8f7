// The verbs for asking what policy says.

let policyVerbs: [Verb] = []
