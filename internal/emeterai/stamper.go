package emeterai

import (
	"context"
	"fmt"
	"time"

	"segel/pades"
	"segel/pdf"
)

// Stamper is an office that issues serials and affixes duty stamps. Its errors are [*Problem]; any other error
// means that nobody knows what happened. Implementations run [segel/internal/emeterai/emeteraitest.Run] and are
// safe for use by several goroutines.
type Stamper interface {
	// BuySerial spends one unit and returns the serial that it bought. An order that may have been asked for before
	// says so, and is given the serial it bought then, also after a restart and when the answer was lost; see
	// Order.Again.
	BuySerial(ctx context.Context, o Order) (serial string, err error)
	// Stamp affixes a serial and returns the bytes that extend the source. Repeating it with the same serial
	// and source digest costs nothing; another source for a serial that is affixed is refused for good. The
	// bytes may differ from one time to the next; the caller keeps the first ones that [Judge] accepts.
	Stamp(ctx context.Context, r Request) (tail []byte, err error)
	// SerialStatus tells what the office knows of a serial. One that it never issued is a [Permanent] problem.
	SerialStatus(ctx context.Context, serial string) (Status, error)
	// CheckAffixable checks that an unused serial which was not taken just now can be affixed: that what belongs to it, such as
	// its picture, is here or can be had again. It costs nothing.
	CheckAffixable(ctx context.Context, serial string) error
	// ListSerials lists all serials of the account, in no particular order. It is whole or an error: what is missing
	// in it was not issued.
	ListSerials(ctx context.Context) ([]Serial, error)
	// Balance tells what the account may still take, and what it took and did not use.
	Balance(ctx context.Context) (Balance, error)
	// Availability tells, without asking the office, whether it can be asked just now.
	Availability() Availability
	// IsSpecimen reports whether what it issues is of no legal value.
	IsSpecimen() bool
}

// Order asks for one serial.
type Order struct {
	ID           string    // ours, committed before the office is asked; letters and digits
	Organisation string    // identifier of who pays
	Payer        string    // name of who pays
	Title        string    // of the document
	Filename     string    // of the document
	Number       string    // of the document, if it has one
	Kind         string    // of the document, in the words of the configuration; empty: the usual one
	Date         time.Time // of the document
	// MaybeSent says that the office may have been asked before under this ID: by a run that crashed, or whose call
	// ended in doubt. False only if this is certainly the first call.
	MaybeSent bool
	// Source is what the serial will be affixed to. Offices that want the file before they issue a serial read it;
	// the same bytes come with the Request.
	Source pades.Source
}

// Status is where a serial stands at the office.
type Status string

// The states of a serial.
const (
	Unused  Status = "unused"  // bought, not affixed
	Affixed Status = "affixed" // affixed to some source
)

// Serial is one line of an account.
type Serial struct {
	Serial string
	Status Status
	File   string    // name that it was taken for, as the office knows it; empty if it does not tell
	At     time.Time // last change; zero if the office does not tell
}

// Balance is what an account holds, in units of one stamp.
type Balance struct {
	Left   int // that may still be taken
	Unused int // that were taken and are not affixed
}

// Availability is whether an office can be asked. The zero value says yes.
type Availability struct {
	Down   bool      // it is left alone until then
	Until  time.Time // when the next call is let through
	Reason string    // what it failed with last, for people
}

// Request asks for a serial to be affixed.
type Request struct {
	Serial   string
	Source   pades.Source
	Opened   *pdf.Document // the source, for whoever reads it as the caller does; nil: it is opened when it is read
	Digest   [32]byte      // SHA-256 over the source
	Page     int           // from 1
	Box      Box
	Reason   string
	Location string
	// MaybeSent says that the office may have been asked before to affix this serial. False only if this is certainly
	// the first call.
	MaybeSent bool
}

// OpenSource returns the source as a document.
func (r Request) OpenSource() (*pdf.Document, error) {
	if r.Opened != nil && r.Opened.Size() == r.Source.Size {
		return r.Opened, nil
	}
	return pdf.Open(r.Source.R, r.Source.Size, r.Source.File)
}

// Box is where the stamp goes: whole points, from the lower left corner of the page as displayed, LLX < URX and
// LLY < URY.
//
// The real office takes whole numbers too, but of default user space, and knows neither the page's rotation nor
// its crop box: it writes them to /Rect as they are. So its driver turns the box by [segel/pdf.Page.ToUser],
// which undoes both, and rounds each corner to a neighbouring whole number. On a page that is cropped or turned
// at a fraction of a point that moves the stamp by less than one unit, which [Judge] allows; on any other page
// nothing is rounded, and nothing allowed.
type Box struct{ LLX, LLY, URX, URY int }

// String spells the corners.
func (b Box) String() string { return fmt.Sprintf("[%d %d %d %d]", b.LLX, b.LLY, b.URX, b.URY) }

// FieldName returns the name of the signature field of a serial.
func FieldName(serial string) string { return "Emet" + serial }

// SignatureReason returns what the signature of a serial gives as its reason.
func SignatureReason(serial, reason string) string { return "[" + serial + "] " + reason }
