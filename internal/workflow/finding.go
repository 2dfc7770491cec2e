package workflow

import (
	"segel/internal/contract"
	"segel/pdf"
)

// findingsOf are the kinds of active content as findings. What is not listed is not told.
var findingsOf = map[string]contract.FindingCode{
	"javascript": contract.FindingJavaScript, "launch": contract.FindingLaunch, "submit_form": contract.FindingSubmitForm,
	"import_data": contract.FindingImportData, "goto_remote": contract.FindingOtherDocument, "goto_embedded": contract.FindingOtherDocument,
	"file_uri": contract.FindingFileURI, "rich_media": contract.FindingMedia, "rendition": contract.FindingMedia, "movie": contract.FindingMedia,
	"sound": contract.FindingMedia, "xfa": contract.FindingXFA, "embedded_file": contract.FindingEmbeddedFile,
	"open_action": contract.FindingActions, "additional_actions": contract.FindingActions, "external_stream": contract.FindingExternal,
}

// findIn looks for what the readers of a file may not see or expect. Each kind is told once.
func findIn(doc *pdf.Document) ([]contract.Finding, error) {
	active, err := doc.ActiveContent()
	if err != nil {
		return nil, err
	}
	var found []contract.Finding
	told := map[contract.FindingCode]bool{}
	for _, a := range active {
		if code := findingsOf[a.Reason]; code != "" && !told[code] {
			told[code] = true
			found = append(found, contract.NewFinding(code, 0))
		}
	}
	return found, nil
}
