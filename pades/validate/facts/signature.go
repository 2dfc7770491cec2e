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

// The kinds.
const (
	Approval      Kind = "approval"
	Certification Kind = "certification" // the first one, which says what may change after it
	Timestamp     Kind = "timestamp"     // document timestamp
)

// Form is how the signature is kept.
type Form string

// The forms, named after their /SubFilter.
const (
	FormCAdES    Form = "ETSI.CAdES.detached"
	FormDetached Form = "adbe.pkcs7.detached"
	FormSHA1     Form = "adbe.pkcs7.sha1"    // the content of the container is a SHA-1 of the file
	FormRSA      Form = "adbe.x509.rsa_sha1" // a bare RSA signature, its certificate in the dictionary
	FormRFC3161  Form = "ETSI.RFC3161"       // document timestamp
	FormUnknown  Form = ""
)

// State is what a signature covers.
type State string

// The states.
const (
	WholeFile     State = "file"     // all but its own value, and nothing follows
	WholeRevision State = "revision" // the same of the file as it stood then
	Broken        State = "broken"   // not that: see Coverage.Reasons
)

// Coverage tells what the signature is about. End is where the signed bytes end, and is 0 unless /ByteRange is sound.
type Coverage struct {
	State   State
	End     int64
	Reasons []Reason
}

// Reason is why something does not hold.
type Reason struct {
	Code   ReasonCode
	Detail string // in English
}

// ReasonCode names a reason.
type ReasonCode string

// Reasons of a broken coverage.
const (
	RangeMissing         ReasonCode = "byte_range_missing"    // or no array of the dictionary itself
	RangeCount           ReasonCode = "byte_range_count"      // not four numbers
	RangeNumbers         ReasonCode = "byte_range_numbers"    // not integers, negative, too large, indirect
	RangeStart           ReasonCode = "byte_range_start"      // does not begin at 0
	RangeGap             ReasonCode = "byte_range_gap"        // the gap is not exactly /Contents
	RangeEnd             ReasonCode = "byte_range_end"        // does not end where a revision ends
	RangeOutside         ReasonCode = "byte_range_outside"    // reaches out of the file
	ContentsMissing      ReasonCode = "contents_missing"      // or no hexadecimal string of the dictionary itself, or in an object stream
	ContentsShared       ReasonCode = "contents_shared"       // another signature has the same /Contents
	KeyTwice             ReasonCode = "key_twice"             // a dictionary states a key twice
	FieldShared          ReasonCode = "field_shared"          // several fields lead to the dictionary
	Overlap              ReasonCode = "overlap"               // the gap lies in an earlier revision than the signature ends
	JunkBehind           ReasonCode = "junk_behind"           // bytes behind the last revision
	DictionaryUnreadable ReasonCode = "dictionary_unreadable" // or no dictionary
	DictionaryDiffers    ReasonCode = "dictionary_differs"    // read from the signed revision it is another
	FieldDiffers         ReasonCode = "field_differs"         // the field does not have it in the signed revision
	RevisionUnsound      ReasonCode = "revision_unsound"      // the signed revision does not open as a file
	FileRepaired         ReasonCode = "repaired"              // the cross-reference had to be rebuilt
	NoPages              ReasonCode = "no_pages"              // the file has no page that can be read
	TypeWrong            ReasonCode = "type_wrong"            // /Type is neither /Sig nor /DocTimeStamp
)

// Oddities.
const (
	EncapsulatedContent ReasonCode = "encapsulated_content" // the container has content although it is detached
	SeveralSigners      ReasonCode = "several_signers"      // only the first is looked at
	BareSignature       ReasonCode = "bare_signature"       // no signed attributes: nothing binds the certificate
	UnknownForm         ReasonCode = "unknown_form"         // of that /SubFilter
	BasicEncoding       ReasonCode = "basic_encoding"       // the container, or a timestamp within, is BER, and not DER as it should be
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
	M                                   string    // as the dictionary has it
	Claimed                             time.Time // what M says; zero if it is missing or no date

	Page    int      // the first widget is on, from 1; 0 if on none
	Box     pdf.Rect // of that widget, default user space
	Shown   pdf.Rect // the same as displayed: points from the lower left of the page
	Visible bool     // it has an area and is not hidden

	ByteRange []int64 // as stated, if that are integers
	Coverage  Coverage
	Contents  []byte // of the dictionary, padding included

	// Container is the parsed CMS of a signature, nil of FormRSA and if ContainerErr is not. A document timestamp has
	// it too.
	Container    *cms.SignedData
	ContainerErr error
	Info         *cms.Signer         // the only signer of Container; nil if it has not exactly one
	Signer       *x509.Certificate   // nil if it was not found
	Certificates []*x509.Certificate // in the container or in /Cert, the signer's among them
	Refused      []error             // why certificates there were left out: they cannot be read, or cost too much

	Digest   crypto.Hash // over the signed bytes; 0 if unknown
	Stated   []byte      // what the container says that digest is
	Computed []byte      // what it is
	// Integrity is nil if digest and signature value are right: see ErrDigest and the like.
	Integrity error
	Weak      []string // algorithms that are no longer relied on, such as "SHA-1", "RSA-1024"

	// Token is that of a document timestamp; nil with Kind Timestamp if TokenErr says why.
	Token    *tsp.Token
	TokenErr error
	// Tokens are the signature timestamps within the container.
	Tokens []Token

	Certification int    // DocMDP permission 1 to 3; 0 if the signature is none
	Locks         []Lock // FieldMDP
	// Permits is the highest level of later changes that this signature, or a certification before it, permits. Comments
	// are denied even where it is Annotations.
	Permits diff.Level

	// Later are the revisions behind the signature's own, oldest first.
	Later []Later
	// Odd is what no standard asks for and what breaks nothing by itself.
	Odd []Reason

	certified       bool // it is a certification, or one came before
	dict, fieldDict pdf.Dict
	gapAt, gapEnd   int64 // of /Contents in the file, brackets included
	digests         []*digestRequest
	rsaValue        []byte // signature value of FormRSA
}

// ContentsAt returns the offset of /Contents in the file. It tells which revision brought the dictionary, even if the
// signature is broken. It is 0 if /Contents is not a direct string of the dictionary.
func (s *Signature) ContentsAt() int64 { return s.gapAt }

// Token is one signature timestamp (attribute signature-time-stamp).
type Token struct {
	DER   []byte
	Token *tsp.Token // nil if it cannot be read
	Err   error      // nil if it is sound and about this signature's value
}

// Lock is one FieldMDP transform.
type Lock struct {
	Action string // All, Include or Exclude
	Fields []string
	P      int // permission that the lock adds, 1 to 3; 0 if none
}

// Later is one later revision as a signature sees it.
type Later struct {
	Revision int
	Changes  []diff.Change // shared with File.Revisions: not to be changed
	Level    diff.Level    // the highest of Changes
	// Denied are the indexes of Changes that this signature does not permit, by its level or by a lock.
	Denied []int
	// Locked are those of Denied that fill in a field this signature locks.
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
	ErrNotComputed = errors.New("the digest was not computed") // coverage is too odd, or Limits.Hashed was reached
)
