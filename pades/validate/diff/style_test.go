package diff

import (
	"bytes"
	"testing"
)

func TestStylesAreTheSameHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"/Helv 12 Tf 0 g", "0 g /Helv 12 Tf", true},
		{"/Helv 12 Tf 0 g", "  /Helv  12 Tf\n0 g ", true},
		{"/Helv 12 Tf 0 g", "/Helv 12 Tf", true}, // text is black unless something else is said
		{"/Helv 12 Tf 1 g", "/Helv 12 Tf", false},
		{"/Helv 12 Tf 0 g", "/Helv 1 Tf 0 g", false},
		{"/Helv 12 Tf 0 g", "/Cour 12 Tf 0 g", false},
		{"/Helv 12 Tf 0 g", "/Helv 12 Tf 0 0 0 rg", false},
		{"/Helv 12 Tf 0 g", "/Helv 12 Tf 0 g 3 Tr", false},
		{"/Helv 12 Tf 0 g", "/Helv 12 Tf 0 g 5", false},
		{"/Helv 12 Tf 0 g", "12 Tf 0 g", false},
		{"", "0 g", true},
	} {
		if got := bytes.Equal(normalizeStyle([]byte(c.a)), normalizeStyle([]byte(c.b))); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
