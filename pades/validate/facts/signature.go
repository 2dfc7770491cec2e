package facts

import (
	"crypto"
	"crypto/x509"
	"errors"
	"time"

	"segel/cms"
	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/tsp"
)

// Kind is what a signature is for.
type Kind string

const (
	Approval      Kind = "approval"
	Certification Kind = "certification" // the first one, which says what may change after it
	Timestamp     Kind = "timestamp"     // document timestamp
)

// Form is the format of a signature.
type Form string

// The forms, named after their /SubFilter.
const (
	FormCAdES    Form = "ETSI.CAdES.detached"
	FormDetached Form = "adbe.pkcs7.detached"
	FormSHA1     Form = "adbe.pkcs7.sha1"    // the content of the container is a SHA-1 of the file
	FormRSA      Form = "adbe.x509.rsa_sha1" // an RSA signature alone, its certificate in the dictionary
	FormRFC3161  Form = "ETSI.RFC3161"       // document timestamp
	FormUnknown  Form = ""
)

// State is what a signature covers.
type State string

const (
	WholeFile     State = "file"     // all but its own value, and nothing follows
	WholeRevision State = "revision" // the same for the file at that time
	Broken        State = "broken"   // neither: see Coverage.Reasons
)

// Coverage is what a signature covers. End is the end of the signed bytes, 0 unless /ByteRange is sound.
type Coverage struct {
	State   State
	End     int64
	Reasons []Reason
}

// Reason is why something is not valid.
type Reason struct {
	Code   ReasonCode
	Detail string // in English
}

// ReasonCode names a reason.
type ReasonCode string

// Reasons for a broken coverage.
const (
	RangeMissing         ReasonCode = "byte_range_missing"    // or not a direct array
	RangeCount           ReasonCode = "byte_range_count"      // not four numbers
	RangeNumbers         ReasonCode = "byte_range_numbers"    // not integers, negative, too large, indirect
	RangeStart           ReasonCode = "byte_range_start"      // does not begin at 0
	RangeGap             ReasonCode = "byte_range_gap"        // the gap is not exactly /Contents
	RangeEnd             ReasonCode = "byte_range_end"        // does not end at the end of a revision
	RangeOutside         ReasonCode = "byte_range_outside"    // reaches beyond the file
	ContentsMissing      ReasonCode = "contents_missing"      // or not a direct hexadecimal string, or in an object stream
	ContentsShared       ReasonCode = "contents_shared"       // another signature has the same /Contents
	KeyTwice             ReasonCode = "key_twice"             // a dictionary has a key twice
	FieldShared          ReasonCode = "field_shared"          // several fields refer to the dictionary
	Overlap              ReasonCode = "overlap"               // the gap lies in an earlier revision than the end of the signature
	JunkBehind           ReasonCode = "junk_behind"           // bytes after the last revision
	DictionaryUnreadable ReasonCode = "dictionary_unreadable" // or not a dictionary
	DictionaryDiffers    ReasonCode = "dictionary_differs"    // it differs in the signed revision
	FieldDiffers         ReasonCode = "field_differs"         // the field does not have it in the signed revision
	RevisionUnsound      ReasonCode = "revision_unsound"      // the signed revision does not open as a file
	FileRepaired         ReasonCode = "repaired"              // the cross-reference was rebuilt
	NoPages              ReasonCode = "no_pages"              // the file has no readable page
	TypeWrong            ReasonCode = "type_wrong"            // /Type is neither /Sig nor /DocTimeStamp
)

// Oddities.
const (
	EncapsulatedContent  ReasonCode = "encapsulated_content"  // a detached container has content
	SeveralSigners       ReasonCode = "several_signers"       // only the first is verified
	BareSignature        ReasonCode = "bare_signature"        // no signed attributes: nothing binds the certificate
	UnknownForm          ReasonCode = "unknown_form"          // of that /SubFilter
	BasicEncoding        ReasonCode = "basic_encoding"        // the container, or a timestamp in it, is BER instead of DER
	PermissionUnreadable ReasonCode = "permission_unreadable" // a certification or lock is malformed, and counts as the strictest
)

