package facts

import (
	"context"
	"errors"
	"io"

	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/pdf/inspect"
)

// Options of Read. The zero value reads files that need no password.
type Options struct {
	Limits   Limits
	Password string // opens an encrypted file
	// ForSigning also checks whether a validation will be able to read what is added to the file, see File.Unsignable.
	// Steps that can only lead to warnings are skipped, and a file without signatures is not read for its digest.
	ForSigning bool
	// MarkArea is the share of a page, from 0 to 1, from which on what a field shows that was filled or signed later is
	// denied if it makes signed content unreadable. Zero denies none.
	MarkArea float64
	// Exempt tells which signatures may be shown in a box of that size, in points as displayed; nil is none.
	Exempt func(s *Signature, shown pdf.Rect) bool

	// Budget is shared with others who read the file; nil is one of its own, of twice [pdf.FileWork] its size.
	Budget *pdf.Budget

	skipContent bool // what pages show is not looked at
}

// Limits bound what a hostile file can make Read do. A zero field takes its default. See [LimitsForSigning] for a file
// that is to be signed.
type Limits struct {
	PDF        pdf.Limits
	Signatures int   // default 1,000
	Revisions  int   // default 2,000
	Moves      int   // objects that one revision changes; default 20,000
	Hashed     int64 // bytes hashed beyond one pass of the file; default 64 MiB and the file once again
	StoreItems int   // items of each kind in the document security store; default 10,000
	StoreBytes int64 // of all of them; default 8 MiB
	Content    int64 // bytes that are looked through for what is hidden on pages, as [ink.Limits] counts them; default 80 MiB, some 16 MiB of content
}

// File is what is known about a file.
type File struct {
	Size       int64
	SHA256     [32]byte // of the whole file; zero if it was not computed, see Options.ForSigning
	Pages      int      // 0 if they cannot be counted
	Encrypted  bool
	Repaired   bool // the cross-reference had to be rebuilt: no signature can be relied on
	Hybrid     bool // a section has a table and a stream beside it
	Linearized bool
	Revisions  []Revision   // oldest first; none if repaired
	Signatures []*Signature // in the order in which they were added to the file
	Warnings   []Warning
	Findings   []inspect.Finding // of a signed file: what its readers may not see or expect; what is hidden is among Warnings too
	DSS        *Store            // nil if the file has none
	// Unsignable is set with Options.ForSigning: why no validation could judge what follows a signature that is added, as
	// an error of package pdf. The file exceeds the limits, or is damaged so that appended bytes change earlier content.
	// Nil: a signature can be added and validated.
	Unsignable error
	// Earlier is what the document security store held in earlier states and holds no longer. Each Proof has the number
	// of the first revision that held it; VRI is empty.
	Earlier Store
}

// Revision is one state of the file.
type Revision struct {
	Number int   // from 1
	End    int64 // the file up to there is this revision
	// Changes are those to the revision before; they are worked out from the first signed revision on, and nil
	// before that.
	Changes []diff.Change
	Level   diff.Level // the highest of Changes
}

// Warning is something that whoever relies on the file should know, and that breaks no signature.
type Warning struct {
	Code   WarningCode
	Page   int     // from 1; 0 if it is about the file
	Ref    pdf.Ref // zero if no single object is to blame
	Box    pdf.Rect
	Detail string // in English
}

// WarningCode says what a warning is about.
type WarningCode string

// The warnings.
const (
	WarnCoveredText    WarningCode = "covered_text"     // text under a picture or an annotation
	WarnInvisibleText  WarningCode = "invisible_text"   // text drawn in mode 3, white or without size
	WarnHiddenLayer    WarningCode = "hidden_layer"     // optional content that is off
	WarnSpareContent   WarningCode = "spare_content"    // pages or catalogs that nothing leads to
	WarnTwofold        WarningCode = "twofold"          // a dictionary of the signed state has a key twice
	WarnJunkAfter      WarningCode = "junk_after"       // bytes behind the end
	WarnJunkBefore     WarningCode = "junk_before"      // bytes before the header
	WarnTolerated      WarningCode = "tolerated"        // defects that have one reading
	WarnRepaired       WarningCode = "repaired"         //
	WarnNotExamined    WarningCode = "not_looked"       // a page was too large or too odd to be looked through
	WarnForm           WarningCode = "form"             // the form cannot be read
	WarnStore          WarningCode = "store"            // a part of the document security store cannot be read
	WarnSkipped        WarningCode = "skipped_revision" // what looks like a revision is not one of the file's
	WarnLooseSignature WarningCode = "loose_signature"  // signature dictionary that no field has
)

// ErrUnreadable wraps why a file cannot be opened at all; the cause is an error of package pdf.
var ErrUnreadable = errors.New("file cannot be read")

// Read collects the facts. It reads r once from end to end, for its digest and those of all signatures. What is wrong
// with a signature is a fact about it, not an error. Errors: ErrUnreadable, those of r, and ctx's.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*File, error) {
	return runSteps(ctx, r, size, o, (*reader).readSignatures, (*reader).readStore, (*reader).readStates, (*reader).hashFile, (*reader).verifySignatures, (*reader).recordLater, (*reader).inspectContent)
}

// ReadStructure collects what the objects of a file tell: what each signature covers, and what was changed behind it. It
// hashes nothing, verifies no signature and looks at no page, so it reads what the cross-reference leads to. Integrity,
// SHA256 and the remarks on what a change covers are missing.
func ReadStructure(ctx context.Context, r io.ReaderAt, size int64, o Options) (*File, error) {
	o.skipContent = true
	return runSteps(ctx, r, size, o, (*reader).readSignatures, (*reader).readStates, (*reader).recordLater)
}
