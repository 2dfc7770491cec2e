package text

import (
	"strings"
	"time"
)

// revocations says why a certificate was revoked, by the names of RFC 5280 §5.3.1.
var revocations = map[string]sentence{
	"revocation.unspecified":          {"sebabnya tidak disebutkan", "for a cause that is not told"},
	"revocation.keyCompromise":        {"kuncinya bocor", "its key was compromised"},
	"revocation.cACompromise":         {"kunci penerbitnya bocor", "its issuer's key was compromised"},
	"revocation.affiliationChanged":   {"pemiliknya tidak lagi di organisasi itu", "its holder has left the organisation"},
	"revocation.superseded":           {"sertifikat lain menggantikannya", "another certificate takes its place"},
	"revocation.cessationOfOperation": {"tidak dipakai lagi", "it is not used any more"},
	"revocation.certificateHold":      {"ditangguhkan", "it is on hold"},
	"revocation.removeFromCRL":        {"penangguhannya diakhiri", "it is no longer on hold"},
	"revocation.privilegeWithdrawn":   {"wewenang pemiliknya dicabut", "its holder lost the right to it"},
	"revocation.aACompromise":         {"kunci otoritas wewenangnya bocor", "the key of the authority for its rights was compromised"},
}

// RevocationReason says why a certificate was revoked; a name that is none of RFC 5280 §5.3.1 is returned as it is.
func RevocationReason(l Language, reason string) string {
	if _, ok := revocations["revocation."+reason]; !ok {
		return reason
	}
	return Sentence(l, "revocation."+reason, nil)
}

// revocationArguments takes the words behind closing.revoked apart: serial in hexadecimal, moment, reason. Other words are no
// arguments, and the sentence does without.
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
