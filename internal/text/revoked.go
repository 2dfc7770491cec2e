package text

import (
	"strings"
	"time"
)

// revocations give the reason of a revocation, by the names of RFC 5280 §5.3.1.
var revocations = map[string]sentence{
	"revocation.unspecified":          {"alasannya tidak disebutkan", "no reason was given"},
	"revocation.keyCompromise":        {"kuncinya bocor", "its key was compromised"},
	"revocation.cACompromise":         {"kunci penerbitnya bocor", "its issuer's key was compromised"},
	"revocation.affiliationChanged":   {"pemiliknya tidak lagi berada di organisasi itu", "its holder has left the organisation"},
	"revocation.superseded":           {"telah digantikan oleh sertifikat lain", "it was superseded by another certificate"},
	"revocation.cessationOfOperation": {"tidak digunakan lagi", "it is no longer used"},
	"revocation.certificateHold":      {"ditangguhkan", "it is on hold"},
	"revocation.removeFromCRL":        {"penangguhannya diakhiri", "it is no longer on hold"},
	"revocation.privilegeWithdrawn":   {"wewenang pemiliknya dicabut", "its holder's authorisation was withdrawn"},
	"revocation.aACompromise":         {"kunci otoritas atributnya bocor", "the attribute authority's key was compromised"},
}

// RevocationReason returns why a certificate was revoked. A name that is not in RFC 5280 §5.3.1 is returned unchanged.
func RevocationReason(l Language, reason string) string {
	if _, ok := revocations["revocation."+reason]; !ok {
		return reason
	}
	return Sentence(l, "revocation."+reason, nil)
}

// revocationArguments parses the words after closing.revoked: serial number in hexadecimal, time, reason. Other words
// give no arguments, and the sentence leaves them out.
func revocationArguments(l Language, words string) map[string]any {
	part := strings.SplitN(words, ", ", 3)
	if len(part) < 3 {
		return nil
	}
	at, err := time.Parse(time.RFC3339, part[1])
	if err != nil {
		return nil
	}
	return map[string]any{"serial": part[0], "when": ShortTime(l, at), "why": RevocationReason(l, part[2])}
}
