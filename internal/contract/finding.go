package contract

import (
	"slices"
	"strings"
)

// Finding is one thing in a document's file that its readers may not see or expect: it acts by itself, reaches outside
// the file, or shows something else in print than on a screen.
type Finding struct {
	Code     FindingCode
	Page     int               // the first page it applies to, from 1; 0: the file as a whole
	Args     map[string]string // what its sentence needs, by name; nil: nothing
	Refused  bool              // Finalize refuses the document unless the owner accepts the code
	Accepted bool              // the owner accepted it at finalize
}

// FindingCode names a kind of finding. Values are stored and sent for good: new ones are added, none is renamed.
type FindingCode string

// The kinds of finding.
const (
	FindingLaunch        FindingCode = "finding.launch"         // starts a program or opens another file
	FindingExternal      FindingCode = "finding.external"       // content that is read from outside the file
	FindingJavaScript    FindingCode = "finding.javascript"     // JavaScript
	FindingActions       FindingCode = "finding.actions"        // actions that readers carry out by themselves
	FindingSubmitForm    FindingCode = "finding.submit_form"    // sends the form's values elsewhere
	FindingImportData    FindingCode = "finding.import_data"    // fills the form from another file
	FindingOtherDocument FindingCode = "finding.other_document" // leads to another document
	FindingFileURI       FindingCode = "finding.file_uri"       // a link to a file of the reader's machine
	FindingMedia         FindingCode = "finding.media"          // sound, film, 3D
	FindingXFA           FindingCode = "finding.xfa"            // a form in XML that some readers show instead of the pages
	FindingEmbeddedFile  FindingCode = "finding.embedded_file"  // other files within the file

	// About signatures that the file came with and whose bytes were not changed.
	FindingUnknownIssuer      FindingCode = "finding.signature_unknown_issuer"     // no chain to a trusted root
	FindingNoRevocationData   FindingCode = "finding.signature_no_revocation_data" // the file has no revocation data for a certificate
	FindingSignatureUnknown   FindingCode = "finding.signature_unknown"            // not verified: unsupported algorithm, or no signing certificate
	FindingSignatureNotPassed FindingCode = "finding.signature_not_passed"         // it does not pass validation for another reason
)

// refusedFindings are the kinds that finalize refuses unless the owner accepts them: what is signed is then not what
// is shown, or not in the file.
var refusedFindings = []FindingCode{FindingLaunch, FindingExternal}

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

// findingCodes lists the kinds for the audit log, each once, in the order of the findings.
func findingCodes(findings []Finding) string {
	var codes []string
	for _, f := range findings {
		if code := strings.TrimPrefix(string(f.Code), "finding."); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return strings.Join(codes, ", ")
}
