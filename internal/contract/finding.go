package contract

import (
	"slices"
	"strings"
	"time"
)

// Finding is one thing in the file that its readers may not see or expect: it acts by itself, uses content outside the
// file, or looks different in print than on a screen.
type Finding struct {
	Code     FindingCode
	Page     int               // the first page that it applies to, from 1; 0: the whole file
	Args     map[string]string // arguments of the sentence, by name; nil: none
	Refused  bool              // Finalize refuses the document unless the owner accepts the code
	Accepted bool              // the owner accepted it at finalize
}

// FindingCode names a kind of finding. Values are stored and sent: new ones are added, none is renamed.
type FindingCode string

// The kinds of finding.
const (
	FindingPrintDiffers   FindingCode = "finding.print_differs"   // other text or marks in print than on a screen
	FindingViewVaries     FindingCode = "finding.view_varies"     // the view depends on the reader, the magnification, the user or the language; or a signed file can be read in two ways
	FindingExternal       FindingCode = "finding.external"        // content that is read from outside the file
	FindingLaunch         FindingCode = "finding.launch"          // starts a program or opens another file
	FindingUnreliableText FindingCode = "finding.unreliable_text" // text whose characters differ from those shown
	FindingCoveredText    FindingCode = "finding.covered_text"    // text below a picture or an annotation
	FindingInvisibleText  FindingCode = "finding.invisible_text"  // invisible text
	FindingHiddenLayer    FindingCode = "finding.hidden_layer"    // a layer that is off
	FindingOutsidePage    FindingCode = "finding.outside_page"    // text outside the page
	FindingScreenOnly     FindingCode = "finding.screen_only"     // fields, buttons and notes that are not printed
	FindingPortfolio      FindingCode = "finding.portfolio"       // other files that some readers show instead of the pages
	FindingXFA            FindingCode = "finding.xfa"             // a form in XML that some readers show instead of the pages
	FindingJavaScript     FindingCode = "finding.javascript"      // JavaScript
	FindingActions        FindingCode = "finding.actions"         // actions that readers run automatically
	FindingSubmitForm     FindingCode = "finding.submit_form"     // sends the form's values elsewhere
	FindingImportData     FindingCode = "finding.import_data"     // fills the form from another file
	FindingOtherDocument  FindingCode = "finding.other_document"  // leads to another document
	FindingFileURI        FindingCode = "finding.file_uri"        // a link to a file on the reader's machine
	FindingMedia          FindingCode = "finding.media"           // sound, film, 3D
	FindingEmbeddedFile   FindingCode = "finding.embedded_file"   // other files within the file
	FindingNotExamined    FindingCode = "finding.not_examined"    // pages that were not examined completely

	// Signatures that were in the file at upload and whose bytes were not changed.
	FindingUnknownIssuer      FindingCode = "finding.signature_unknown_issuer"     // no chain to a trusted root
	FindingNoRevocationData   FindingCode = "finding.signature_no_revocation_data" // the file has no revocation data for a certificate
	FindingSignatureUnknown   FindingCode = "finding.signature_unknown"            // not verified: unsupported algorithm, or no signing certificate
	FindingSignatureNotPassed FindingCode = "finding.signature_not_passed"         // validation fails for another reason
)

// refusedFindings are the kinds that finalize refuses unless the owner accepts them: what is signed is then not what
// is shown, or is not in the file.
var refusedFindings = []FindingCode{FindingPrintDiffers, FindingViewVaries, FindingExternal, FindingLaunch, FindingPortfolio, FindingXFA}

// NewFinding returns a finding of that kind. Args are names and values in turn.
func NewFinding(code FindingCode, page int, args ...string) Finding {
	f := Finding{Code: code, Page: page, Refused: slices.Contains(refusedFindings, code)}
	for i := 0; i+1 < len(args); i += 2 {
		if f.Args == nil {
			f.Args = map[string]string{}
		}
		f.Args[args[i]] = args[i+1]
	}
	return f
}

// Warning returns the finding as a warning about the document.
func (f Finding) Warning() Warning {
	w := Warning{Field: "document", Code: string(f.Code)}
	for name, v := range f.Args {
		if w.Args == nil {
			w.Args = map[string]any{}
		}
		w.Args[name] = v
	}
	return w
}

// findingCodes lists the kinds for the audit log, each once, in order.
func findingCodes(findings []Finding) string {
	var codes []string
	for _, f := range findings {
		if code := strings.TrimPrefix(string(f.Code), "finding."); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return strings.Join(codes, ", ")
}

// checkFindings returns a refusal that lists the findings that must be accepted and are not, or nil.
func (d *Document) checkFindings(accept []FindingCode) error {
	var open []FieldError
	for _, f := range d.Findings {
		if f.Refused && !slices.Contains(accept, f.Code) {
			w := f.Warning()
			open = append(open, FieldError{Field: "accept_findings", Code: w.Code, Args: w.Args})
		}
	}
	if open == nil {
		return nil
	}
	return &Error{Kind: Invalid, Code: "document.active_content", Fields: open}
}

// acceptFindings records which refused findings the owner accepts, with one event for each.
func (c *Change) acceptFindings(accept []FindingCode, by Actor, now time.Time) {
	for i := range c.After.Findings {
		f := &c.After.Findings[i]
		if !f.Refused || f.Accepted || !slices.Contains(accept, f.Code) {
			continue
		}
		f.Accepted = true
		details := []string{"code", string(f.Code)}
		for name, v := range f.Args {
			details = append(details, name, v)
		}
		c.addEvent(EventFindingAccepted, by, now, details...)
	}
}

// AddFindings adds what was found in the file of a draft only when it is finalized, as for a draft of an older release. What is refused by default
// must be accepted by the owner, as in [Finalize].
func (c *Change) AddFindings(found []Finding, accept []FindingCode, by Actor, now time.Time) error {
	d := &c.After
	d.Findings = slices.Clone(d.Findings)
	for _, f := range found {
		if !slices.ContainsFunc(d.Findings, func(g Finding) bool { return g.Code == f.Code && g.Page == f.Page }) {
			d.Findings = append(d.Findings, f)
		}
	}
	if err := d.checkFindings(accept); err != nil {
		return err
	}
	c.acceptFindings(accept, by, now)
	return nil
}
