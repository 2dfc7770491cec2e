package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"segel/pades"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
)

// writeFillings writes a file for each way of filling in a form behind a signature: those of programs, and those of
// attackers. Some are done behind a certification and behind a seal that locks the form as well.
func writeFillings(h *pki, dir string, every int) ([]item, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	plain := func(b []byte) *testFile {
		return h.newFile(b).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256)
	}
	certified := func(b []byte) *testFile {
		return h.newFile(b).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256, withCertification(2))
	}
	var items []item
	write := func(name string, c formtest.Case, sign func([]byte) *testFile, want formtest.Want) error {
		b, err := buildFilled(c, sign)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		it := item{name: name, path: filepath.Join(dir, name), wantFilling: fillingVerdicts[want]}
		items = append(items, it)
		return os.WriteFile(it.path, b, 0o600)
	}
	for i, c := range slices.Concat(formtest.Honest(), formtest.Attacks()) {
		prefix := "filled"
		if c.Want == formtest.Denied {
			prefix = "attack"
		}
		if i%every == 0 {
			if err := write(c.File(prefix), c, plain, c.Want); err != nil {
				return nil, err
			}
		}
		if slices.Contains([]string{"replace", "remove", "former-text", "acrobat-empty", "checked"}, c.Name) {
			if err := write(c.File("certified-"+prefix), c, certified, c.Want); err != nil {
				return nil, err
			}
		}
		if slices.Contains(refills, c.Name) {
			if err := write(c.File("sealed-"+prefix), c, h.sealForm, formtest.Denied); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
}

// refills are tried on a form that a seal has locked.
var refills = []string{
	"acrobat-empty", "pdfjs-again", "pdfbox-again", "itext-empty", "pdfjs-below-a-field", "left-to-readers", "choice-label", "list-acrobat", "checked", "radio", "two-widgets",
	"replace", "replace-in-place", "remove", "state-alone",
}

// fillingVerdicts are what our report has to say of a filling.
var fillingVerdicts = map[formtest.Want]string{formtest.Allowed: "allowed", formtest.Warned: "warned", formtest.Denied: "denied"}

func buildFilled(c formtest.Case, sign func([]byte) *testFile) ([]byte, error) {
	b, err := formtest.Form()
	if err != nil {
		return nil, err
	}
	if c.Prepare != nil {
		if b, err = formtest.Append(b, c.Prepare); err != nil {
			return nil, err
		}
	}
	p := sign(b)
	if p.err != nil {
		return nil, p.err
	}
	return formtest.Append(p.b, c.Fill)
}

// sealForm signs a form and seals it as the service does: the seal locks all fields that are there, up to B-LTA.
func (h *pki) sealForm(b []byte) *testFile {
	p := h.newFile(b)
	names, err := listLockable(b)
	if err != nil {
		p.err = err
		return p
	}
	lock := &pades.Lock{Action: pades.LockInclude, Fields: append(names, "A")}
	p.addFields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "Segel", Lock: lock}).signField("A", ecP256)
	if p.err != nil {
		return p
	}
	if names, p.err = listLockable(p.b); p.err != nil {
		return p
	}
	return p.signField("Segel", ecP256, func(o *pades.Options) { o.LockFields = names }).addValidationData().addTimestamp()
}

func listLockable(b []byte) ([]string, error) {
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err != nil {
		return nil, err
	}
	return pades.LockableFields(d)
}

// checkFilling holds what we say of a form that was filled in against what is expected: of the seal where there is one, as it
// locks the form, and of the signer's signature else.
func (it item) checkFilling(a ourReport, no reportFunc) {
	if it.wantFilling == "" {
		return
	}
	field := "A"
	if strings.HasPrefix(it.name, "sealed-") {
		field = "Segel"
	}
	i := slices.IndexFunc(a.Signatures, func(s ourSignature) bool { return s.Field == field })
	if i < 0 {
		no("%s: we do not know it", field)
		return
	}
	s, got := a.Signatures[i], "allowed"
	switch {
	case !s.isIntact():
		got = "denied"
	case s.hasChange("change.value_not_compared"):
		got = "warned"
	}
	if got != it.wantFilling {
		no("%s: %s, and it should be %s: %v", field, got, it.wantFilling, s)
	}
}
