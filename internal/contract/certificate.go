package contract

import "time"

// Certificate is the record of a certificate that the embedded authority issued.
type Certificate struct {
	Serial    string // lower-case hexadecimal
	Subject   string
	DER       []byte
	IssuedAt  time.Time
	NotAfter  time.Time
	RevokedAt time.Time // zero: not revoked
	Reason    int       // RFC 5280 §5.3.1
	Holder    string    // our identifier of the subject: a person, or an organisation for its seal

	// What was verified about the holder, who named a guest, the organisation and the holder's e-mail at the time of issue.
	// Empty for certificates issued before this was recorded. The e-mail is not in the certificate.
	Assurance    Assurance
	NamedBy      string
	Organisation string
	Email        string
}

// CertificateStatus is the status of a certificate at a moment.
type CertificateStatus string

// The certificate statuses.
const (
	CertificateValid   CertificateStatus = "valid"
	CertificateEnded   CertificateStatus = "ended"
	CertificateRevoked CertificateStatus = "revoked"
)

// Status returns the status of the certificate at a moment.
func (c Certificate) Status(now time.Time) CertificateStatus {
	switch {
	case !c.RevokedAt.IsZero():
		return CertificateRevoked
	case !c.NotAfter.After(now):
		return CertificateEnded
	}
	return CertificateValid
}
