package emeterai

import (
	"errors"
	"fmt"
	"time"
)

// Class says what a problem asks for.
type Class string

// The classes of problems.
const (
	Permanent Class = "permanent" // the same again will be refused again; a person has to act
	Transient Class = "transient" // nothing happened; the same again may succeed
	Unknown   Class = "unknown"   // it may have happened: ask before trying again, and only with the same identifiers
)

// Problem is what the office, or the way to it, answered instead of what was asked. Any other error of a
// Stamper is to be treated as Unknown.
type Problem struct {
	Class Class
	Code  string        // the office's code, or a word of ours where it gave none
	Text  string        // in the office's words
	After time.Duration // how long to wait at least; 0: as the caller sees fit
	Err   error         // the cause, if there is one
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
	CodeSerial = "serial_unknown"   // the office never issued that serial
	CodeSource = "source_changed"   // the serial is affixed to another source
	CodePlace  = "place_refused"    // no such page, or the box is not on it
	CodeFile   = "file_refused"     // the office cannot work on this file
	CodeDown   = "office_down"      // it could not be asked, or could not keep what it did
	CodeReturn = "return_refused"   // what came back is not what was ordered; see Judge
	CodeOrder  = "order_incomplete" // the order lacks something
)
