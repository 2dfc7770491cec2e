package workflow

// diskSpaceStep is after how many bytes it is asked again whether the disk has room for more.
const diskSpaceStep = 1 << 20

// diskSpace is what a file that arrives may take from the disk before it is asked again.
type diskSpace struct {
	require func(bytes int64) error // nil: it may take anything
	granted int64                   // granted and not taken yet
}

// requireSpace demands room for n bytes that are about to be written. Others take from the same disk at the same time, so it is asked
// again every roomStep bytes.
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
