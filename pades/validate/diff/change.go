package diff

import (
	"fmt"

	"segel/pdf"
)

// Level is how much a change does to a document. A signature that permits a level permits all below it.
type Level uint8

// The levels.
const (
	None        Level = iota // nothing that anybody could see or that any program would read differently
	LTA                      // proof of validity and document timestamps
	FormFilling              // fields filled in and signed, signature fields added
	Annotations              // comments added, changed or deleted
	Other                    // anything that no rule allows
)

// String names the level.
func (l Level) String() string {
	switch l {
	case None:
		return "none"
	case LTA:
		return "long-term validation"
	case FormFilling:
		return "form filling"
	case Annotations:
		return "annotations"
	case Other:
		return "other"
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// Operation became of an object.
type Operation string

// What can become of an object.
const (
	Added    Operation = "added"
	Replaced Operation = "replaced"
	Freed    Operation = "freed"
	// Oddity is no object: the revision as a whole is not as an honest writer makes it.
	Oddity Operation = "oddity"
)

// Note is a remark on a change that is allowed but worth a look.
type Note string

// The remarks.
const (
	Visible            Note = "visible"             // something new is to be seen on a page
	OverlapsSignature  Note = "overlaps_signature"  // over the widget of an earlier signature
	OverlapsText       Note = "overlaps_text"       // over text of the page
	OverlapsPicture    Note = "overlaps_picture"    // over a picture or drawing, or over what nobody could look at
	OverlapsAnnotation Note = "overlaps_annotation" // over another annotation
	// ValueNotCompared: a field was filled in, and whether it shows its value cannot be told.
	ValueNotCompared Note = "value_not_compared"
)

// Covering are the remarks that something new stands over something else, worst first.
var Covering = []Note{OverlapsText, OverlapsSignature, OverlapsPicture, OverlapsAnnotation}

// Change is what one revision did to one object.
type Change struct {
	Ref       pdf.Ref // zero of an Oddity and of the trailer
	Operation Operation
	// Paths are those by which the object can be reached, such as "Root/Pages/Kids[0]/Contents", one for each
	// reference to it, at most maxPaths; none if nothing leads to it.
	Paths []string
	Rule  string // that allows it; empty if none does
	Level Level
	Code  Code // what it is, for a sentence
	// Field is the fully qualified name of the form field it belongs to; empty if it belongs to none.
	Field string
	Page  int      // it shows on, from 1; 0 if on none
	Box   pdf.Rect // on that page, default user space
	// Widget is the annotation that shows it; zero if none does.
	Widget pdf.Ref
	Notes  []Note
	// Detail is for whoever looks closer, in English: the key that differs, what an oddity is about.
	Detail string
}

// Has reports whether a remark was made.
func (c Change) Has(n Note) bool {
	for _, have := range c.Notes {
		if have == n {
			return true
		}
	}
	return false
}

// Code says what a change is. Each has a sentence where sentences are kept.
type Code string

// Codes of changes that a rule allows.
const (
	CodeUnchanged      Code = "unchanged"       // written again with the same value
	CodeUnreachable    Code = "unreachable"     // nothing leads to it
	CodeCrossReference Code = "cross_reference" // section or object stream
	CodeTrailer        Code = "trailer"         // entries of the trailer that say nothing about content
	CodeStore          Code = "store"           // document security store
	CodeStoreReplaced  Code = "store_replaced"  // document security store, replaced by newer proof
	CodeTimestamp      Code = "timestamp"       // document timestamp with its field
	CodeSignatureField Code = "signature_field" // new field for a signature, with its widget
	CodeSigned         Code = "signed"          // field signed
	CodeFilled         Code = "filled"          // field filled in
	CodeAppearance     Code = "appearance"      // how a field looks that was added or filled in
	CodeForm           Code = "form"            // list of fields and flags of the form
	CodeMetadata       Code = "metadata"        // metadata, information dictionary
	CodeExtensions     Code = "extensions"      // versions and extensions stated in the catalog
	CodeStructure      Code = "structure"       // structure tree gained a field
	CodeAnnotations    Code = "annotations"     // list of annotations of a page gained a field's widget
	CodeComment        Code = "comment"         // annotation that is no widget added, changed or deleted
	CodeCatalog        Code = "catalog"         // catalog, as the changes above need it
	CodePage           Code = "page"            // page, as the changes above need it
	CodeInformation    Code = "information"     // information dictionary
)

// Codes of changes that no rule allows.
const (
	CodeContent           Code = "content_changed"      // what a page shows, or what it is drawn with
	CodePages             Code = "pages_changed"        // pages added, removed or put into another order
	CodePageChanged       Code = "page_changed"         // size, turn or another entry of a page
	CodeCatalogChanged    Code = "catalog_changed"      // names, actions, layers and the like
	CodeRootRedirected    Code = "root_redirected"      // the trailer names another catalog
	CodeEncryption        Code = "encryption_changed"   //
	CodeTrailerChanged    Code = "trailer_changed"      //
	CodeFieldChanged      Code = "field_changed"        // more of a field than its value
	CodeFieldRemoved      Code = "field_removed"        //
	CodeFieldAdded        Code = "field_added"          // that is no signature field, or is in the wrong place
	CodeFormChanged       Code = "form_changed"         // defaults, resources, XFA, calculation order
	CodeSignedField       Code = "signed_field_changed" // value, look or place of a field that was signed
	CodeSignature         Code = "signature_changed"    // signature dictionary
	CodeShared            Code = "appearance_shared"    // appearance that something else shows as well
	CodeAppearanceChanged Code = "appearance_changed"   // a field shows something else, and its value stays
	CodeAppearanceDiffers Code = "appearance_differs"   // a field has another value, and shows something else or more
	CodeUnanswered        Code = "unanswered"           // look of a field whose signature does not hold
	CodeHidesSigned       Code = "hides_signed"         // field that is larger than a mark may be and makes signed content unreadable
	CodeAnnotation        Code = "annotation_changed"   //
	CodeStoreChanged      Code = "store_changed"        // proof removed or replaced
	CodeStructChanged     Code = "structure_changed"    //
	CodeFreed             Code = "freed"                // object deleted
	CodeRestored          Code = "restored"             // object put back to an earlier state
	CodeAmbiguous         Code = "ambiguous"            // readers do not agree on what is there
	CodeUnexplained       Code = "unexplained"          // anything else
	CodeUnreadable        Code = "unreadable"           // what is there now or was before cannot be read
	CodeTooMuch           Code = "too_much"             // more than the limits allow to look at
)

// maxPaths bounds the paths that are told of one object; all are judged.
const maxPaths = 16
