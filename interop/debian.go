package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"reflect"
	"strings"
)

// checkPdfsig asks poppler: every signature of ours is valid and shows whose it is, and the last one is about the whole file.
func (it item) checkPdfsig(no reportFunc) {
	found := runPdfsig(it.path)
	for _, field := range it.listOurFields() {
		v, ok := found[field]
		_, signature := it.levels[field]
		switch {
		case !ok:
			no("%s: not found", field)
		case signature && !strings.Contains(v, "Signature is Valid"):
			_, status, _ := strings.Cut(v, "Signature Validation: ")
			status, _, _ = strings.Cut(status, "\n")
			no("%s: %s", field, status)
		case signature && it.signerNames[field] != "" && !strings.Contains(v, "Signer Certificate Common Name: "+it.signerNames[field]+"\n"):
			no("%s: the name is not %q", field, it.signerNames[field])
		case it.coversFile && field == it.findLastField() && !strings.Contains(v, "Total document signed"):
			no("%s: not about the whole document", field)
		}
	}
	if it.before == "" {
		return
	}
	for field, was := range runPdfsig(it.before) {
		if strings.Contains(was, "Signature is Valid") && !strings.Contains(found[field], "Signature is Valid") {
			no("%s: was valid before, and is no more", field)
		}
	}
}

// runPdfsig returns what pdfsig says of each field; what it says of a file that it cannot read is nothing.
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

// runQpdfCheck is how qpdf --check ends, from 0, clean, over 1, warnings, to 2, errors.
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

// checkQpdf finds no fault, and, against the file before, the same pages and form fields.
func (it item) checkQpdf(no reportFunc) {
	was := 0
	if it.before != "" {
		was = runQpdfCheck(it.before)
	}
	if is := runQpdfCheck(it.path); is > was {
		no("check ends with %d, was %d before", is, was)
	}
	if it.before == "" {
		return
	}
	before, err := exec.Command("qpdf", "--show-npages", it.before).Output()
	if err != nil {
		return // qpdf sees no pages to compare
	}
	if after, err := exec.Command("qpdf", "--show-npages", it.path).Output(); err != nil || !bytes.Equal(before, after) {
		no("%s pages became %s", bytes.TrimSpace(before), bytes.TrimSpace(after))
	}
	it.checkFormFields(no)
}

// checkFormFields compares the form fields as qpdf lists them: those that were there are there as they were, in their order, and
// nothing but signature fields came.
func (it item) checkFormFields(no reportFunc) {
	before, err := listFormFields(it.before)
	if err != nil {
		return
	}
	after, err := listFormFields(it.path)
	if err != nil {
		no("form fields: %v", err)
		return
	}
	for _, f := range after {
		if len(before) > 0 && reflect.DeepEqual(f, before[0]) {
			before = before[1:]
		} else if f["fieldtype"] != "/Sig" {
			no("field %v has come, or changed", f["fullname"])
		}
	}
	for _, f := range before {
		no("field %v is gone, or changed", f["fullname"])
	}
}

func listFormFields(file string) ([]map[string]any, error) {
	out, err := exec.Command("qpdf", "--json", "--json-key=acroform", file).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) { // 3: with warnings
		return nil, err
	}
	var v struct {
		AcroForm struct{ Fields []map[string]any }
	}
	err = json.Unmarshal(out, &v)
	return v.AcroForm.Fields, err
}

// checkMutool says of each signature of ours that it is valid, or valid with later edits.
func (it item) checkMutool(no reportFunc) {
	out, _ := exec.Command("mutool", "sign", "-v", it.path).CombinedOutput()
	valid := strings.Count(string(out), "The signature is valid but there have been edits") + strings.Count(string(out), "The document is unchanged since signing")
	if valid < len(it.levels) {
		no("calls %d of %d signatures valid: %s", valid, len(it.levels), strings.Join(strings.Fields(string(out)), " "))
	}
}
