package pades_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"segel/cms"
	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// newTextArray is an array of strings.
func newTextArray(all ...string) pdf.Array {
	var a pdf.Array
	for _, s := range all {
		a = append(a, pdf.TextString(s))
	}
	return a
}

func TestSeedValuesAreAppliedOrRefused(t *testing.T) {
	t.Parallel()
	who, other := signtest.NewSigner(t, "Budi"), signtest.NewSigner(t, "Ani")
	cert := func(flags int, key pdf.Name, list pdf.Array) pdf.Dict {
		return pdf.Dict{"Cert": pdf.Dict{"Type": pdf.Name("SVCert"), "Ff": pdf.Integer(flags), key: list}}
	}
	der := func(b []byte) pdf.Object { return pdf.String{Bytes: b, Hex: true} }
	for name, c := range map[string]struct {
		sv     pdf.Dict
		change func(*pades.Options)
		obeyed bool
	}{
		"nothing":                  {pdf.Dict{}, nil, true},
		"our handler":              {pdf.Dict{"Ff": pdf.Integer(3), "Filter": pdf.Name("Adobe.PPKLite"), "SubFilter": pdf.Array{pdf.Name("adbe.pkcs7.detached"), pdf.Name("ETSI.CAdES.detached")}}, nil, true},
		"wished handler":           {pdf.Dict{"Filter": pdf.Name("Other"), "SubFilter": pdf.Array{pdf.Name("adbe.pkcs7.sha1")}}, nil, true},
		"other handler":            {pdf.Dict{"Ff": pdf.Integer(1), "Filter": pdf.Name("Other")}, nil, false},
		"other container":          {pdf.Dict{"Ff": pdf.Integer(2), "SubFilter": pdf.Array{pdf.Name("adbe.pkcs7.detached")}}, nil, false},
		"known version":            {pdf.Dict{"Ff": pdf.Integer(4), "V": pdf.Integer(2)}, nil, true},
		"newer version":            {pdf.Dict{"Ff": pdf.Integer(4), "V": pdf.Real(4)}, nil, false},
		"reason among them":        {pdf.Dict{"Ff": pdf.Integer(8), "Reasons": newTextArray("x", "Menyetujui isi dokumen ini")}, nil, true},
		"reason that is not":       {pdf.Dict{"Ff": pdf.Integer(8), "Reasons": newTextArray("x", "y")}, nil, false},
		"reason that is wished":    {pdf.Dict{"Reasons": newTextArray("x", "y")}, nil, true},
		"only reason":              {pdf.Dict{"Ff": pdf.Integer(8), "Reasons": newTextArray("x")}, func(o *pades.Options) { o.Reason = "" }, true},
		"no reason":                {pdf.Dict{"Ff": pdf.Integer(8), "Reasons": newTextArray(".")}, nil, false},
		"no reason at all":         {pdf.Dict{"Ff": pdf.Integer(8)}, func(o *pades.Options) { o.Reason = "" }, true},
		"old hash":                 {pdf.Dict{"Ff": pdf.Integer(64), "DigestMethod": newTextArray("SHA1", "RIPEMD160")}, nil, false},
		"old hash, wished":         {pdf.Dict{"DigestMethod": newTextArray("SHA1")}, nil, true},
		"longer hash":              {pdf.Dict{"Ff": pdf.Integer(64), "DigestMethod": newTextArray("SHA1", "SHA384", "SHA512")}, nil, true},
		"hash that was not stated": {pdf.Dict{"Ff": pdf.Integer(64), "DigestMethod": newTextArray("SHA384")}, func(o *pades.Options) { o.Scheme = cms.Scheme{Hash: crypto.SHA256} }, false},
		"approval":                 {pdf.Dict{"MDP": pdf.Dict{"P": pdf.Integer(0)}}, nil, true},
		"no approval":              {pdf.Dict{"MDP": pdf.Dict{"P": pdf.Integer(0)}}, func(o *pades.Options) { o.Certify = 2 }, false},
		"certification":            {pdf.Dict{"MDP": pdf.Dict{"P": pdf.Integer(2)}}, func(o *pades.Options) { o.Certify = 2 }, true},
		"other certification":      {pdf.Dict{"MDP": pdf.Dict{"P": pdf.Integer(1)}}, func(o *pades.Options) { o.Certify = 2 }, false},
		"no certification":         {pdf.Dict{"MDP": pdf.Dict{"P": pdf.Integer(1)}}, nil, false},
		"timestamp":                {pdf.Dict{"TimeStamp": pdf.Dict{"URL": pdf.TextString("https://tsa.example"), "Ff": pdf.Integer(1)}}, nil, true},
		"no timestamp":             {pdf.Dict{"TimeStamp": pdf.Dict{"Ff": pdf.Integer(1)}}, func(o *pades.Options) { o.Timestamper = nil }, false},
		"no timestamp, wished":     {pdf.Dict{"TimeStamp": pdf.Dict{"URL": pdf.TextString("https://tsa.example")}}, func(o *pades.Options) { o.Timestamper = nil }, true},
		"attestation":              {pdf.Dict{"Ff": pdf.Integer(16), "LegalAttestation": newTextArray("x")}, func(o *pades.Options) { o.Certify = 1 }, false},
		"attestation of others":    {pdf.Dict{"Ff": pdf.Integer(16), "LegalAttestation": newTextArray("x")}, nil, true},
		"data within":              {pdf.Dict{"Ff": pdf.Integer(32), "AddRevInfo": pdf.Boolean(true)}, nil, false},
		"data preferred":           {pdf.Dict{"AddRevInfo": pdf.Boolean(true)}, nil, true},
		"locked document":          {pdf.Dict{"Ff": pdf.Integer(128), "LockDocument": pdf.Name("true")}, nil, false},
		"certified document":       {pdf.Dict{"Ff": pdf.Integer(128), "LockDocument": pdf.Name("true")}, func(o *pades.Options) { o.Certify = 1 }, true},
		"look":                     {pdf.Dict{"Ff": pdf.Integer(256), "AppearanceFilter": pdf.TextString("x")}, nil, false},
		"own certificate":          {cert(1, "Subject", pdf.Array{der(other.Chain[0].Raw), der(who.Chain[0].Raw)}), nil, true},
		"another's certificate":    {cert(1, "Subject", pdf.Array{der(other.Chain[0].Raw)}), nil, false},
		"another's, wished":        {cert(0, "Subject", pdf.Array{der(other.Chain[0].Raw)}), nil, true},
		"own issuer":               {cert(2, "Issuer", pdf.Array{der(who.Chain[1].Raw)}), nil, true},
		"another issuer":           {cert(2, "Issuer", pdf.Array{der(who.Chain[0].Raw)}), nil, false},
		"policy":                   {cert(4, "OID", newTextArray("1.2.3.4")), nil, false},
		"own name":                 {cert(8, "SubjectDN", pdf.Array{pdf.Dict{"cn": pdf.TextString("Ani")}, pdf.Dict{"CN": pdf.TextString("Budi")}}), nil, true},
		"another name":             {cert(8, "SubjectDN", pdf.Array{pdf.Dict{"cn": pdf.TextString("Budi"), "ou": pdf.TextString("Legal")}}), nil, false},
		"usage":                    {cert(32, "KeyUsage", newTextArray("XX1", "1XXXX0")), nil, true},
		"other usage":              {cert(32, "KeyUsage", newTextArray("XXXXX1")), nil, false},
		"not a dictionary":         {pdf.Dict{"MDP": pdf.Integer(1)}, nil, false},
	} {
		p := &testFile{Bytes: pdftest.Table(1)}
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		editField(t, p, "A", func(f pdf.Dict) { f["SV"] = c.sv })
		o := who.Options(t, "A")
		if c.change != nil {
			c.change(&o)
		}
		_, err := pades.Sign(t.Context(), p.Source(), o)
		if c.obeyed != (err == nil) || err != nil && name != "not a dictionary" && !errors.Is(err, pades.ErrSeedValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSeedValuesFillInWhatWasLeftOpen(t *testing.T) {
	t.Parallel()
	who := signtest.Certify(t, signtest.Authority(t), "Budi", must[*rsa.PrivateKey](t)(rsa.GenerateKey(rand.Reader, 2048)))
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	editField(t, p, "A", func(f pdf.Dict) {
		f["SV"] = pdf.Dict{"Type": pdf.Name("SV"), "Ff": pdf.Integer(72), "Reasons": newTextArray("Satu-satunya"), "DigestMethod": newTextArray("SHA1", "SHA512")}
	})
	o := who.Options(t, "A")
	o.Reason = ""
	p.Sign(t, o)
	wantValid(t, p, "A")
	s := must[[]*pdf.Signature](t)(p.Open(t).Signatures())[0]
	container := must[*cms.SignedData](t)(cms.Parse(s.Contents))
	if reason := must[pdf.String](t)(p.Open(t).String(s.Dict["Reason"])).Text(); reason != "Satu-satunya" || container.Signers[0].Digest != crypto.SHA512 {
		t.Errorf("reason %q, hash %v", reason, container.Signers[0].Digest)
	}
}

// listReferences returns the /Reference entries of the newest signature by method.
func listReferences(t testing.TB, p *testFile, field string) map[pdf.Name]pdf.Dict {
	t.Helper()
	d := p.Open(t)
	all := map[pdf.Name]pdf.Dict{}
	for _, s := range must[[]*pdf.Signature](t)(d.Signatures()) {
		if s.Field.Name != field {
			continue
		}
		for _, o := range must[pdf.Array](t)(d.Array(s.Dict["Reference"])) {
			r := must[pdf.Dict](t)(d.Dict(o))
			all[r["TransformMethod"].(pdf.Name)] = must[pdf.Dict](t)(d.Dict(r["TransformParams"]))
		}
	}
	return all
}

func TestLocksOfNewFieldsAreStatedByTheirSignatures(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi")
	box := pdf.Rect{LLX: 10, LLY: 10, URX: 90, URY: 40}
	for _, fresh := range []bool{false, true} {
		p := &testFile{Bytes: pdftest.Form()}
		spec := pades.FieldSpec{Name: "A", Lock: &pades.Lock{Action: pdf.LockExclude, Fields: []string{"B", "C"}, Permit: 2}}
		rest := []pades.FieldSpec{{Name: "B", Lock: &pades.Lock{Action: pdf.LockAll, Permit: 3}}, {Name: "C", Lock: &pades.Lock{Action: pdf.LockInclude, Fields: []string{"name"}, Permit: 1}}, {Name: "D"}}
		o := who.Options(t, "A")
		if fresh {
			p.AddFields(t, rest...)
			o.Field, o.NewField = "", &spec
		} else {
			p.AddFields(t, append(rest, spec)...)
		}
		p.Sign(t, o)
		wantValid(t, p, "A")
		stated := listReferences(t, p, "A")
		if stated["DocMDP"]["P"] != pdf.Object(pdf.Integer(2)) || stated["FieldMDP"]["Action"] != pdf.Object(pdf.Name("Exclude")) {
			t.Errorf("A states %v", stated)
		}
		var named []string
		for _, o := range must[pdf.Array](t)(p.Open(t).Array(stated["FieldMDP"]["Fields"])) {
			named = append(named, must[pdf.String](t)(p.Open(t).String(o)).Text())
		}
		if fmt.Sprint(named) != "[B C]" {
			t.Errorf("A locks all but %v", named)
		}
		if _, err := pades.Sign(t.Context(), p.Source(), who.Options(t, "D")); !errors.Is(err, pades.ErrFieldLocked) {
			t.Errorf("locked field: %v", err)
		}
		if _, err := pades.AddFields(p.Open(t), []pades.FieldSpec{{Name: "E", Page: 1, Rect: box}}); !errors.Is(err, pades.ErrCertified) {
			t.Errorf("another box: %v", err)
		}
		if err := pades.RequireNewFieldPermitted(p.Open(t), "B", true); !errors.Is(err, pades.ErrCertified) {
			t.Errorf("another box, checked beforehand: %v", err)
		}
		// A later lock that permits more does not weaken the earlier one.
		p.Sign(t, who.Options(t, "B"))
		if stated := listReferences(t, p, "B"); stated["DocMDP"]["P"] != pdf.Object(pdf.Integer(2)) {
			t.Errorf("B states %v", stated)
		}
	}
}

func TestLockThatPermitsNothingEndsTheSigning(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi")
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A", Lock: &pades.Lock{Action: pdf.LockInclude, Fields: []string{"Z"}, Permit: 1}}, pades.FieldSpec{Name: "B"})
	p.Sign(t, who.Options(t, "A"))
	if _, err := pades.Sign(t.Context(), p.Source(), who.Options(t, "B")); !errors.Is(err, pades.ErrCertified) {
		t.Errorf("after a lock: %v", err)
	}
	p.Complete(t, signtest.Authority(t)) // never forbidden
	runTool(t, "qpdf", "--check", writeTemp(t, p))
}

func TestCertificationAndLockStateTheStricterLevelOnce(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A", Lock: &pades.Lock{Action: pdf.LockAll, Permit: 2}})
	o := signtest.NewSigner(t, "Budi").Options(t, "A")
	o.Certify = 3
	p.Sign(t, o)
	wantValid(t, p, "A")
	if got := p.Open(t).Properties().DocMDP; got != 2 {
		t.Errorf("certified at level %d", got)
	}
}

func TestWrongLocksAreRefused(t *testing.T) {
	t.Parallel()
	for _, spec := range []pades.FieldSpec{
		{Name: "A", Lock: &pades.Lock{}},
		{Name: "A", Lock: &pades.Lock{Action: pdf.LockAll, Permit: 4}},
		{Name: "A", Page: 1, Rect: pdf.Rect{URX: 9, URY: 9}, Mark: true, Lock: &pades.Lock{Action: pdf.LockAll}},
	} {
		if _, err := pades.AddFields((&testFile{Bytes: pdftest.Table(1)}).Open(t), []pades.FieldSpec{spec}); err == nil {
			t.Errorf("%+v was added", spec)
		}
	}
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	editField(t, p, "A", func(f pdf.Dict) { f["Lock"] = pdf.Dict{"Action": pdf.Name("All"), "P": pdf.Integer(9)} })
	if _, err := pades.Sign(t.Context(), p.Source(), signtest.NewSigner(t, "A").Options(t, "A")); err == nil {
		t.Error("signed under a lock that means nothing")
	}
}

// lockedBy returns the names that the signature of a field locks.
func lockedBy(t *testing.T, p *testFile, field string) (action string, names []string) {
	t.Helper()
	stated := listReferences(t, p, field)["FieldMDP"]
	for _, o := range must[pdf.Array](t)(p.Open(t).Array(stated["Fields"])) {
		names = append(names, must[pdf.String](t)(p.Open(t).String(o)).Text())
	}
	if a, ok := stated["Action"].(pdf.Name); ok {
		action = string(a)
	}
	return action, names
}

func TestSignatureLocksFieldsThatCameAfterItsOwn(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi")
	for name, c := range map[string]struct {
		lock *pades.Lock
		more []string
		want string
	}{
		"no lock":               {nil, nil, " []"},
		"no lock on the field":  {nil, []string{"name", "later"}, "Include [name later]"},
		"some included":         {&pades.Lock{Action: pdf.LockInclude, Fields: []string{"name"}}, []string{"name", "later"}, "Include [name later]"},
		"some excluded":         {&pades.Lock{Action: pdf.LockExclude, Fields: []string{"name", "later"}}, []string{"later"}, "Exclude [name]"},
		"all":                   {&pades.Lock{Action: pdf.LockAll}, []string{"later"}, "All []"},
		"what its field states": {&pades.Lock{Action: pdf.LockInclude, Fields: []string{"name"}}, nil, "Include [name]"},
	} {
		p := &testFile{Bytes: pdftest.Form()}
		p.AddFields(t, pades.FieldSpec{Name: "A", Lock: c.lock})
		o := who.Options(t, "A")
		o.LockFields = c.more
		p.Sign(t, o)
		wantValid(t, p, "A")
		if action, names := lockedBy(t, p, "A"); action+" "+fmt.Sprint(names) != c.want {
			t.Errorf("%s: locks %s %v, want %s", name, action, names, c.want)
		}
		if certified := listReferences(t, p, "A")["DocMDP"]; certified != nil {
			t.Errorf("%s: states %v", name, certified)
		}
	}
}

func TestLockableFieldsAreAllButEmptySignatureFields(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi")
	p := &testFile{Bytes: pdftest.Form()}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "Witness"}, pades.FieldSpec{Name: "Seal"})
	p.Sign(t, who.Options(t, "A"))
	names := must[[]string](t)(pades.LockableFields(p.Open(t)))
	if fmt.Sprint(names) != "[name group.agree A]" {
		t.Fatalf("lockable: %v", names)
	}
	o := who.Options(t, "Seal")
	o.LockFields = names
	p.Sign(t, o)
	p.Sign(t, who.Options(t, "Witness"))
	p.Complete(t, signtest.Authority(t))
	o = who.Options(t, "")
	o.NewField = &pades.FieldSpec{Name: "Another"}
	p.Sign(t, o)
	wantValid(t, p, "A", "Seal", "Witness", "Another")
}

func TestFieldsThatAreLockedAreNotLockedAgain(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi")
	for want, lock := range map[string]pades.Lock{
		"[group.agree A]": {Action: pdf.LockInclude, Fields: []string{"name"}},
		"[name A]":        {Action: pdf.LockInclude, Fields: []string{"group"}},
		"[group.agree]":   {Action: pdf.LockExclude, Fields: []string{"group.agree"}},
		"[]":              {Action: pdf.LockAll},
	} {
		p := &testFile{Bytes: pdftest.Form()}
		p.AddFields(t, pades.FieldSpec{Name: "A", Lock: &lock})
		p.Sign(t, who.Options(t, "A"))
		if names := must[[]string](t)(pades.LockableFields(p.Open(t))); fmt.Sprint(names) != want {
			t.Errorf("%v: lockable %v, want %s", lock, names, want)
		}
	}
}

// findAppearance finds the appearance stream of a field.
func findAppearance(t *testing.T, d *pdf.Document, field string) (pdf.Ref, *pdf.Stream) {
	t.Helper()
	fields := must[[]*pdf.Field](t)(d.Fields())
	i := slices.IndexFunc(fields, func(f *pdf.Field) bool { return f.Name == field })
	if i < 0 {
		t.Fatalf("no field %s", field)
	}
	ref := must[pdf.Dict](t)(d.Dict(fields[i].Dict["AP"])).Ref("N")
	return ref, must[*pdf.Stream](t)(d.Stream(ref))
}

// TestAppearancesOfLockedFieldsAreWrittenAgain checks that they are unchanged; pyHanko needs them, see
// docs/decisions/0030-seal-lock.md.
func TestAppearancesOfLockedFieldsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi")
	for name, c := range map[string]struct {
		locked []string
		size   int  // of the appearance; 0: unchanged
		secret bool // the file is encrypted
		again  bool
	}{
		"locked":            {locked: []string{"name"}, again: true},
		"encrypted":         {locked: []string{"name"}, secret: true, again: true},
		"a field of states": {locked: []string{"group.agree"}},
		"not locked":        {locked: []string{"another"}},
		"more than fits":    {locked: []string{"name"}, size: 5 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: pdftest.Form()}
			if c.secret {
				p = encryptFile(t, p.Bytes, "", "256")
			}
			if c.size > 0 {
				ref, _ := findAppearance(t, p.Open(t), "name")
				u, noise := p.Open(t).NewUpdate(), make([]byte, c.size) // incompressible
				_, _ = rand.Read(noise)
				u.Set(ref, &pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 9, URY: 9}.Array()}, Data: noise})
				p.Bytes = append(p.Bytes, must[*pdf.Tail](t)(u.Build()).Bytes...)
			}
			p.AddFields(t, pades.FieldSpec{Name: "A"})
			before := p.Open(t)
			o := who.Options(t, "A")
			o.LockFields = c.locked
			r := p.Sign(t, o)
			after := p.Open(t)
			ref, was := findAppearance(t, before, "name")
			same, is := findAppearance(t, after, "name")
			if again := bytes.Contains(r.Tail, fmt.Appendf(nil, "%d 0 obj\n", ref.Number)); again != c.again || ref != same {
				t.Errorf("%v written again: %v; it is %v now", ref, again, same)
			}
			if !bytes.Equal(must[[]byte](t)(before.Decode(was)), must[[]byte](t)(after.Decode(is))) {
				t.Error("it is another one")
			}
			for _, d := range []pdf.Dict{was.Dict, is.Dict} {
				delete(d, "Length") // that of encrypted data
			}
			if !reflect.DeepEqual(was.Dict, is.Dict) {
				t.Errorf("%v has become %v", was.Dict, is.Dict)
			}
			wantValid(t, p, "A")
		})
	}
}

