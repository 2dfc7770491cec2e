package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"reflect"
	"strings"
)

// checkPdfsig checks with poppler that each of our signatures is valid and shows its signer's name, and that the last
// one covers the whole file.
func (it item) checkPdfsig(fail reportFunc) {
	found := runPdfsig(it.path)
	for _, field := range it.listOurFields() {
		v, ok := found[field]
		_, signature := it.levels[field]
		switch {
		case !ok:
			fail("%s: not found", field)
		case signature && !strings.Contains(v, "Signature is Valid"):
			_, status, _ := strings.Cut(v, "Signature Validation: ")
			status, _, _ = strings.Cut(status, "\n")
			fail("%s: %s", field, status)
		case signature && it.signerNames[field] != "" && !strings.Contains(v, "Signer Certificate Common Name: "+it.signerNames[field]+"\n"):
			fail("%s: the name is not %q", field, it.signerNames[field])
		case it.coversFile && field == it.findLastField() && !strings.Contains(v, "Total document signed"):
			fail("%s: does not cover the whole document", field)
		}
	}
	if it.before == "" {
		return
	}
	for field, was := range runPdfsig(it.before) {
		if strings.Contains(was, "Signature is Valid") && !strings.Contains(found[field], "Signature is Valid") {
			fail("%s: was valid before, and is not any more", field)
		}
	}
}

// runPdfsig returns the output of pdfsig by field; nothing if it cannot read the file.
func runPdfsig(file string) map[string]string {
	out, _ := exec.Command("pdfsig", "-nocert", file).Output()
	all := map[string]string{}
	for block := range strings.SplitSeq(string(out), "Signature #") {
		if _, rest, ok := strings.Cut(block, "Signature Field Name: "); ok {
			name, rest, _ := strings.Cut(rest, "\n")
			all[name] = rest
		}
	}
	return all
}

// runQpdfCheck returns the result of qpdf --check: 0 clean, 1 warnings, 2 errors.
func runQpdfCheck(file string) int {
	err := exec.Command("qpdf", "--check", file).Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return 1
	}
	return 2
}

// checkQpdf checks that qpdf finds no new fault and, compared with the file before, the same pages and form fields.
func (it item) checkQpdf(fail reportFunc) {
	was := 0
	if it.before != "" {
		was = runQpdfCheck(it.before)
	}
	if is := runQpdfCheck(it.path); is > was {
		fail("check ends with %d, was %d before", is, was)
	}
	if it.before == "" {
		return
	}
	before, err := exec.Command("qpdf", "--show-npages", it.before).Output()
	if err != nil {
		return // qpdf finds no pages to compare
	}
	if after, err := exec.Command("qpdf", "--show-npages", it.path).Output(); err != nil || !bytes.Equal(before, after) {
		fail("%s pages became %s", bytes.TrimSpace(before), bytes.TrimSpace(after))
	}
	it.checkFormFields(fail)
}

// checkFormFields compares the form fields as qpdf lists them: existing fields must be unchanged and in the same order,
// and only signature fields may be added.
func (it item) checkFormFields(fail reportFunc) {
	before, err := listFormFields(it.before)
	if err != nil {
		return
	}
	after, err := listFormFields(it.path)
	if err != nil {
		fail("form fields: %v", err)
		return
	}
	for _, f := range after {
		if len(before) > 0 && reflect.DeepEqual(f, before[0]) {
			before = before[1:]
		} else if f["fieldtype"] != "/Sig" {
			fail("field %v was added or changed", f["fullname"])
		}
	}
	for _, f := range before {
		fail("field %v was removed or changed", f["fullname"])
	}
}

func listFormFields(file string) ([]map[string]any, error) {
	out, err := exec.Command("qpdf", "--json", "--json-key=acroform", file).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) { // exit status 3: warnings
		return nil, err
	}
	var v struct {
		AcroForm struct{ Fields []map[string]any }
	}
	err = json.Unmarshal(out, &v)
	return v.AcroForm.Fields, err
}

// checkMutool checks that mutool calls each of our signatures valid, or valid with later edits.
func (it item) checkMutool(fail reportFunc) {
	out, _ := exec.Command("mutool", "sign", "-v", it.path).CombinedOutput()
	valid := strings.Count(string(out), "The signature is valid but there have been edits") + strings.Count(string(out), "The document is unchanged since signing")
	if valid < len(it.levels) {
		fail("calls %d of %d signatures valid: %s", valid, len(it.levels), strings.Join(strings.Fields(string(out)), " "))
	}
}
