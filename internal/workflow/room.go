package workflow

// roomStep is after how many bytes it is asked again whether the disk has room for more.
const roomStep = 1 << 20

// room is what a file that arrives may take from the disk before it is asked again.
type room struct {
	require func(bytes int64) error // nil: it may take anything
	left    int64                   // granted and not taken yet
}

// take demands room for n bytes that are about to be written. Others take from the same disk at the same time, so it is asked
// again every roomStep bytes.
func (r *room) take(n int) error {
	if r.require == nil {
		return nil
	}
	if r.left -= int64(n); r.left >= 0 {
		return nil
	}
	ask := max(int64(n), roomStep)
	if err := r.require(ask); err != nil {
		return err
	}
	r.left = ask - int64(n)
	return nil
}