// largeForm returns a form with many filled text fields, as Acrobat writes them.
func largeForm(t *testing.T, n int) (p *testFile, names []string) {
	t.Helper()
	p = &testFile{Bytes: pdftest.Form()}
	d := p.Open(t)
	u := d.NewUpdate()
	form, dict, err := d.Form()
	if err != nil {
		t.Fatal(err)
	}
	fields, err := d.Array(dict["Fields"])
	if err != nil {
		t.Fatal(err)
	}
	helvetica := pdf.Dict{"Font": pdf.Dict{"Helv": pdf.Ref{Number: 3}}}
	for i := range n {
		names = append(names, fmt.Sprintf("Perjanjian Pihak1 Kolom%04d", i))
		look := u.Add(&pdf.Stream{
			Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 20}.Array(), "Resources": helvetica},
			Data: fmt.Appendf(nil, "/Tx BMC \nq\n1 1 198 18 re\nW\nn\nBT\n/Helv 12 Tf\n0 g\n2 5.9 Td\n(%s) Tj\nET\nQ\nEMC\n", names[i]),
		})
		fields = append(fields, u.Add(pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Tx"), "T": pdf.TextString(names[i]), "V": pdf.TextString(names[i]),
			"Rect": pdf.Rect{URX: 200, URY: 20}.Array(), "AP": pdf.Dict{"N": look},
		}))
	}
	edited, err := u.Edit(form)
	if err != nil {
		t.Fatal(err)
	}
	edited["Fields"] = fields
	p.Bytes = append(p.Bytes, must[*pdf.Tail](t)(u.Build()).Bytes...)
	return p, names
}

