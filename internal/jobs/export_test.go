package jobs

// Abandon frees the runner's place as the end of its process would, while its handlers go on.
func (r *Runner) Abandon() error { return r.place.leave() }
