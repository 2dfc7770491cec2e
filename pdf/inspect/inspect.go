// Package inspect finds what the readers of a PDF file may not see or may not expect: content that is shown in print
// and not on a screen, or to some readers only; content that is hidden, or outside the page; content that is not in the
// file; text whose letters are not those that are shown; and actions.
//
// It simulates what readers do with the file, and does not just check for keys: layers are evaluated in each view that
// readers use, content is interpreted in forms, appearances, patterns and glyphs, and actions are followed from their
// triggers. Its work is bounded. A page that was not examined completely is a finding, [NotExamined]; if it could
// differ between views, it also counts as [PrintDiffers].
package inspect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"segel/pdf"
	"segel/pdf/content"
)

// Kind is what a finding is about.
type Kind string

// The kinds.
const (
	PrintDiffers  Kind = "print_differs"   // a page shows other text or marks in print than on a screen
	ViewVaries    Kind = "view_varies"     // what a page shows depends on the reader, the magnification, the user or the language
	ScreenOnly    Kind = "screen_only"     // annotations that are not printed, such as buttons; those that cover what is printed are PrintDiffers
	External      Kind = "external"        // content that is not in the file: streams, pages or pictures of other files
	Launch        Kind = "launch"          // an action that starts a program or opens a file
	JavaScript    Kind = "javascript"      //
	Actions       Kind = "actions"         // actions that readers carry out without being asked
	SubmitForm    Kind = "submit_form"     // an action that sends the form's values
	ImportData    Kind = "import_data"     // an action that fills the form from a file
	OtherDocument Kind = "other_document"  // an action that opens another document
	FileURI       Kind = "file_uri"        // a link to a file of the machine or its network
	Media         Kind = "media"           // sound, film, 3D and other rich media
	XFA           Kind = "xfa"             // a form in XML that some readers show instead of the pages
	EmbeddedFile  Kind = "embedded_file"   // other files within the file
	Portfolio     Kind = "portfolio"       // embedded files that some readers show instead of the pages
	HiddenLayer   Kind = "hidden_layer"    // text in a layer that is off
	InvisibleText Kind = "invisible_text"  // text that is not painted, white, without size or without opacity
	CoveredText   Kind = "covered_text"    // text under a picture or an annotation
	OutsidePage   Kind = "outside_page"    // text outside of the crop box
	Unreliable    Kind = "unreliable_text" // text whose letters are not those that are shown
	NotExamined   Kind = "not_examined"    // a page that could not be examined completely
)

// Finding is something found in a file. There is at most one of each kind per page.
type Finding struct {
	Kind   Kind
	Page   int      // from 1; 0: the file as a whole
	Ref    pdf.Ref  // the layer, of HiddenLayer without a page
	Box    pdf.Rect // of text, in default user space; may be empty
	Detail string   // an example: the text, or the name of what an action leads to. It comes from the file: clean it before showing it
	Shown  string   // of Unreliable: what is shown instead of Detail

	// OnPicture is set for InvisibleText if all of it lies on images, like the recognized text of a scanned page.
	OnPicture bool
}

// Limits bound what a hostile file can cost. A zero field has its default.
type Limits struct {
	Content content.Limits // of the content of pages; default 64 MiB and 4,000,000 operators
	Fonts   int64          // bytes of font programs, decoded, and of the memory that they take; default 64 MiB
	Objects int            // dictionaries that are searched for actions; default 200,000
	Marks   int            // comparisons of marks with each other; default 30,000,000
	PerKind int            // findings of one kind; default 5,000
}

func (l Limits) withDefaults() Limits {
	pdf.SetDefault(&l.Fonts, 64<<20)
	pdf.SetDefault(&l.Objects, 200_000)
	pdf.SetDefault(&l.Marks, 30_000_000)
	pdf.SetDefault(&l.PerKind, 5_000)
	return l
}

// Document inspects a document. Findings are in the order of their kinds, and of pages within each.
//
// Errors are from the io.ReaderAt of the document, from the context, and about damage that keeps any reader from
// opening the file. Other damage is a finding, or is skipped as readers do.
func Document(ctx context.Context, d *pdf.Document, l Limits) ([]Finding, error) {
	i := &inspection{ctx: ctx, d: d, limits: l.withDefaults(), found: map[Kind][]Finding{}, pagesByKind: map[Kind]map[int]bool{}}
	if err := i.inspectActions(); err != nil {
		return nil, err
	}
	if err := i.inspectPages(); err != nil {
		return nil, err
	}
	if err := i.inspectFonts(); err != nil {
		return nil, err
	}
	var all []Finding
	for _, k := range kindOrder {
		all = append(all, i.found[k]...)
	}
	return all, nil
}

// kindOrder is the order of findings: first what readers see differently.
var kindOrder = []Kind{
	PrintDiffers, ViewVaries, External, Launch, Unreliable, CoveredText, InvisibleText, HiddenLayer, OutsidePage, ScreenOnly, Portfolio, XFA, JavaScript, Actions,
	SubmitForm, ImportData, OtherDocument, FileURI, Media, EmbeddedFile, NotExamined,
}

// inspection is the inspection of one document.
type inspection struct {
	ctx         context.Context
	d           *pdf.Document
	limits      Limits
	found       map[Kind][]Finding
	pagesByKind map[Kind]map[int]bool // pages
	reader      *content.Reader

	alternates   bool // an image has an alternate for printing
	flagsChecked int  // annotations of pages that were not examined
}

// addFinding adds a finding, at most one of its kind per page.
func (i *inspection) addFinding(f Finding) {
	pages := i.pagesByKind[f.Kind]
	if pages == nil {
		pages = map[int]bool{}
		i.pagesByKind[f.Kind] = pages
	}
	if pages[f.Page] || len(i.found[f.Kind]) >= i.limits.PerKind {
		return
	}
	pages[f.Page] = true
	i.found[f.Kind] = append(i.found[f.Kind], f)
}

// hasFinding reports whether something of that kind was found.
func (i *inspection) hasFinding(k Kind) bool { return len(i.found[k]) > 0 }

// PageRanges lists the pages of findings, each once, as ranges such as "1-3, 7"; "" if all are about the whole file.
func PageRanges(found []Finding) string {
	on := map[int]bool{}
	for _, f := range found {
		on[f.Page] = f.Page > 0
	}
	var b strings.Builder
	for _, page := range slices.Sorted(maps.Keys(on)) {
		switch {
		case !on[page] || on[page-1] && on[page+1]: // within a range
		case on[page-1]:
			fmt.Fprintf(&b, "-%d", page)
		case b.Len() > 0:
			fmt.Fprintf(&b, ", %d", page)
		default:
			fmt.Fprintf(&b, "%d", page)
		}
	}
	return b.String()
}

func isLimitReached(err error) bool {
	var u *content.IncompleteError
	return errors.As(err, &u) && u.Reason == content.Limit
}