// TestLockOfALargeFormGrowsWithItsFields also logs the figures of docs/decisions/0030-seal-lock.md.
func TestLockOfALargeFormGrowsWithItsFields(t *testing.T) {
	t.Parallel()
	const n = 1000
	who := signtest.NewSigner(t, "Budi")
	p, names := largeForm(t, n)
	added := func(lock *pades.Lock) int {
		return len(must[*pdf.Tail](t)(pades.AddFields(p.Open(t), []pades.FieldSpec{{Name: "Seal", Lock: lock}})).Bytes)
	}
	field := added(&pades.Lock{Action: pdf.LockInclude, Fields: names}) - added(nil)
	p.AddFields(t, pades.FieldSpec{Name: "Seal"})
	sealed := func(names ...string) int {
		o := who.Options(t, "Seal")
		o.LockFields = names
		return len(must[*pades.Result](t)(pades.Sign(t.Context(), p.Source(), o)).Tail)
	}
	none, all := sealed(), sealed(names...)
	t.Logf("%d fields with names of %d bytes: its field has %d bytes more, its signature %d instead of %d", n, len(names[0]), field, all, none)
	if field > n*(len(names[0])+4)+100 {
		t.Errorf("a lock of %d bytes", field)
	}
	if all-none > n*(len(names[0])+4+400)+300 {
		t.Errorf("a signature of %d bytes instead of %d", all, none)
	}
}
