package workflow

// StillFor is how long a document makes no progress before it counts as stuck.
const StillFor = stuckAfter

// BoundNames returns the names that a seal of a large form locks.
func BoundNames(names []string) []string { return boundFieldNames(names) }
