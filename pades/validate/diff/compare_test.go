package diff

import (
	"slices"
	"testing"

	"segel/pdf"
)

func TestValuesAreTheSameHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	ref := pdf.Ref{Number: 3}
	for _, c := range []struct {
		a, b pdf.Object
		want bool
	}{
		{nil, pdf.Null{}, true},
		{pdf.Null{}, nil, true},
		{pdf.Integer(1), pdf.Real(1), true},
		{pdf.Real(1), pdf.Integer(1), true},
		{pdf.Integer(1), pdf.Integer(2), false},
		{pdf.Integer(1), pdf.Boolean(true), false},
		{pdf.String{Bytes: []byte("a")}, pdf.String{Bytes: []byte("a"), Hex: true}, true},
		{pdf.String{Bytes: []byte("a")}, pdf.Name("a"), false},
		{pdf.Name("a"), pdf.Array{}, false},
		{ref, ref, true},
		{ref, pdf.Ref{Number: 3, Generation: 1}, false},
		{pdf.Array{ref, pdf.Integer(1)}, pdf.Array{ref, pdf.Integer(1)}, true},
		{pdf.Array{ref}, pdf.Array{ref, ref}, false},
		{pdf.Dict{"A": ref}, pdf.Dict{"A": ref, "B": pdf.Null{}}, true},
		{pdf.Dict{"A": pdf.Dict{"B": pdf.Integer(1)}}, pdf.Dict{"A": pdf.Dict{"B": pdf.Integer(2)}}, false},
		{pdf.Dict{}, nil, false},
	} {
		if got := equalObjects(c.a, c.b); got != c.want {
			t.Errorf("same(%v, %v) = %v", c.a, c.b, got)
		}
	}
}

func TestListGrowsOnlyByWhatIsAdded(t *testing.T) {
	t.Parallel()
	one, two, three := pdf.Ref{Number: 1}, pdf.Ref{Number: 2}, pdf.Ref{Number: 3}
	for _, c := range []struct {
		old, new, added pdf.Array
		ok              bool
	}{
		{nil, pdf.Array{one}, pdf.Array{one}, true},
		{pdf.Array{one, two}, pdf.Array{one, two, three}, pdf.Array{three}, true},
		{pdf.Array{one, two}, pdf.Array{three, one, two}, pdf.Array{three}, true},
		{pdf.Array{one, two}, pdf.Array{one, two, two}, pdf.Array{two}, true},
		{pdf.Array{one, two}, pdf.Array{two, one}, nil, false},
		{pdf.Array{one, two}, pdf.Array{two}, nil, false},
		{pdf.Array{one}, nil, nil, false},
	} {
		added, ok := addedElements(c.old, c.new)
		if ok != c.ok || ok && !slices.Equal(added, c.added) {
			t.Errorf("grown(%v, %v) = %v, %v", c.old, c.new, added, ok)
		}
	}
}

func TestSetsOfNumbersKeepAndForget(t *testing.T) {
	t.Parallel()
	var s numberSet
	var m numberMap
	for _, n := range []uint32{0, 1, 63, 64, 1023, 1024, 8_388_607} {
		if s.has(n) || m.get(n) != 0 {
			t.Errorf("%d is there before", n)
		}
		s.add(n)
		m.set(n, n+1)
		if !s.has(n) || m.get(n) != n+1 {
			t.Errorf("%d is lost", n)
		}
	}
	s.remove(64)
	s.remove(100_000)
	if s.has(64) || !s.has(63) || s.has(65) {
		t.Error("removed another")
	}
}

func TestTheWorseOfTwoVerdictsCounts(t *testing.T) {
	t.Parallel()
	fine, bad, vague := allow("form", FormFilling, CodeForm), deny(CodeContent, ""), deny(CodeUnexplained, "")
	for _, c := range []struct{ a, b, want verdict }{{fine, bad, bad}, {bad, fine, bad}, {vague, bad, bad}, {bad, vague, bad}, {fine, verdict{}, fine}} {
		if got := worstVerdict(c.a, c.b); got.code != c.want.code || got.level != c.want.level || got.rule != c.want.rule {
			t.Errorf("worse(%v, %v) = %v", c.a, c.b, got)
		}
	}
}

func TestEveryRoleHasARule(t *testing.T) {
	t.Parallel()
	for r, f := range rules {
		if f == nil {
			t.Errorf("role %d has none", r)
		}
	}
}
