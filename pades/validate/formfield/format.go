package formfield

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"segel/pdf"
)

// formatScript is the JavaScript that formats the value of a field before it is shown (/AA /F).
type formatScript struct {
	name string // of the function that it calls, such as AFNumber_Format; empty if it is one of its own
	args []string
}

// formatCall is a script that does nothing but call one of the functions that Acrobat has for this.
var formatCall = regexp.MustCompile(`^\s*(AF(?:Number|Percent|Date|Time|Special)_Format(?:Ex)?)\s*\(([^()]*)\)\s*;?\s*$`)

// maxScript bounds the scripts that are looked at; longer ones count as scripts of their own.
const maxScript = 2000

func (f *Field) readFormat(o pdf.Object) (*formatScript, error) {
	dict, err := f.d.Dict(o)
	if err != nil {
		return nil, err
	}
	if dict["F"] == nil {
		return nil, nil
	}
	action, err := f.d.Dict(dict["F"])
	if err != nil {
		return nil, err
	}
	js, err := f.d.Resolve(action["JS"])
	if err != nil {
		return nil, err
	}
	source, ok := textOf(f.d, js)
	m := formatCall.FindStringSubmatch(source)
	if !ok || len(source) > maxScript || m == nil || action["Next"] != nil {
		return &formatScript{}, nil
	}
	return &formatScript{name: m[1], args: splitArguments(m[2])}, nil
}

// splitArguments splits what stands between the brackets of a call. Commas within quotes part nothing.
func splitArguments(s string) []string {
	var all []string
	var quote rune
	from := 0
	for i, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && r == ',':
			all, from = append(all, strings.TrimSpace(s[from:i])), i+1
		}
	}
	return append(all, strings.TrimSpace(s[from:]))
}

// compareFormatted tells whether a text may be a value as it is formatted. Numbers and digits can be compared, dates and what other
// scripts make cannot.
func (s *formatScript) compareFormatted(value, shown string) Result {
	switch s.name {
	case "AFNumber_Format":
		return s.compareNumber(value, shown, 1)
	case "AFPercent_Format":
		return s.compareNumber(value, strings.ReplaceAll(shown, "%", ""), 100)
	case "AFSpecial_Format":
		if digitsOf(value) != "" && digitsOf(value) == digitsOf(shown) && isDigitsAndPunctuation(shown) {
			return Result{Outcome: Shown}
		}
		return Result{Differs, "other digits than the value has"}
	}
	if s.name != "" && digitsOf(shown) == "" {
		return Result{Differs, "no date or time"}
	}
	return Result{NotCompared, "a script formats it"}
}

// compareNumber compares numbers up to the decimals that are shown. Separators are those of the second argument: 0 and 1
// have a point, 2 and 3 a comma, 4 a point and apostrophes; the fifth is the currency.
func (s *formatScript) compareNumber(value, shown string, times float64) Result {
	if len(s.args) < 2 {
		return Result{NotCompared, "a script formats it"}
	}
	decimals, err1 := strconv.Atoi(s.args[0])
	style, err2 := strconv.Atoi(s.args[1])
	want, err3 := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(value), ",", "."), 64)
	if err1 != nil || err2 != nil || err3 != nil || decimals < 0 || decimals > 15 {
		return Result{NotCompared, "a script formats it"}
	}
	if len(s.args) > 4 {
		currency := strings.TrimSpace(unquoteArgument(s.args[4]))
		shown = strings.Replace(shown, string(foldText(currency)), "", 1)
	}
	got, ok := parseFormattedNumber(shown, style == 2 || style == 3)
	if !ok {
		return Result{Differs, "no number"}
	}
	want *= times
	if len(s.args) > 2 && (s.args[2] == "1" || s.args[2] == "3") {
		got, want = math.Abs(got), math.Abs(want) // negative numbers are red
	}
	if math.Abs(got-want) > 0.5*math.Pow10(-decimals)+1e-9*math.Abs(want) {
		return Result{Differs, "another number than the value"}
	}
	return Result{Outcome: Shown}
}

func unquoteArgument(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return strings.Trim(s, `"'`)
}

// pointed and commaed are numbers with a decimal point and with a decimal comma; what groups digits groups them by three.
var (
	pointNumber = regexp.MustCompile(`^\d*(?:[, ']\d{3})*(?:\.\d*)?$`)
	commaNumber = regexp.MustCompile(`^\d*(?:[. ']\d{3})*(?:,\d*)?$`)
)

// parseFormattedNumber reads a number that is written with separators; a negative one has a sign or stands in brackets.
func parseFormattedNumber(s string, comma bool) (float64, bool) {
	s = strings.TrimSpace(s)
	inner, negative := strings.CutPrefix(s, "(")
	if inner, closed := strings.CutSuffix(inner, ")"); negative && closed {
		s = inner
	} else {
		s, negative = strings.CutPrefix(s, "-")
	}
	s = strings.TrimSpace(s)
	form, point, group := pointNumber, ".", ","
	if comma {
		form, point, group = commaNumber, ",", "."
	}
	if !form.MatchString(s) {
		return 0, false
	}
	s = strings.NewReplacer(group, "", " ", "", "'", "", point, ".").Replace(s)
	v, err := strconv.ParseFloat(s, 64)
	if negative {
		v = -v
	}
	return v, err == nil
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// isDigitsAndPunctuation reports whether a text has nothing but digits and what parts them.
func isDigitsAndPunctuation(s string) bool {
	return strings.Trim(s, "0123456789 ()-./") == ""
}
