package emeterai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"segel/pades"
	"segel/pdf"
	"sync"
)

// Stamper is an office that issues serials and affixes duty stamps. Its errors are [*Problem]; any other error means
// that it is not known what happened. Implementations run [segel/internal/emeterai/emeteraitest.Run] and are safe for
// concurrent use.
type Stamper interface {
	// BuySerial spends one unit and returns the serial that it bought. An order that may have been sent before says so
	// and gets the serial that it bought then, also after a restart or if the answer was lost; see Order.MaybeSent.
	BuySerial(ctx context.Context, o Order) (serial string, err error)
	// Stamp affixes a serial and returns the bytes that extend the source. Repeating it with the same serial and the
	// same digest of the source costs nothing; another source for an affixed serial is refused permanently. The bytes
	// may differ between calls; the caller stores the first ones that [CheckStampedFile] accepts.
	Stamp(ctx context.Context, r Request) (tail []byte, err error)
	// SerialStatus returns the office's status of a serial. A serial that the office never issued is a [Permanent]
	// problem.
	SerialStatus(ctx context.Context, serial string) (Status, error)
	// CheckAffixable checks that an unused serial that was bought earlier can be affixed: that what belongs to it,
	// such as its picture, is here or can be fetched again. It costs nothing.
	CheckAffixable(ctx context.Context, serial string) error
	// ListSerials lists all serials of the account, in no particular order. The list is complete, or an error is
	// returned: a serial that is not in it was not issued.
	ListSerials(ctx context.Context) ([]Serial, error)
	// Balance returns how many units the account can still buy, and how many serials are unused.
	Balance(ctx context.Context) (Balance, error)
	// Availability says, without calling the office, whether it can be called now.
	Availability() Availability
	// IsSpecimen reports whether its stamps have no legal value.
	IsSpecimen() bool
}

// Order orders one serial.
type Order struct {
	ID           string    // our identifier, committed before the office is called; letters and digits
	Organisation string    // identifier of the organisation that pays
	Payer        string    // name of the organisation that pays
	Title        string    // of the document
	Filename     string    // of the document
	Number       string    // of the document, if it has one
	Kind         string    // kind of document, in the words of the configuration; empty: the default
	Date         time.Time // of the document
	// MaybeSent says that this order may have bought a serial before: in a call of a process that crashed, or in one with an
	// unknown result. False only if this is certainly the first call, or each one before it certainly bought nothing.
	MaybeSent bool
	// SentBefore is zero, or says that the order can only have been sent before that moment, by an installation that was lost and restored.
	SentBefore time.Time
	// Attempt counts the calls that were intended for this order, in all processes; 0: they are not counted. LastSent is the number of the last
	// one before it that may have bought a serial; 0: there was none. What a process remembers of an order holds only if it made that call
	// itself, or made one after it.
	Attempt, LastSent int
	// Source is the file that the serial will be affixed to. Offices that need the file before they issue a serial
	// read it; the same bytes are in the Request.
	Source pades.Source
}

// Status is the state of a serial at the office.
type Status string

// The states of a serial at the office.
const (
	Unused  Status = "unused"  // bought, not affixed
	Affixed Status = "affixed" // affixed to a source
)

// Serial is one entry of an account.
type Serial struct {
	Serial string
	Status Status
	File   string    // file name given at the purchase; empty if the office does not return it
	At     time.Time // last change; zero if the office does not return it
}

// Balance is the content of an account, in units of one stamp.
type Balance struct {
	Left   int // units that can still be bought
	Unused int // serials that are not affixed
}

// Availability says whether an office can be called. The zero value says yes.
type Availability struct {
	Down   bool      // it is not called until Until
	Until  time.Time // when the next call is made
	Reason string    // the last failure, for people
}

// Request is a request to affix a serial.
type Request struct {
	Serial   string
	Source   pades.Source
	Opened   *pdf.Document // the source as an opened document, if the caller has it; nil: OpenSource opens it
	Digest   [32]byte      // SHA-256 over the source
	Page     int           // from 1
	Box      Box
	Reason   string
	Location string
	// Organisation is the identifier of the organisation that pays. Where documents wait for the office, organisations take turns.
	Organisation string
	// MaybeSent says that the request to affix this serial may have been sent before. False only if this is certainly
	// the first call.
	MaybeSent bool
}

// OpenSource returns the source as an opened document.
func (r Request) OpenSource() (*pdf.Document, error) {
	if r.Opened != nil && r.Opened.Size() == r.Source.Size {
		return r.Opened, nil
	}
	return pdf.Open(r.Source.R, r.Source.Size, r.Source.OpenOptions)
}

// boxTolerance is how far a box may extend beyond its page, in points, because of rounding.
const boxTolerance = 1

// UserRect returns the ordered box in default user space of its page. Doc is the opened source. A page that does not
// exist and a box that is not on it are [Permanent] problems: the office would silently use another place.
func (r Request) UserRect(doc *pdf.Document) (pdf.Rect, error) {
	page, err := doc.Page(r.Page)
	if err != nil {
		return pdf.Rect{}, &Problem{Class: Permanent, Code: CodePlace, Text: fmt.Sprintf("there is no page %d", r.Page), Err: err}
	}
	b := r.Box
	w, h := page.DisplayedSize()
	if b.LLX >= b.URX || b.LLY >= b.URY || b.LLX < -boxTolerance || b.LLY < -boxTolerance || float64(b.URX) > w+boxTolerance || float64(b.URY) > h+boxTolerance {
		return pdf.Rect{}, &Problem{Class: Permanent, Code: CodePlace, Text: fmt.Sprintf("box %v is not on a page of %.0f by %.0f points", b, w, h)}
	}
	return page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)}), nil
}

