package main

import (
	"slices"
	"strings"

	"segel/pades"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
)

// writeFillings writes a file for each way of filling in a form after a signature, by programs and by attackers. Some
// are also made after a certification, and after a seal that locks the form.
func writeFillings(k *pki, dir string, every int) ([]item, error) {
	w := newItemWriter(dir)
	plain := func(b []byte) *testFile {
		return k.newFile(b).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256)
	}
	certified := func(b []byte) *testFile {
		return k.newFile(b).addFields(pades.FieldSpec{Name: "A"}).signField("A", ecP256, withCertification(2))
	}
	write := func(name string, c formtest.Case, sign func([]byte) *testFile, want formtest.Want) {
		b, err := buildFilled(c, sign)
		w.addFile(item{name: name, wantFilling: fillingVerdicts[want]}, b, err)
	}
	for i, c := range slices.Concat(formtest.Honest(), formtest.Attacks()) {
		prefix := "filled"
		if c.Want == formtest.Denied {
			prefix = "attack"
		}
		if i%every == 0 {
			write(c.File(prefix), c, plain, c.Want)
		}
		if slices.Contains([]string{"replace", "remove", "former-text", "acrobat-empty", "checked"}, c.Name) {
			write(c.File("certified-"+prefix), c, certified, c.Want)
		}
		if slices.Contains(refills, c.Name) {
			write(c.File("sealed-"+prefix), c, k.sealForm, formtest.Denied)
		}
	}
	return w.items, w.err
}

// refills are also tried on a form that a seal has locked.
var refills = []string{
	"acrobat-empty", "pdfjs-again", "pdfbox-again", "itext-empty", "pdfjs-below-a-field", "left-to-readers", "choice-label", "list-acrobat", "checked", "radio", "two-widgets",
	"replace", "replace-in-place", "remove", "state-alone",
}

// fillingVerdicts are the expected verdicts of our report on a filling.
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

// sealForm signs a form and seals it like the service: the seal locks all existing fields, up to B-LTA.
func (k *pki) sealForm(b []byte) *testFile {
	p := k.newFile(b)
	names, err := listLockable(b)
	if err != nil {
		p.err = err
		return p
	}
	lock := &pades.Lock{Action: pdf.LockInclude, Fields: append(names, "A")}
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
	d, err := openPDF(b)
	if err != nil {
		return nil, err
	}
	return pades.LockableFields(d)
}

// checkFilling compares our report on a filled form with what is expected: the verdict on the seal if there is one,
// because it locks the form, else on the signer's signature.
func (it item) checkFilling(a ourReport, fail reportFunc) {
	if it.wantFilling == "" {
		return
	}
	field := "A"
	if strings.HasPrefix(it.name, "sealed-") {
		field = "Segel"
	}
	i := slices.IndexFunc(a.Signatures, func(s ourSignature) bool { return s.Field == field })
	if i < 0 {
		fail("%s: we do not know it", field)
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
		fail("%s: %s, and it should be %s: %v", field, got, it.wantFilling, s)
	}
}
