package emeterai

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Class says what a problem asks for, and of whom.
type Class string

// The classes of problems. docs/emeterai.md tells which fault ends in which.
const (
	Transient   Class = "transient"  // nothing happened; the same again may succeed
	Unknown     Class = "unknown"    // it may have happened: ask before trying again, and only with the same identifiers
	Quota       Class = "quota"      // the account is empty; the operator buys units, and the document waits
	Login       Class = "login"      // the office does not accept us; the operator mends the account, and the document waits
	Config      Class = "config"     // our request is wrong, whatever the document; the operator mends it, and the document waits
	Refused     Class = "refused"    // the office refuses this document; its owner has to act
	Quarantine  Class = "quarantine" // what came back is not what was ordered; the serial and the file are set aside
	NeedsPerson Class = "person"     // what happened cannot be found out by a program; a person decides
	Permanent   Class = "permanent"  // the same again will be refused again; a person has to act
)

// IsFinal reports whether trying again by itself is of no use: the document ends as failed until a person acts. Anything
// else leaves it waiting.
func (c Class) IsFinal() bool {
	switch c {
	case Refused, Quarantine, NeedsPerson, Permanent:
		return true
	}
	return false
}

// Problem is what the office, or the way to it, answered instead of what was asked. Any other error of a
// Stamper is to be treated as Unknown.
type Problem struct {
	Class    Class
	Code     string        // the office's code, or a word of ours where it gave none
	Text     string        // in the office's words; never holds a token or a password
	After    time.Duration // how long to wait at least; 0: as the caller sees fit
	Evidence *Evidence     // of a Quarantine: what came back
	Err      error         // the cause, if there is one
}

// Evidence is a file that the office returned and that was not accepted.
type Evidence struct {
	Size int64 // bytes
	// Open reads the whole file as it came back. Where Path is empty it reads the request's source again, which has
	// to be open still.
	Open func() (io.ReadCloser, error)
	Path string // where it is kept until somebody removes it; empty: nowhere
}

// Error tells the code and the office's words.
func (p *Problem) Error() string {
	s := fmt.Sprintf("stamp office: %s (%s, %s)", p.Text, p.Code, p.Class)
	if p.Err != nil {
		s += ": " + p.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// ClassOf returns the class of an error of a Stamper, and Unknown for one that is no Problem: whoever does not
// know what happened must not buy again.
func ClassOf(err error) Class {
	var p *Problem
	if errors.As(err, &p) {
		return p.Class
	}
	return Unknown
}

// Codes of our own, beside the office's.
const (
	CodeSerial          = "serial_unknown"   // the office never issued that serial
	CodeSource          = "source_changed"   // the serial is affixed to another source, or the source is not what was bound
	CodePlace           = "place_refused"    // no such page, or the box is not on it
	CodeFile            = "file_refused"     // the office cannot work on this file
	CodeDown            = "office_down"      // it could not be asked, or could not keep what it did
	CodeNotCalled       = "office_alone"     // it was not asked: it failed too often of late
	CodeReturn          = "return_refused"   // what came back is not what was ordered; see Judge
	CodeAnswer          = "answer_unread"    // it answered something that is not of the protocol
	CodeOrder           = "order_incomplete" // the order lacks something
	CodeLogin           = "login_refused"    // user and password are not accepted
	CodeKind            = "kind_unknown"     // the kind of document has no code at the office
	CodeSerialUncertain = "serial_uncertain" // the answer was lost, and which serial it told cannot be found out
	CodePicture         = "picture_lost"     // the serial's picture was lost with the answer
	CodeElsewhere       = "serial_elsewhere" // the office gave a serial that another document has or had
	CodeWait            = "purchase_pending" // an earlier purchase may still be on its way
)
