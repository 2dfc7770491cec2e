package formfield

import (
	"fmt"
	"slices"
	"testing"
)

func TestFormattedNumbersAreComparedWithTheirValue(t *testing.T) {
	t.Parallel()
	number := func(args ...string) *formatScript { return &formatScript{name: "AFNumber_Format", args: args} }
	percent := func(args ...string) *formatScript { return &formatScript{name: "AFPercent_Format", args: args} }
	for _, c := range []struct {
		format       *formatScript
		value, shown string
		want         Outcome
	}{
		{number("2", "0", "0", "0", `"Rp "`, "true"), "1234567.5", "Rp 1,234,567.50", Shown},
		{number("2", "0", "0", "0", `"Rp "`, "true"), "1234567.5", "Rp 1,234,567.51", Differs},
		{number("2", "0", "0", "0", `"Rp "`, "true"), "1234567.5", "Rp 1,234,567.50 lunas", Differs},
		{number("2", "0", "0", "0", `"Rp "`, "true"), "1234567.5", "Rp Rp 1,234,567.50", Differs},
		{number("2", "2", "0", "0", `""`, "true"), "1234.5", "1.234,50", Shown},
		{number("2", "2", "0", "0", `""`, "true"), "1234,5", "1.234,50", Shown},
		{number("2", "3", "0", "0", `""`, "true"), "1234.5", "1234,50", Shown},
		{number("2", "0", "0", "0", `""`, "true"), "123", "1,23", Differs},    // reads as one and a bit
		{number("0", "2", "0", "0", `""`, "true"), "1234", "1.23.4", Differs}, //
		{number("0", "1", "0", "0", `""`, "true"), "1234.4", "1234", Shown},   // rounded
		{number("0", "1", "0", "0", `""`, "true"), "1234.6", "1234", Differs}, //
		{number("0", "4", "0", "0", `""`, "true"), "1234567", "1'234'567", Shown},
		{number("2", "0", "0", "0", `"$"`, "true"), "-12", "-$12.00", Shown},
		{number("2", "0", "2", "0", `"$"`, "true"), "-12", "($12.00)", Shown},
		{number("2", "0", "0", "0", `"$"`, "true"), "12", "($12.00)", Differs},
		{number("2", "0", "1", "0", `"$"`, "true"), "-12", "$12.00", Shown}, // in red
		{number("2", "0", "0", "0", `"$"`, "true"), "-12", "$12.00", Differs},
		{number("2", "0"), "abc", "12", NotCompared},
		{number("2"), "12", "12", NotCompared},
		{number("sepDecimals", "0"), "12", "12", NotCompared},
		{number("2", "0"), "12", "", Differs},
		{percent("1", "3"), "0.125", "12,5%", Shown},
		{percent("1", "3"), "0.125", "12,5", Shown},
		{percent("1", "3"), "0.125", "0,125%", Differs},
		{&formatScript{name: "AFSpecial_Format", args: []string{"2"}}, "8123456789", "(812) 345-6789", Shown},
		{&formatScript{name: "AFSpecial_Format", args: []string{"2"}}, "8123456789", "(812) 345-6780", Differs},
		{&formatScript{name: "AFSpecial_Format", args: []string{"2"}}, "8123456789", "(812) 345-6789 x", Differs},
		{&formatScript{name: "AFSpecial_Format", args: []string{"2"}}, "", "lunas", Differs},
		{&formatScript{name: "AFDate_FormatEx"}, "22/11/2026", "22 November 2026", NotCompared},
		{&formatScript{name: "AFDate_FormatEx"}, "22/11/2026", "tidak pernah", Differs},
		{&formatScript{}, "17", "No. 17", NotCompared},
	} {
		if got := c.format.compareFormatted(c.value, c.shown); got.Outcome != c.want {
			t.Errorf("%s%v: %q for %q: %d (%s), want %d", c.format.name, c.format.args, c.shown, c.value, got.Outcome, got.Detail, c.want)
		}
	}
}

func TestArgumentsOfAScriptAreSplitAtItsCommas(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`2, 0, 0, 0, "Rp ", true`: {"2", "0", "0", "0", `"Rp "`, "true"},
		`"a,b",'c,"d'`:            {`"a,b"`, `'c,"d'`},
		``:                        {""},
		`"a`:                      {`"a`},
	} {
		if got := splitArguments(source); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	for source, want := range map[string]string{
		"AFNumber_Format(2, 0);":                   "AFNumber_Format",
		" AFDate_FormatEx( \"dd\" ) ":              "AFDate_FormatEx",
		"AFNumber_Format(2, 0); event.value = '9'": "",
		"AFNumber_Keystroke(2)":                    "",
		"event.value = 'No. ' + event.value":       "",
	} {
		got := ""
		if m := formatCall.FindStringSubmatch(source); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", source, fmt.Sprint(got), want)
		}
	}
}
