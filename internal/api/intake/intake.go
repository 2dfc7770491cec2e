// Package intake splits uploads while they arrive: it writes the file to a sink piece by piece, and returns the other
// members, which are small enough to decode as a whole. Memory does not grow with the file, and a body above a limit
// is not read beyond the byte that exceeded it.
package intake

import "fmt"

// Limits bound one upload. The zero value of a member means its default.
type Limits struct {
	File  int64 // bytes of the file, decoded; default 50 MiB
	Rest  int64 // bytes of everything else in the body; default 8 MiB
	Depth int   // nested objects and arrays, the body's own included; default 64
}

// withDefaults replaces zero members by their defaults.
func (l Limits) withDefaults() Limits {
	if l.File == 0 {
		l.File = 50 << 20
	}
	if l.Rest == 0 {
		l.Rest = 8 << 20
	}
	if l.Depth == 0 {
		l.Depth = 64
	}
	return l
}

// Info describes the file that was received.
type Info struct {
	Present  bool   // the file was given, even if it is empty
	Size     int64  // bytes written to the sink
	Filename string // as given by a multipart part; empty for JSON
}

// Kind is the reason of a refusal.
type Kind int

// The kinds of refusal.
const (
	Malformed      Kind = iota + 1 // the body is not what its type says
	Duplicate                      // a member or a part was given twice
	NotString                      // the file's member is neither a string nor null
	BadBase64                      // the file's member is a string, but not base64
	TooLarge                       // the file exceeds Limits.File
	RestTooLarge                   // everything else in the body exceeds Limits.Rest
	TooDeep                        // values nest deeper than Limits.Depth
	TooManyMembers                 // an object has too many members
)

// Error refuses an upload. Errors of the reader and of the sink are returned wrapped instead.
type Error struct {
	Kind   Kind
	Offset int64  // bytes of the body before the one that caused the error; 0 for a multipart body
	Limit  int64  // the limit that was exceeded, for the last four kinds
	Member string // path of the member that caused the error, for Duplicate and TooManyMembers; empty: unknown
	Reason string // in English, for the log and for developers
}

func (e *Error) Error() string {
	return fmt.Sprintf("upload at byte %d: %s", e.Offset, e.Reason)
}
