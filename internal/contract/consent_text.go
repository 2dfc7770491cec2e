package contract

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Refusals about the text that signers accept.
var (
	// ErrConsentRequired refuses a signature of a person who has not accepted the text, for an organisation that demands it of everyone.
	ErrConsentRequired = Refuse(Conflict, "consent.required")
	// ErrConsentChanged refuses the acceptance of a text that is not the current one.
	ErrConsentChanged = Refuse(Conflict, "consent.text_changed")
)

// ConsentText is what people accept before they sign electronically for the first time for an organisation. A text never changes: another
// one is another version.
type ConsentText struct {
	Organisation OrganisationID    // empty: the text of the service
	Version      int               // of this organisation's texts, from 1
	Texts        map[string]string // by language: "id" and "en"
}

// Name returns the version as clients see it and as the audit log records it: "3", or "segel-1" for the text of the service.
func (t ConsentText) Name() string {
	if t.Organisation == "" {
		return serviceConsent + strconv.Itoa(t.Version)
	}
	return strconv.Itoa(t.Version)
}

const serviceConsent = "segel-" // before the version of a text of the service

// ParseConsentName parses what [ConsentText.Name] returns.
func ParseConsentName(name string) (version int, ofService, ok bool) {
	number, ofService := strings.CutPrefix(name, serviceConsent)
	version, err := strconv.Atoi(number)
	return version, ofService, err == nil && version > 0 && strconv.Itoa(version) == number
}

// Digest returns the SHA-256 of the text in a language: of its bytes in UTF-8 (docs/formats/consent-text.md).
func (t ConsentText) Digest(language string) [32]byte {
	return sha256.Sum256([]byte(t.Texts[language]))
}

// languageOf returns the language of the text with that digest.
func (t ConsentText) languageOf(digest [32]byte) (string, bool) {
	for _, l := range MessageLanguages {
		if t.Digest(l) == digest {
			return l, true
		}
	}
	return "", false
}

// ConsentPolicy is what an organisation demands of those who sign its documents.
type ConsentPolicy struct {
	Version  int  // of its own text; 0: it uses that of the service
	Required bool // everyone has to accept the text before they sign; otherwise programs may sign without it, and the audit log says that no text was shown
}

// maxConsentText is how many characters a consent text has at most.
const maxConsentText = 20_000

// CheckConsentText returns the texts without control characters and empty lines around them. Both languages are required.
func CheckConsentText(in map[string]string) (map[string]string, error) {
	var bad fieldErrors
	out := map[string]string{}
	for _, l := range MessageLanguages {
		switch out[l] = cleanLines(in[l]); {
		case out[l] == "":
			bad.add(l, "value.required")
		case utf8.RuneCountInString(out[l]) > maxConsentText:
			bad.add(l, "text.too_long", "limit", maxConsentText)
		}
	}
	return out, bad.asError()
}

// GivenConsent names a consent text that a request to sign says its signer accepted.
type GivenConsent struct {
	Version string
	Digest  [32]byte
}

// Acceptance is a person's acceptance of a consent text. The zero value means that the service showed none.
type Acceptance struct {
	Person       PersonID
	Organisation OrganisationID // of the document
	Version      string         // as [ConsentText.Name] returns it
	Language     string
	Digest       [32]byte // SHA-256 of the text in that language
	Document     DocumentID
	At           time.Time
}

// Accept decides what a signer accepted with a request. One of the given texts has to be the current one; there are several if a request signs
// documents of several organisations. Before is their earlier acceptance of the current text; zero, if there is none. Without both it returns
// the zero value, unless the organisation requires a text.
func (p ConsentPolicy) Accept(current ConsentText, given []GivenConsent, before Acceptance, d *Document, by Actor, now time.Time) (Acceptance, error) {
	if len(given) == 0 {
		if before.Version == "" && p.Required {
			return Acceptance{}, ErrConsentRequired
		}
		if !p.Required {
			return Acceptance{}, nil
		}
		return before, nil
	}
	for _, g := range given {
		language, known := current.languageOf(g.Digest)
		switch {
		case g.Version != current.Name() || !known:
		case before.Version != "":
			return before, nil
		default:
			return Acceptance{Person: by.ID, Organisation: d.Organisation, Version: g.Version, Language: language, Digest: g.Digest, Document: d.ID, At: now}, nil
		}
	}
	return Acceptance{}, ErrConsentChanged
}

// NoConsentText stands for the version in a signature event if the service showed no text.
const NoConsentText = "none"

// eventDetails returns details of an event about a document. Those of an acceptance with another document say when that was.
func (a Acceptance) eventDetails(of DocumentID) []string {
	if a.Version == "" {
		return []string{"consent_text", NoConsentText}
	}
	details := []string{"consent_text", a.Version, "consent_language", a.Language, "consent_text_digest", fmt.Sprintf("%x", a.Digest)}
	if a.Document != of {
		details = append(details, "consent_at", a.At.UTC().Format(time.RFC3339), "consent_document", strconv.FormatInt(int64(a.Document), 10))
	}
	return details
}
