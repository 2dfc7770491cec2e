package validate

import (
	"regexp"
	"strings"

	"segel/pades/validate/facts"
	"segel/pdf"
)

// How duty stamps (e-meterai) are written into files: a signature in the field Emet<serial>, whose reason begins with
// the serial in brackets; older ones stand in a field sig<milliseconds>. A serial has 22 digits and capital letters;
// one that begins with SPESIMEN is of no legal value.
var (
	stampField    = regexp.MustCompile(`^Emet([0-9A-Z-]{1,64})$`)
	oldStampField = regexp.MustCompile(`^sig[0-9]{10,16}$`)
	stampReason   = regexp.MustCompile(`^\[([0-9A-Z-]{1,64})\] ?(.*)$`)
	stampSerial   = regexp.MustCompile(`^[0-9A-Z]{22}$`)
)

const specimenPrefix = "SPESIMEN-"

// StampOf recognises a duty stamp by what its signature says of itself: the full name of the field, and the reason. It
// returns the serial, and what follows it in the reason. Who signed it is another question.
func StampOf(field, reason string) (serial, rest string, ok bool) {
	if m := stampReason.FindStringSubmatch(reason); m != nil {
		serial, rest = m[1], m[2]
	}
	if m := stampField.FindStringSubmatch(field); m != nil {
		if serial != "" && serial != m[1] {
			return "", "", false // it contradicts itself
		}
		serial = m[1]
		if isSerial(serial) {
			return serial, rest, true
		}
		return "", "", false
	}
	if oldStampField.MatchString(field) && isSerial(serial) {
		return serial, rest, true
	}
	return "", "", false
}

// maxStampSide is the largest side of a duty stamp in points.
const maxStampSide = 200

// isDutyStamp reports whether a signature says that it is a duty stamp, and is shown in a box of the size of one.
func isDutyStamp(s *facts.Signature, shown pdf.Rect) bool {
	_, _, ok := StampOf(s.Field, s.Reason)
	return ok && max(shown.Width(), shown.Height()) <= maxStampSide+1
}

func isSerial(s string) bool {
	return stampSerial.MatchString(s) || strings.HasPrefix(s, specimenPrefix)
}

// listStamps lists the duty stamps among the signatures. It is called with the signatures judged.
func (v *validation) listStamps(r *Report) []Stamp {
	list, count := []Stamp{}, map[string]int{}
	for i, s := range v.signatures {
		serial, rest, ok := StampOf(s.facts.Field, s.facts.Reason)
		if !ok || s.isDocumentTimestamp {
			continue
		}
		count[serial]++
		box := s.facts.Shown
		one := Stamp{
			Field: s.facts.Field, Serial: serial, Reason: rest, Office: holderName(s.cert), Page: visiblePage(s.facts),
			Box:       [4]float64{box.LLX, box.LLY, box.URX, box.URY},
			Trusted:   r.Signatures[i].Indication == TotalPassed,
			Specimen:  strings.HasPrefix(serial, specimenPrefix) || v.trustAnchors().endsInOwnRoot(s.trust.chain),
			Elsewhere: "unknown",
		}
		one.Recognised = one.Trusted && !one.Specimen && v.trustAnchors().isStampIssuer(s.trust.chain)
		list = append(list, one)
		r.Signatures[i].Kind = KindStamp
	}
	for i := range list {
		list[i].Twice = count[list[i].Serial] > 1
		list[i].Summarize()
	}
	return list
}

// Summarize puts the stamp into one sentence. Whoever sets Elsewhere or Altered calls it again.
func (s *Stamp) Summarize() {
	pairs := []string{"serial", s.Serial, "office", s.Office, "page", formatInt(s.Page)}
	code := "stamp.unproved"
	switch {
	case s.Specimen:
		code = "stamp.specimen"
	case s.Recognised:
		code = "stamp.genuine"
	case s.Trusted:
		code = "stamp.unknown_office"
	}
	s.Summary = newReason(code, pairs...)
	s.Reasons = []Reason{}
	if s.Twice {
		s.Reasons = append(s.Reasons, newReason("stamp.twice", "serial", s.Serial))
	}
	if s.Elsewhere == "yes" {
		s.Reasons = append(s.Reasons, newReason("stamp.elsewhere", "serial", s.Serial))
	}
	if s.Altered {
		s.Reasons = append(s.Reasons, newReason("stamp.altered", "serial", s.Serial))
	}
}
