package admission

import "testing"

func TestSharesBoundEachKeyAndAllTogether(t *testing.T) {
	t.Parallel()
	s := NewShares(10, 6)
	for _, c := range []struct {
		key  string
		n    int64
		want bool
	}{{"a", 6, true}, {"a", 1, false}, {"b", 5, false}, {"b", 4, true}, {"c", 1, false}} {
		if got := s.Take(c.key, c.n); got != c.want {
			t.Fatalf("%d for %s: %v", c.n, c.key, got)
		}
	}
	s.Return("a", 6)
	if !s.Take("c", 6) || s.Take("a", 1) {
		t.Error("less or more than the returned amount is free")
	}
}

func TestSharesThatAreNotBoundedAreNotCounted(t *testing.T) {
	t.Parallel()
	var none *Shares
	if !none.Take("a", 1<<60) || !NewShares(0, 0).Take("a", 1<<60) {
		t.Error("refused")
	}
	none.Return("a", 1<<60)
}
