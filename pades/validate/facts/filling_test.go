package facts_test

import (
	"slices"
	"testing"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pades/validate/formfield/formtest"
)

// signedCase is the form of a case, signed before it is filled in, and filled in.
func signedCase(t *testing.T, c formtest.Case, sign ...func(*pades.Options)) (signed, filled []byte) {
	t.Helper()
	b := must[[]byte](t)(formtest.Form())
	if c.Prepare != nil {
		b = must[[]byte](t)(formtest.Append(b, c.Prepare))
	}
	signed = on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A", sign...).b
	return signed, must[[]byte](t)(formtest.Append(signed, c.Fill))
}

func TestAFieldThatIsFilledInShowsItsValue(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(formtest.Honest(), formtest.Attacks()) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			_, b := signedCase(t, c)
			f := read(t, b)
			found := troubles(f.Signatures[0])
			noted := slices.Contains(notes(f), diff.ValueNotCompared)
			if denied := len(found) > 0; denied != (c.Want == formtest.Denied) || !denied && noted != (c.Want == formtest.Warned) {
				t.Errorf("denied %v for %v, noted as not compared %v, want %d\n%s", denied, found, noted, c.Want, summary(f))
			}
		})
	}
}
