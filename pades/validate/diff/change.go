// Package diff finds what an incremental update of a PDF file changed, and which rule, if any, allows it.
//
// A change that no rule allows is denied. Each object that a revision adds, replaces or frees is checked in every role
// it has: as what the catalog, the pages, the form and the rest of the file refer to it, before the update and after
// it. An object that is the appearance of a field and also drawn on a page is allowed only if the rules about both
// allow it. Each rule has its own file and returns the level of change it allows; the caller decides whether a
// signature permits that level.
package diff

import (
	"fmt"
	"slices"

	"segel/pdf"
)

// Level is how much a change does to a document. A signature that permits a level permits all lower ones.
type Level uint8

const (
	None        Level = iota // nothing that a person can see or a program reads differently
	LTA                      // validation data and document timestamps
	FormFilling              // fields filled in and signed, signature fields added
	Annotations              // comments added, changed or deleted
	Other                    // anything that no rule allows
)

// String names the level.
func (l Level) String() string {
	names := [...]string{None: "none", LTA: "long-term validation", FormFilling: "form filling", Annotations: "annotations", Other: "other"}
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// Operation is what a revision did to an object.
type Operation string

const (
	Added    Operation = "added"
	Replaced Operation = "replaced"
	Freed    Operation = "freed"
	// Oddity is about the revision as a whole: honest writers do not produce it.
	Oddity Operation = "oddity"
)

// Note is a remark on a change that is allowed but that people should look at.
type Note string

const (
	Visible            Note = "visible"             // something new shows on a page
	OverlapsSignature  Note = "overlaps_signature"  // over the widget of an earlier signature
	OverlapsText       Note = "overlaps_text"       // over text of the page
	OverlapsPicture    Note = "overlaps_picture"    // over a picture or drawing, or over content that cannot be examined
	OverlapsAnnotation Note = "overlaps_annotation" // over another annotation
	// ValueNotCompared: a field was filled in, and its appearance cannot be compared with its value.
	ValueNotCompared Note = "value_not_compared"
)

// Covering are the notes that something new lies over something else, worst first.
var Covering = []Note{OverlapsText, OverlapsSignature, OverlapsPicture, OverlapsAnnotation}

// Change is what one revision did to one object.
type Change struct {
	Ref       pdf.Ref // zero for an Oddity and for the trailer
	Operation Operation
	// Paths lead to the object, such as "Root/Pages/Kids[0]/Contents": one for each reference to it, at most maxPaths.
	// Empty if nothing refers to it.
	Paths []string
	Rule  string // that allows it; empty if no rule does
	Level Level
	Code  Code // what it is
	// Field is the fully qualified name of the form field that the object belongs to; empty if it belongs to none.
	Field string
	Page  int      // on which it shows, from 1; 0 if on none
	Box   pdf.Rect // on that page, default user space
	// Widget is the annotation that shows the change; zero if there is none.
	Widget pdf.Ref
	Notes  []Note
	// Detail is English text for specialists: the key that differs, or what an oddity is about.
	Detail string
}

// Has reports whether a change has a note.
func (c Change) Has(n Note) bool { return slices.Contains(c.Notes, n) }

// Code says what a change is. Callers have a sentence for each code.
type Code string

// Codes of changes that a rule allows.
const (
	CodeUnchanged      Code = "unchanged"       // written again with the same value
	CodeUnreachable    Code = "unreachable"     // nothing leads to it
	CodeCrossReference Code = "cross_reference" // section or object stream
	CodeTrailer        Code = "trailer"         // entries of the trailer that say nothing about content
	CodeStore          Code = "store"           // document security store
	CodeStoreReplaced  Code = "store_replaced"  // document security store, replaced by newer validation data
	CodeTimestamp      Code = "timestamp"       // document timestamp with its field
	CodeSignatureField Code = "signature_field" // new field for a signature, with its widget
	CodeSigned         Code = "signed"          // field signed
	CodeFilled         Code = "filled"          // field filled in
	CodeAppearance     Code = "appearance"      // appearance of a field that was added or filled in
	CodeForm           Code = "form"            // list of fields and flags of the form
	CodeMetadata       Code = "metadata"        // metadata, information dictionary
	CodeExtensions     Code = "extensions"      // versions and extensions stated in the catalog
	CodeStructure      Code = "structure"       // structure tree gained a field
	CodeAnnotations    Code = "annotations"     // list of annotations of a page gained a field's widget
	CodeComment        Code = "comment"         // annotation other than a widget added, changed or deleted
	CodeCatalog        Code = "catalog"         // catalog, as the changes above need it
	CodePage           Code = "page"            // page, as the changes above need it
	CodeInformation    Code = "information"     // information dictionary
)

// Codes of changes that no rule allows.
const (
	CodeContent           Code = "content_changed"      // content of a page, or what it is drawn with
	CodePages             Code = "pages_changed"        // pages added, removed or reordered
	CodePageChanged       Code = "page_changed"         // size, rotation or another entry of a page
	CodeCatalogChanged    Code = "catalog_changed"      // names, actions, layers and the like
	CodeRootRedirected    Code = "root_redirected"      // the trailer names another catalog
	CodeEncryption        Code = "encryption_changed"   //
	CodeTrailerChanged    Code = "trailer_changed"      //
	CodeFieldChanged      Code = "field_changed"        // more of a field than its value
	CodeFieldRemoved      Code = "field_removed"        //
	CodeFieldAdded        Code = "field_added"          // not a signature field, or in the wrong place
	CodeFormChanged       Code = "form_changed"         // defaults, resources, XFA, calculation order
	CodeSignedField       Code = "signed_field_changed" // value, appearance or place of a signed field
	CodeSignature         Code = "signature_changed"    // signature dictionary
	CodeShared            Code = "appearance_shared"    // appearance that another object also shows
	CodeAppearanceChanged Code = "appearance_changed"   // a field shows something else although its value stayed
	CodeAppearanceDiffers Code = "appearance_differs"   // a field has another value and shows something else, or more
	CodeUnanswered        Code = "unanswered"           // appearance of a field whose signature is not valid
	CodeHidesSigned       Code = "hides_signed"         // field larger than a mark may be, which makes signed content unreadable
	CodeAnnotation        Code = "annotation_changed"   //
	CodeStoreChanged      Code = "store_changed"        // validation data removed or replaced
	CodeStructChanged     Code = "structure_changed"    //
	CodeFreed             Code = "freed"                // object deleted
	CodeRestored          Code = "restored"             // object put back to an earlier state
	CodeAmbiguous         Code = "ambiguous"            // readers do not agree on the content
	CodeUnexplained       Code = "unexplained"          // anything else
	CodeUnreadable        Code = "unreadable"           // the value now or before cannot be read
	CodeTooMuch           Code = "too_much"             // more than the limits allow
)

// maxPaths bounds the paths reported for one object; rules see all of them.
const maxPaths = 16
