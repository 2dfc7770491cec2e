// Package facts reads what can be known about the signatures of a PDF file without any policy: which bytes each covers,
// whether the digest and the signature value are right, what the container and the dictionary say, and what each later
// revision changed. It knows nothing of trust and time.
//
// The file is read once for hashing, whatever the number of signatures, and each revision is compared once with the one
// before it.
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
	// ForSigning also checks whether a validation will be able to read later revisions, see File.Unsignable. Steps that
	// only lead to warnings are skipped, and a file without signatures is not hashed.
	ForSigning bool
	// SkipHidden looks for no hidden content. Such content only leads to findings and warnings.
	SkipHidden bool
	// MarkArea is the share of a page, from 0 to 1, above which a later filled or signed field is denied if it makes
	// signed content unreadable. Zero denies none.
	MarkArea float64
	// Exempt reports whether a signature may be shown in a box of that size, in points as displayed; nil exempts none.
	Exempt func(s *Signature, shown pdf.Rect) bool

	// Budget is shared with other readers of the file; nil creates one of twice [pdf.FileWork] its size.
	Budget *pdf.Budget
	// Opened is a document over the first bytes of the file, or all of them, whose objects are not parsed again; nil: everything
	// is read. A file that was stored since must be read by itself.
	Opened *pdf.Document

	structureOnly bool // pages are not examined, and nothing is read for warnings
}

// Limits bound what a hostile file can cost. A zero field takes its default. See [LimitsForSigning] for a file that is
// to be signed.
type Limits struct {
	PDF        pdf.Limits
	Signatures int   // default 1,000
	Revisions  int   // default 2,000
	Moves      int   // objects changed by one revision; default 20,000
	Hashed     int64 // bytes hashed beyond one pass over the file; default 64 MiB plus the size of the file
	StoreItems int   // items of each kind in the document security store; default 10,000
	StoreBytes int64 // of all items; default 8 MiB
	Content    int64 // bytes examined for hidden content on pages, as [content.Limits] counts them; default 80 MiB, some 16 MiB of content
}

// File is what is known about a file.
type File struct {
	Size       int64
	SHA256     [32]byte // of the whole file; zero if not computed, see Options.ForSigning
	Pages      int      // 0 if they cannot be counted
	Encrypted  bool
	Repaired   bool         // the cross-reference was rebuilt: no signature can be relied on
	Revisions  []Revision   // oldest first; none if repaired
	Signatures []*Signature // in the order in which they were added to the file
	Warnings   []Warning
	Findings   []inspect.Finding // of a signed file: what readers may not see or expect; hidden content is also among Warnings
	DSS        *Store            // nil if the file has none
	// Unsignable is set with Options.ForSigning: why a validation could not examine later revisions, as an error of
	// package pdf. The file exceeds the limits, or is damaged so that appended bytes change earlier content. Nil: the
	// file can be signed and validated.
	Unsignable error
	// Earlier is what the document security store held only in earlier states. Each StoreItem has the number of the
	// first revision that held it; VRI is empty.
	Earlier Store
	// Twofold says what readers may find differently in the first signed state, or in the newest state with
	// Options.ForSigning and without signatures: each is a warning, too. It breaks no signature: that covers the bytes.
	Twofold []string
}

// Revision is one state of the file.
type Revision struct {
	Number int   // from 1
	End    int64 // the revision is the file up to this offset
	// Changes are the changes from the revision before, from the first signed revision on; nil up to there.
	Changes []diff.Change
	Level   diff.Level // the highest of Changes
}

// Warning is something that relying parties should know and that breaks no signature.
type Warning struct {
	Code   WarningCode
	Page   int     // from 1; 0 if it is about the file
	Ref    pdf.Ref // zero if no single object is concerned
	Box    pdf.Rect
	Detail string // in English
}

// WarningCode says what a warning is about.
type WarningCode string