// Signature is what is known about one signature or document timestamp. Its texts are claims of the dictionary.
type Signature struct {
	Field     string  // fully qualified name
	FieldRef  pdf.Ref // of the field
	Ref       pdf.Ref // of the signature dictionary; zero if it is direct
	Kind      Kind
	Form      Form
	Filter    pdf.Name
	SubFilter pdf.Name
	Revision  int // that it closes, from 1; 0 if none

	Name, Reason, Location, ContactInfo string
	M                                   string    // as in the dictionary
	Claimed                             time.Time // from M; zero if missing or not a date

	Page    int      // of the first widget, from 1; 0 if none
	Box     pdf.Rect // of that widget, default user space
	Shown   pdf.Rect // the same in points from the lower left of the page as displayed
	Visible bool     // it has an area and is not hidden

	ByteRange []int64 // as stated, if integers
	Coverage  Coverage
	Contents  []byte // of the dictionary, including padding

	// Container is the parsed CMS of a signature or document timestamp; nil for FormRSA and with ContainerErr.
	Container    *cms.SignedData
	ContainerErr error
	Info         *cms.Signer         // the only signer of Container; nil if there is not exactly one
	Signer       *x509.Certificate   // nil if it was not found
	Certificates []*x509.Certificate // in the container or in /Cert, the signer's among them
	Refused      []error             // why certificates were left out: unreadable, or too expensive

	Digest   crypto.Hash // over the signed bytes; 0 if unknown
	Stated   []byte      // the digest that the container states
	Computed []byte      // the digest of the file
	// Integrity is nil if digest and signature value are right; otherwise ErrDigest or another of the errors below.
	Integrity error

	// Token is that of a document timestamp; nil with Kind Timestamp and TokenErr.
	Token    *tsp.Token
	TokenErr error
	// Tokens are the signature timestamps within the container.
	Tokens []Token

	Certification pdf.Permission  // 0 if the signature is none
	Locks         []pdf.FieldLock // those of the signature and of its field
	// Permits is the highest level of later changes that this signature, or a certification before it, permits.
	// Comments are denied even at Annotations.
	Permits diff.Level

	// Later are the revisions after the signature's own, oldest first.
	Later []Later
	// Odd lists oddities, which break nothing by themselves.
	Odd []Reason

	certified       bool // it is a certification, or follows one
	dict, fieldDict pdf.Dict
	gapAt, gapEnd   int64 // of /Contents in the file, including brackets
	digests         []*digestRequest
	rsaValue        []byte // signature value of FormRSA
}

// ContentsAt returns the offset of /Contents in the file, which shows the revision of the dictionary even for a broken
// signature. It is 0 if /Contents is not a direct string.
func (s *Signature) ContentsAt() int64 { return s.gapAt }

// Token is one signature timestamp (attribute signature-time-stamp).
type Token struct {
	DER   []byte
	Token *tsp.Token // nil if it cannot be read
	Err   error      // nil if it is valid for this signature's value
}

// Later is one later revision from the point of view of a signature.
type Later struct {
	Revision int
	Changes  []diff.Change // shared with File.Revisions: read-only
	Level    diff.Level    // the highest of Changes
	// Denied are the indexes of Changes that this signature does not permit, by its level or by a lock.
	Denied []int
	// Locked are those of Denied that fill in a locked field.
	Locked []int
}

// Errors of Integrity, for errors.Is.
var (
	ErrDigest      = errors.New("the signed bytes have another digest than the signature states")
	ErrValue       = errors.New("the signature value does not fit the signer's key")
	ErrAlgorithm   = errors.New("unsupported algorithm")
	ErrContainer   = errors.New("the signature container cannot be read")
	ErrNoSigner    = errors.New("the signer's certificate is not there")
	ErrAttributes  = errors.New("the signed attributes do not hold together")
	ErrNotComputed = errors.New("the digest was not computed") // broken coverage, or Limits.Hashed was reached
)
