package emeterai

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"segel/pades/validate"
	"segel/pades/validate/facts"
	"segel/pdf"
)

// A duty stamp is a signature in the field that [FieldName] names, with a reason by [SignatureReason]. Older stamps are in a field
// sig<milliseconds>. A serial has 22 digits and capital letters; one with the prefix of specimens has no legal value.
var (
	stampField    = regexp.MustCompile(`^` + fieldPrefix + `([0-9A-Z-]{1,64})$`)
	oldStampField = regexp.MustCompile(`^sig[0-9]{10,16}$`)
	stampReason   = regexp.MustCompile(`^\[([0-9A-Z-]{1,64})\] ?(.*)$`)
	stampSerial   = regexp.MustCompile(`^[0-9A-Z]{22}$`)
)

const specimenPrefix = "SPESIMEN-"

// ParseStamp recognises a duty stamp by the full name of its field and its reason. It returns the serial, and the rest of
// the reason. Who signed it is another question.
func ParseStamp(field, reason string) (serial, rest string, ok bool) {
	if m := stampReason.FindStringSubmatch(reason); m != nil {
		serial, rest = m[1], m[2]
	}
	if m := stampField.FindStringSubmatch(field); m != nil {
		if serial != "" && serial != m[1] {
			return "", "", false // field and reason contradict each other
		}
		serial = m[1]
	} else if !oldStampField.MatchString(field) {
		return "", "", false
	}
	if !stampSerial.MatchString(serial) && !strings.HasPrefix(serial, specimenPrefix) {
		return "", "", false
	}
	return serial, rest, true
}

// maxStampSide is the largest side of a duty stamp in points.
const maxStampSide = 200

// LooksLikeStamp reports whether a signature claims to be a duty stamp and is shown at the size of one. It is the
// exemption of [validate.Options].
func LooksLikeStamp(s *facts.Signature, shown pdf.Rect) bool {
	_, _, ok := ParseStamp(s.Field, s.Reason)
	return ok && max(shown.Width(), shown.Height()) <= maxStampSide+1
}

// Stamp is a duty stamp in a validated file.
type Stamp struct {
	Signature  int // its index in the report
	Field      string
	Serial     string
	Reason     string // without the serial
	Office     string // the holder of its certificate
	Specimen   bool   // of no legal value
	Trusted    bool   // the signature passed
	Recognised bool   // its chain contains a certificate trusted for duty stamps; a name in a file proves no office
	Page       int
	Box        [4]float64 // LLX, LLY, URX, URY in points from the lower left of the page as displayed
	Twice      bool       // the serial occurs twice in the file
	Altered    bool       // the file is the document that the stamp was affixed to, with other bytes
	Elsewhere  string     // whether the serial belongs to another document known here: yes, no, or unknown
}

// FindStamps lists the duty stamps among the signatures of a report.
func FindStamps(r *validate.Report) []Stamp {
	list, count := []Stamp{}, map[string]int{}
	for i := range r.Signatures {
		s := &r.Signatures[i]
		if s.Facts == nil || s.Kind == validate.KindTimestamp {
			continue
		}
		serial, rest, ok := ParseStamp(s.Facts.Field, s.Facts.Reason)
		if !ok {
			continue
		}
		count[serial]++
		box := s.Facts.Shown
		one := Stamp{
			Signature: i, Field: s.Facts.Field, Serial: serial, Reason: rest, Page: s.Page, Box: [4]float64{box.LLX, box.LLY, box.URX, box.URY},
			Trusted:   s.Indication == validate.TotalPassed,
			Specimen:  strings.HasPrefix(serial, specimenPrefix) || endsInOwnRoot(s.Chain),
			Elsewhere: "unknown",
		}
		if s.Signer != nil {
			one.Office = s.Signer.Name
		}
		one.Recognised = one.Trusted && !one.Specimen && slices.ContainsFunc(s.Chain, func(c validate.Certificate) bool { return c.Purposes&validate.ForStamps != 0 })
		list = append(list, one)
	}
	for i := range list {
		list[i].Twice = count[list[i].Serial] > 1
	}
	return list
}

// endsInOwnRoot reports whether a chain ends in a trust anchor of the program's own authority, which makes specimens.
func endsInOwnRoot(chain []validate.Certificate) bool {
	return len(chain) > 0 && chain[len(chain)-1].TrustOrigin == validate.OriginOwn
}

// Summary sums up the stamp.
func (s *Stamp) Summary() validate.Reason {
	code := "stamp.unproved"
	switch {
	case s.Specimen:
		code = "stamp.specimen"
	case s.Recognised:
		code = "stamp.genuine"
	case s.Trusted:
		code = "stamp.unknown_office"
	}
	return validate.NewReason(code, "serial", s.Serial, "office", s.Office, "page", strconv.Itoa(s.Page))
}

// Problems returns what speaks against the stamp.
func (s *Stamp) Problems() []validate.Reason {
	var list []validate.Reason
	for _, p := range []struct {
		found bool
		code  string
	}{{s.Twice, "stamp.twice"}, {s.Elsewhere == "yes", "stamp.elsewhere"}, {s.Altered, "stamp.altered"}} {
		if p.found {
			list = append(list, validate.NewReason(p.code, "serial", s.Serial))
		}
	}
	return list
}