const (
	WarnCoveredText    WarningCode = "covered_text"     // text under a picture or an annotation
	WarnInvisibleText  WarningCode = "invisible_text"   // text drawn in mode 3, white or without size
	WarnHiddenLayer    WarningCode = "hidden_layer"     // optional content that is off
	WarnSpareContent   WarningCode = "spare_content"    // unreferenced pages or catalogs
	WarnTwofold        WarningCode = "twofold"          // readers may find something else in the signed state: see File.Twofold
	WarnJunkAfter      WarningCode = "junk_after"       // bytes after the end
	WarnJunkBefore     WarningCode = "junk_before"      // bytes before the header
	WarnTolerated      WarningCode = "tolerated"        // defects with only one reading
	WarnRepaired       WarningCode = "repaired"         //
	WarnNotExamined    WarningCode = "not_looked"       // a page was too large or malformed to be examined
	WarnForm           WarningCode = "form"             // the form cannot be read
	WarnStore          WarningCode = "store"            // a part of the document security store cannot be read
	WarnSkipped        WarningCode = "skipped_revision" // bytes that look like a revision but are not one of the file's
	WarnLooseSignature WarningCode = "loose_signature"  // signature dictionary that no field refers to
)

// ErrUnreadable is a file that cannot be opened; it wraps an error of package pdf.
var ErrUnreadable = errors.New("file cannot be read")

// Read collects the facts. It reads r once from end to end, for its digest and those of all signatures. Defects of a
// signature are facts, not errors. Errors: ErrUnreadable, those of r, and ctx's.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (*File, error) {
	return runSteps(ctx, r, size, o, (*reader).readSignatures, (*reader).readStore, (*reader).readStates, (*reader).hashFile, (*reader).verifySignatures, (*reader).recordLater, (*reader).inspectContent)
}

// ReadStructure collects what the objects of a file show: what each signature covers, and what was changed later. It
// hashes nothing, verifies no signature and examines no page, so it reads only what the cross-reference lists.
// Integrity, SHA256, notes on covered content and most Warnings are missing.
func ReadStructure(ctx context.Context, r io.ReaderAt, size int64, o Options) (*File, error) {
	o.structureOnly = true
	return runSteps(ctx, r, size, o, (*reader).readSignatures, (*reader).readStates, (*reader).recordLater)
}

func (l Limits) withDefaults(size int64) Limits {
	pdf.SetDefault(&l.Signatures, 1000)
	pdf.SetDefault(&l.Revisions, 2000)
	pdf.SetDefault(&l.Moves, 20_000)
	pdf.SetDefault(&l.Hashed, 64<<20+size)
	pdf.SetDefault(&l.StoreItems, 10_000)
	pdf.SetDefault(&l.StoreBytes, 8<<20)
	pdf.SetDefault(&l.Content, 80<<20)
	// One part is for all states of the file; two of them at a time have their own cache.
	pdf.SetDefault(&l.PDF.Cache, 4<<20)
	pdf.SetDefault(&l.PDF.Decoded, 11<<20)
	return l
}

// LimitsForSigning returns the limits for accepting a file of that many bytes for signing: the defaults of a
// validation, less a quarter of what signing adds to: sections, revisions, signatures, fields, and the work shared by
// all states of the file. So an accepted file can still be read when it is finished. [File.Unsignable] decides how much
// validation data a file may contain.
func LimitsForSigning(size int64) Limits {
	l := Limits{}.withDefaults(size)
	l.PDF = l.PDF.Defaults(size)
	for _, n := range []*int{&l.Signatures, &l.Revisions, &l.PDF.Sections, &l.PDF.Fields} {
		*n -= *n / 4
	}
	for _, n := range []*int64{&l.Hashed, &l.PDF.Work} {
		*n -= *n / 4
	}
	return l
}

func (o Options) pdfOptions(repair bool) pdf.Options {
	return pdf.Options{Limits: o.Limits.PDF, Password: o.Password, Repair: repair, Budget: o.Budget}
}
