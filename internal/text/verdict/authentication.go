package verdict

import (
	"slices"

	"segel/internal/authstatement"
	"segel/internal/contract"
	"segel/internal/text"
	"segel/pades/validate"
)

// newAuthentication returns how the signer of a signature was authenticated; nil if the signature does not state it.
//
// Every signer can add the attribute, so it is a statement of the service only in a signature that passed with a certificate of an account: the
// service holds the keys of those.
func newAuthentication(s *validate.Signature) *Authentication {
	if s.Identity == nil || s.Facts == nil || s.Facts.Container == nil || len(s.Facts.Container.Signers) == 0 {
		return nil
	}
	found, err := authstatement.Find(s.Facts.Container.Signers[0].Signed)
	if err != nil {
		return &Authentication{StatedBy: StatedBySignature, Statement: renderReason(validate.NewReason("authentication.unreadable"))}
	}
	if found == nil {
		return nil
	}
	a := &Authentication{
		Factor: found.Factor, ForSignature: found.ForSignature, Key: validate.ReplaceQuotes(validate.CleanText(found.Key)), StatedBy: StatedBySignature,
	}
	if s.Indication == validate.TotalPassed && s.Identity.Assurance == string(contract.AssuranceAccount) {
		a.StatedBy = StatedByService
	}
	code := "authentication." + a.StatedBy + "_login"
	switch {
	case contract.Factor(a.Factor) == contract.FactorKey:
		code = "authentication." + a.StatedBy + "_key"
	case a.ForSignature:
		code = "authentication." + a.StatedBy + "_signature"
	}
	a.Statement = renderReason(validate.NewReason(code, "factor", a.Factor, "key", a.Key))
	return a
}

// factorName returns the name of a factor. One of a later release, or of another program, stays a code.
func factorName(l text.Language, code string) string {
	if f := contract.Factor(code); slices.Contains(contract.Factors, f) {
		return text.FactorName(l, f)
	}
	return code
}
