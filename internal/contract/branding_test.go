package contract

import "testing"

func TestOnlySixHexadecimalDigitsAreAColour(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, "#0b6e5f": true, "#FFFFFF": true, "#fff": false, "0b6e5f": false, "#0b6e5g": false, "#0b6e5f ": false, "red": false, "#0b6e5f;}": false, "#0b6e5f00": false,
	} {
		if err := CheckColour(s); (err == nil) != want {
			t.Errorf("%q: %v", s, err)
		}
	}
	if rgb, ok := (Branding{Colour: "#0b6eff"}).RGB(); !ok || rgb != [3]uint8{11, 110, 255} {
		t.Error(rgb, ok)
	}
	if _, ok := (Branding{}).RGB(); ok {
		t.Error("no colour has parts")
	}
}
