// Package intake takes uploads apart while they arrive: the file goes to a sink piece by piece, and what stands
// beside it comes back small enough to be decoded as a whole. Memory does not grow with the file, and a body
// above a limit is left unread from the byte that exceeded it.
package intake

import "fmt"

// Limits bound one upload. The zero value of a member means its default.
type Limits struct {
	File  int64 // bytes of the file, decoded; default 50 MiB
	Rest  int64 // bytes of everything else in the body; default 8 MiB
	Depth int   // nested objects and arrays, the body's own included; default 64
}

// withDefaults fills in what is zero.
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

// Info tells what became of the file.
type Info struct {
	Present  bool   // the file was given, though it may be empty
	Size     int64  // bytes written to the sink
	Filename string // as given by a multipart part; JSON says it elsewhere
}

// Kind sorts the ways in which an upload is refused.
type Kind int

// The kinds of refusal.
const (
	Malformed      Kind = iota + 1 // the body is not what it claims to be
	Duplicate                      // a member or a part that may be given once was given twice
	NotString                      // the file's member is there, but neither a string nor null
	BadBase64                      // the file's member is a string, but not base64
	TooLarge                       // the file exceeds Limits.File
	RestTooLarge                   // what stands beside it exceeds Limits.Rest
	TooDeep                        // values nest deeper than Limits.Depth
	TooManyMembers                 // an object has more members than any operation knows
)

// Error refuses an upload. Errors of the reader and of the sink are never one: they come back wrapped as they are.
type Error struct {
	Kind   Kind
	Offset int64  // bytes of the body before the one that gave the reason; 0 for a multipart body
	Limit  int64  // what was exceeded, for the last four kinds
	Member string // path of the member that gave the reason, for Duplicate and TooManyMembers; empty: it is not told
	Reason string // in English, for the log and for developers
}

func (e *Error) Error() string {
	return fmt.Sprintf("upload at byte %d: %s", e.Offset, e.Reason)
}
