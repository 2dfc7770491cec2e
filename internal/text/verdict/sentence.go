package verdict

import (
	"strconv"
	"strings"
	"time"

	"segel/internal/text"
	"segel/pades/validate"
	"segel/pades/validate/facts"
)

// Reason is a code with its arguments, and its sentence in both languages.
type Reason struct {
	Code       string            `json:"code"`
	Args       map[string]string `json:"args" doc:"arguments of the sentence"`
	Indonesian string            `json:"id" doc:"the sentence in Indonesian"`
	English    string            `json:"en" doc:"the sentence in English"`
}

// In returns the sentence in a language.
func (r Reason) In(l text.Language) string {
	if l == text.Indonesian {
		return r.Indonesian
	}
	return r.English
}

// sentence is a template in both languages, in the notation of package text.
type sentence struct{ id, en string }

func (s sentence) in(l text.Language) string {
	if l == text.Indonesian {
		return s.id
	}
	return s.en
}

func renderReasons(list []validate.Reason) []Reason {
	all := make([]Reason, len(list))
	for i, r := range list {
		all[i] = renderReason(r)
	}
	return all
}

func renderReason(r validate.Reason) Reason { return renderWith(r, nil) }

// renderWith renders a reason, which may contain the statement about a signer's identity.
func renderWith(r validate.Reason, identity *validate.Identity) Reason {
	return Reason{r.Code, r.Args, renderSentence(text.Indonesian, r, identity), renderSentence(text.English, r, identity)}
}

// renderSentence returns the sentence for a reason. The sentences about identities that the embedded authority declares are
// in package text; a code without any is its own sentence.
func renderSentence(l text.Language, r validate.Reason, identity *validate.Identity) string {
	s, known := sentences[r.Code]
	args := map[string]any{}
	for name, v := range r.Args {
		args[name] = convertArgument(l, name, v)
	}
	switch {
	case !known && strings.HasPrefix(r.Code, "identity."):
		return text.Sentence(l, r.Code, args)
	case !known:
		return r.Code
	case identity != nil && r.Args["identity"] != "":
		args["identity"] = renderSentence(l, identity.Statement, nil)
	case r.Code == "coverage.broken":
		args["said"] = coverageSentence(r.Args["what"]).in(l)
	case strings.HasPrefix(r.Code, "revocation.") && r.Args["why"] != "":
		args["why"] = text.RevocationReason(l, r.Args["why"])
	}
	if i, has := r.Args["integrity"]; has {
		args["integrity"] = text.Fill(l, integritySentence(validate.Integrity(i), r.Args["pages"] != "").in(l), args)
	}
	if k := r.Args["kind"]; k != "" {
		args["kind"] = kindSentences[k].in(l)
	}
	return text.Fill(l, s.in(l), args)
}

// convertArgument formats times and numbers in the way of a language. Numbers of pages and revisions are not grouped.
func convertArgument(l text.Language, name, value string) any {
	switch name {
	case "time", "at", "from", "until", "after", "first", "second":
		if t, err := time.Parse(validate.TimeLayout, value); err == nil {
			return text.LongTime(l, t)
		}
	case "factor":
		return factorName(l, value)
	case "count", "bad", "unverified", "length":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n
		}
	}
	return value
}

// integritySentence is about integrity within a sentence. Covered is whether something allowed covers signed content.
func integritySentence(i validate.Integrity, covered bool) sentence {
	if i == validate.IntactLater && covered {
		return coveredSentence
	}
	return integritySentences[i]
}

func coverageSentence(code string) sentence {
	if s, known := coverageSentences[facts.ReasonCode(code)]; known {
		return s
	}
	return sentence{"tidak dapat dipastikan apa yang ditutupi", "what it covers cannot be determined"}
}
