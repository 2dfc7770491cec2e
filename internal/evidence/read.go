package evidence

import (
	"errors"
	"fmt"

	"segel/internal/audit"
	"segel/pdf"
)

// ErrNoEvidence is the error of [ReadAttachments] for a PDF that is not an evidence certificate.
var ErrNoEvidence = errors.New("not an evidence certificate")

// Attachments is what is attached to a certificate.
type Attachments struct {
	Facts *Facts
	Proof *audit.Proof
}

// ReadAttachments reads what is attached to a certificate, and verifies nothing. The caller opens the bytes that the seal covers, so that
// nothing that was appended later is read. Errors: [ErrNoEvidence], [ErrForm], [audit.ErrProofForm], and those of reading the file.
func ReadAttachments(d *pdf.Document) (*Attachments, error) {
	files, err := listAttachments(d)
	if err != nil {
		return nil, err
	}
	var a Attachments
	if a.Facts, err = ParseFacts(files[FactsFile]); err != nil {
		return nil, fmt.Errorf("%s: %w", FactsFile, err)
	}
	if a.Proof, err = audit.ParseProof(files[ProofFile]); err != nil {
		return nil, fmt.Errorf("%s: %w", ProofFile, err)
	}
	return &a, nil
}

// listAttachments returns the data of the two attached files. The name tree must be as [Write] makes it: one node with the two names.
func listAttachments(d *pdf.Document) (map[string][]byte, error) {
	_, catalog, err := d.Root()
	if err != nil {
		return nil, err
	}
	trees, err := d.Dict(catalog["Names"])
	if err != nil {
		return nil, err
	}
	tree, err := d.Dict(trees["EmbeddedFiles"])
	if err != nil {
		return nil, err
	}
	names, err := d.Array(tree["Names"])
	if err != nil {
		return nil, err
	}
	if len(names) != 4 || tree["Kids"] != nil {
		return nil, fmt.Errorf("%w: it has not exactly the two files", ErrNoEvidence)
	}
	files := map[string][]byte{}
	for i := 0; i < len(names); i += 2 {
		name, err := d.String(names[i])
		if err != nil {
			return nil, err
		}
		data, err := readAttachment(d, names[i+1])
		if err != nil {
			return nil, fmt.Errorf("attached file %q: %w", name.Bytes, err)
		}
		files[string(name.Bytes)] = data
	}
	for _, name := range []string{FactsFile, ProofFile} {
		if files[name] == nil {
			return nil, fmt.Errorf("%w: %s is not attached", ErrNoEvidence, name)
		}
	}
	return files, nil
}

func readAttachment(d *pdf.Document, spec pdf.Object) ([]byte, error) {
	dict, err := d.Dict(spec)
	if err != nil {
		return nil, err
	}
	embedded, err := d.Dict(dict["EF"])
	if err != nil {
		return nil, err
	}
	stream, err := d.Stream(embedded["F"])
	if err != nil {
		return nil, err
	}
	if stream == nil {
		return nil, ErrNoEvidence
	}
	return d.DecodeStrict(stream)
}
