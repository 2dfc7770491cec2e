package workflow

// diskSpaceStep is the number of bytes after which the free space is checked again.
const diskSpaceStep = 1 << 20

// diskSpace is the space on the disk that an arriving file may take before the next check.
type diskSpace struct {
	require func(bytes int64) error // nil: unlimited
	granted int64                   // granted and not used yet
}

// requireSpace requires space for n bytes that are about to be written. Others write to the same disk, so it checks
// again every [diskSpaceStep] bytes.
func (r *diskSpace) requireSpace(n int) error {
	if r.require == nil {
		return nil
	}
	if r.granted -= int64(n); r.granted >= 0 {
		return nil
	}
	ask := max(int64(n), diskSpaceStep)
	if err := r.require(ask); err != nil {
		return err
	}
	r.granted = ask - int64(n)
	return nil
}
