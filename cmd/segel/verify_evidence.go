package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"segel/internal/authority"
	"segel/internal/evidence"
	"segel/internal/text"
	"segel/pades/validate"
	"segel/pdf"
)

// maxEvidence bounds an evidence certificate in bytes. One with 150 pages of text has less than 10 MB.
const maxEvidence = 128 << 20

// evidenceCheck is the result of one check of an evidence certificate and its contract.
type evidenceCheck struct {
	Check  string `json:"check"` // seal, facts, contract, proof or signatures
	Passed bool   `json:"passed"`
	Text   string `json:"text"`
}

// evidenceReport is the result of verify --evidence.
type evidenceReport struct {
	Certificate string          `json:"certificate"`
	Contract    string          `json:"contract"`
	Passed      bool            `json:"passed"`
	Checks      []evidenceCheck `json:"checks"`
	Facts       *evidence.Facts `json:"facts"` // null unless the seal is valid
}

// evidenceText holds the texts of verify --evidence in one language.
type evidenceText struct {
	passed, failed, together, apart                                string
	sealed, notSealed, facts, contract, renewed, proof, signatures string
	notPassed, otherRoot                                           string
}

var evidenceTexts = map[text.Language]evidenceText{
	text.English: {
		passed: "passed", failed: "FAILED", together: "The certificate and the contract belong together.", apart: "The certificate DOES NOT PROVE this contract.",
		sealed:     "the certificate is sealed by %s and timestamped (PAdES %s); nothing was changed later",
		notSealed:  "the certificate is not sealed as Segel does it: %s",
		facts:      "what is attached cannot be read: %v",
		contract:   "the contract is the completed file of document %d: SHA-256 %s, with all of its %d revisions",
		renewed:    "the contract begins with the completed file of document %d: SHA-256 %s, with all of its %d revisions; %d bytes were appended later, such as a renewed timestamp",
		proof:      "%d events of the document are in the audit log %s under a checkpoint of %d events, its completion among them",
		signatures: "all %d signatures and timestamps of the contract pass, its seal by %s among them",
		notPassed:  "the signatures of the contract do not all pass",
		otherRoot:  "the contract has no seal below the root of the certificate",
	},
	text.Indonesian: {
		passed: "lulus", failed: "GAGAL", together: "Sertifikat dan dokumen ini saling bersesuaian.", apart: "Sertifikat ini TIDAK MEMBUKTIKAN dokumen ini.",
		sealed:     "sertifikat disegel oleh %s dan diberi stempel waktu (PAdES %s); tidak ada perubahan sesudahnya",
		notSealed:  "sertifikat tidak disegel sebagaimana dilakukan Segel: %s",
		facts:      "lampiran tidak dapat dibaca: %v",
		contract:   "dokumen adalah berkas selesai dari dokumen nomor %d: SHA-256 %s, dengan seluruh %d revisinya",
		renewed:    "dokumen diawali dengan berkas selesai dari dokumen nomor %d: SHA-256 %s, dengan seluruh %d revisinya; %d bita ditambahkan kemudian, misalnya stempel waktu yang diperbarui",
		proof:      "%d kejadian dokumen ini ada dalam log audit %s menurut titik periksa atas %d kejadian, termasuk penyelesaiannya",
		signatures: "seluruh %d tanda tangan dan stempel waktu pada dokumen sah, termasuk segel %s",
		notPassed:  "tidak semua tanda tangan pada dokumen sah",
		otherRoot:  "dokumen tidak memiliki segel di bawah sertifikat akar yang sama",
	},
}

// runEvidence checks an evidence certificate and its contract with the trusted roots alone. It ends with 0 if both belong together, 1 if they do
// not, 2 if one cannot be read.
func (c verifyCommand) runEvidence(w *environment, o validate.Options) error {
	if len(c.Files) != 1 {
		fmt.Fprintln(w.stderr, "segel: --evidence checks one contract")
		return someUnreadable
	}
	r, err := c.checkEvidence(w, o)
	if err != nil {
		fmt.Fprintln(w.stderr, "segel:", err)
		return someUnreadable
	}
	if err := c.printEvidence(w, r); err != nil {
		return err
	}
	if !r.Passed {
		return someDidNotPass
	}
	return nil
}