// Box is the place of the stamp: whole points, measured from the lower left corner of the page as displayed, LLX < URX
// and LLY < URY.
//
// The real office takes whole numbers too, but in default user space; it ignores the page's rotation and crop box and
// writes the numbers to /Rect. So its driver converts the box with [segel/pdf.Page.ToUser], which undoes both, and
// rounds each corner to a whole number. On a page that is cropped or rotated at a fraction of a point this moves the
// stamp by less than one unit, which [CheckStampedFile] allows; on any other page nothing is rounded, and no deviation
// is allowed.
type Box struct{ LLX, LLY, URX, URY int }

// String returns the corners.
func (b Box) String() string { return fmt.Sprintf("[%d %d %d %d]", b.LLX, b.LLY, b.URX, b.URY) }

// FieldName returns the name of the signature field of a serial.
func FieldName(serial string) string { return fieldPrefix + serial }

const fieldPrefix = "Emet"

// SignatureReason returns the reason stated in the signature of a serial.
func SignatureReason(serial, reason string) string { return "[" + serial + "] " + reason }

var orderAtEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-([0-9A-Za-z]{1,64})\.pdf$`) })

// OrderID returns the order identifier at the end of the serial's file name, as it is set when a serial is bought for
// an [Order]; empty if there is none. It only looks like one of our identifiers: the caller knows the real ones.
func (s Serial) OrderID() string {
	if m := orderAtEnd().FindStringSubmatch(s.File); m != nil {
		return m[1]
	}
	return ""
}

// Class says what has to happen because of a problem, and who has to act.
type Class string

// The classes of problems. docs/emeterai.md lists which fault ends in which class.
const (
	Transient   Class = "transient"  // nothing happened; the same call may succeed later
	Unknown     Class = "unknown"    // it may have happened: query before retrying, and only with the same identifiers
	Quota       Class = "quota"      // the account is empty; the operator must buy units, and the document waits
	Login       Class = "login"      // the office does not accept our login; the operator must fix the account, and the document waits
	Config      Class = "config"     // our requests are wrong for every document; the operator must fix the configuration, and the document waits
	Refused     Class = "refused"    // the office refuses this document; its owner must act
	Quarantine  Class = "quarantine" // the returned file is not what was ordered; serial and file are quarantined
	NeedsPerson Class = "person"     // a program cannot find out what happened; a person must decide
	Permanent   Class = "permanent"  // the same call will be refused again; a person must act
)

// IsFinal reports whether retrying without a person does not help: the document fails until a person acts. With any
// other class it waits.
func (c Class) IsFinal() bool {
	switch c {
	case Refused, Quarantine, NeedsPerson, Permanent:
		return true
	}
	return false
}

// Problem is a failed call to the office. Treat any other error of a Stamper as Unknown.
type Problem struct {
	Class    Class
	Code     string        // the office's code, or one of ours if it gave none
	Text     string        // the office's words; never contains a token or a password
	After    time.Duration // how long to wait at least; 0: the caller decides
	Evidence *Evidence     // of a Quarantine: the returned file
	Err      error         // the cause; may be nil
}

// Evidence is a returned file that was not accepted.
type Evidence struct {
	Size int64 // bytes
	// Open returns the whole returned file. If Path is empty it reads the request's source again, which must still be
	// open.
	Open func() (io.ReadCloser, error)
	Path string // where it is stored until a person deletes it; empty: it is not stored
}

// Error returns the text, the code and the class.
func (p *Problem) Error() string {
	s := fmt.Sprintf("stamp office: %s (%s, %s)", p.Text, p.Code, p.Class)
	if p.Err != nil {
		s += ": " + p.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// ClassOf returns the class of an error of a Stamper, and Unknown if it is not a Problem: a caller who does not know
// what happened must not buy again.
func ClassOf(err error) Class {
	var p *Problem
	if errors.As(err, &p) {
		return p.Class
	}
	return Unknown
}

// Our own codes, in addition to the office's.
const (
	CodeSerial          = "serial_unknown"   // the office never issued that serial
	CodeSource          = "source_changed"   // the serial is affixed to another source, or the source is not what was bound
	CodePlace           = "place_refused"    // no such page, or the box is not on it
	CodeFile            = "file_refused"     // the office cannot work on this file
	CodeDown            = "office_down"      // it could not be called, or could not store what it did
	CodeNotCalled       = "office_alone"     // it was not called, because it failed too often recently
	CodeReturn          = "return_refused"   // the returned file is not what was ordered; see CheckStampedFile
	CodeAnswer          = "answer_unread"    // its answer is not of the protocol
	CodeOrder           = "order_incomplete" // the order lacks something
	CodeLogin           = "login_refused"    // user and password are not accepted
	CodeKind            = "kind_unknown"     // the kind of document has no code at the office
	CodeSerialUncertain = "serial_uncertain" // the answer was lost, and the serial in it cannot be determined
	CodePicture         = "picture_lost"     // the serial's picture was lost with the answer
	CodeElsewhere       = "serial_elsewhere" // the office gave a serial that another document has or had
	CodeWait            = "purchase_pending" // an earlier purchase may still be on its way
)
