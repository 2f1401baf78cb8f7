// The verbs for accounts, enrolment and conditions.

let enrollmentVerbs: [Verb] = []