// checkEvidence makes the checks one after the other. If the seal is not valid, nothing that is attached can be believed.
func (c verifyCommand) checkEvidence(w *environment, o validate.Options) (*evidenceReport, error) {
	words := evidenceTexts[text.Language(c.Lang)]
	r := &evidenceReport{Certificate: c.Evidence, Contract: c.Files[0]}
	note := func(check string, err error, format string, args ...any) bool {
		said := fmt.Sprintf(format, args...)
		if err != nil {
			said = err.Error()
		}
		r.Checks = append(r.Checks, evidenceCheck{check, err == nil, said})
		return err == nil
	}

	file, err := readUpTo(c.Evidence, maxEvidence)
	if err != nil {
		return nil, err
	}
	seal, err := validateSeal(w, file, o)
	var bad *sealProblem
	if errors.As(err, &bad) {
		note("seal", fmt.Errorf(words.notSealed, bad.text), "")
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", c.Evidence, unreadableText(err, c.Lang))
	}
	note("seal", nil, words.sealed, seal.Signer.Name, seal.Level)
	// Only the bytes that the seal covers are read.
	attached, err := readSealed(file[:seal.Covers.Length], o)
	if err != nil {
		note("facts", fmt.Errorf(words.facts, err), "")
		return r, nil
	}
	r.Facts = attached.Facts

	d := &r.Facts.Document
	later, err := compareContractFile(r.Facts, c.Files[0])
	switch {
	case err != nil && !errors.Is(err, evidence.ErrOtherContract):
		return nil, err
	case later > 0:
		note("contract", nil, words.renewed, d.Number, d.Digest, len(r.Facts.Revisions), later)
	default:
		note("contract", err, words.contract, d.Number, d.Digest, len(r.Facts.Revisions))
	}
	checkpoint, events, err := attached.VerifyProof()
	note("proof", err, words.proof, len(events), checkpoint.Origin, checkpoint.Size)

	report, err := validateNamed(w, c.Files[0], o)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", c.Files[0], unreadableText(err, c.Lang))
	}
	var name string
	err = nil
	if !report.Passed() {
		err = errors.New(words.notPassed)
	} else if name = findSeal(report, rootAbove(seal)); name == "" {
		err = errors.New(words.otherRoot)
	}
	note("signatures", err, words.signatures, len(report.Signatures), name)
	r.Passed = !slices.ContainsFunc(r.Checks, func(k evidenceCheck) bool { return !k.Passed })
	return r, nil
}

// sealProblem is why the seal of a certificate is not accepted.
type sealProblem struct{ text string }

func (p *sealProblem) Error() string { return p.text }

// validateSeal validates a certificate and returns its seal: the first signature, a certification of an organisation that permits no later change,
// at level B-LTA. A contract has no such certification, even if something that looks like facts is attached to it. The error is a sealProblem
// if the certificate has no valid one.
func validateSeal(w *environment, file []byte, o validate.Options) (*validate.Signature, error) {
	report, err := validate.Validate(w.ctx, bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		return nil, err
	}
	if len(report.Signatures) == 0 {
		return nil, &sealProblem{"there is no signature"}
	}
	s := &report.Signatures[0]
	switch {
	case !report.Passed():
		return nil, &sealProblem{fmt.Sprintf("%s %s, %s", report.Indication, report.SubIndication, report.Integrity)}
	case s.Kind != validate.KindCertification || s.Facts.Certification != 1:
		return nil, &sealProblem{"its first signature is not a certification without later changes"}
	case !isOrganisationSeal(s):
		return nil, &sealProblem{"it is not signed by the seal of an organisation"}
	case s.Level != validate.LevelLTA || !s.Covers.Whole:
		return nil, &sealProblem{fmt.Sprintf("its level is %s", s.Level)}
	}
	return s, nil
}

// isOrganisationSeal reports whether a signature is that of an organisation's seal, by the policy in its certificate.
func isOrganisationSeal(s *validate.Signature) bool {
	return s.Signer != nil && len(s.Signer.Policies) == 1 && s.Signer.Policies[0].OID == authority.Seal.Policy()
}

// findSeal returns whose seal a valid contract has below a root, given by its SHA-256; empty if it has none.
func findSeal(r *validate.Report, root string) string {
	for i := range r.Signatures {
		if s := &r.Signatures[i]; s.Kind == validate.KindSignature && isOrganisationSeal(s) && rootAbove(s) == root {
			return s.Signer.Name
		}
	}
	return ""
}

// rootAbove returns the SHA-256 of the trusted root above a signature; empty without one.
func rootAbove(s *validate.Signature) string {
	if len(s.Chain) == 0 {
		return ""
	}
	return s.Chain[len(s.Chain)-1].SHA256
}

func readSealed(file []byte, o validate.Options) (*evidence.Attachments, error) {
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Password: o.Password})
	if err != nil {
		return nil, err
	}
	return evidence.ReadAttachments(d)
}

func compareContractFile(facts *evidence.Facts, name string) (later int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, err
	}
	return facts.CompareContract(f, size)
}

func (c verifyCommand) printEvidence(w *environment, r *evidenceReport) error {
	var b bytes.Buffer
	if c.JSON {
		if err := writeJSON(&b, r); err != nil {
			return err
		}
	} else {
		words := evidenceTexts[text.Language(c.Lang)]
		end := words.together
		if !r.Passed {
			end = words.apart
		}
		fmt.Fprintf(&b, "%s\n%s\n\n", oneLine(filepath.Base(r.Certificate)), oneLine(filepath.Base(r.Contract)))
		for _, k := range r.Checks {
			word := words.passed
			if !k.Passed {
				word = words.failed
			}
			fmt.Fprintf(&b, "%s: %s\n", word, oneLine(k.Text))
		}
		fmt.Fprintf(&b, "\n%s\n", end)
	}
	_, err := w.stdout.Write(b.Bytes())
	return err
}
