package emeterai

import (
	"errors"
	"fmt"
	"io"
	"time"
)

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
