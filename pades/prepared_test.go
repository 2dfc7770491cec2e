package pades_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf/pdftest"
	"segel/tsp"
)

func readSample(t testing.TB, path string) []byte {
	t.Helper()
	return must[[]byte](t)(os.ReadFile(path))
}

func TestPreparedSignatureOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	who := signtest.NewSigner(t, "A")
	o := who.Options(t, "A")
	o.Key = nil
	prepared := must[*pades.Prepared](t)(pades.Prepare(p.Source(), o))
	stored := must[[]byte](t)(prepared.MarshalBinary())

	var again pades.Prepared
	if err := again.UnmarshalBinary(stored); err != nil {
		t.Fatal(err)
	}
	digest := must[[]byte](t)(again.Signature.Digest())
	value := must[[]byte](t)(who.Key.Sign(rand.Reader, digest, again.Signature.Scheme.Hash))
	token := must[[]byte](t)(again.Timestamp(t.Context(), o.Timestamper, value))
	if _, err := again.Finish(value[:len(value)-1], token); !errors.Is(err, pades.ErrCheck) {
		t.Errorf("value of another length: %v", err)
	}
	source := p.Source()
	r := p.Append(t)(again.Finish(value, token))
	if err := pades.VerifyTail(source, r.Tail, "A", pades.Clock{}); err != nil {
		t.Error(err)
	}
	wantValid(t, p, "A")
}

func TestPreparedSignatureOfTheFirstFormatIsRead(t *testing.T) {
	t.Parallel()
	b := readSample(t, filepath.Join("testdata", "formats", "prepared.json"))
	var p pades.Prepared
	if err := p.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	digest := must[[]byte](t)(p.Signature.Digest())
	if got := fmt.Sprintf("%d %s %x", p.Size, p.Field, digest); got != string(bytes.TrimSpace(readSample(t, filepath.Join("testdata", "formats", "prepared.txt")))) {
		t.Errorf("read %s", got)
	}
	if again := must[[]byte](t)(p.MarshalBinary()); !bytes.Equal(again, bytes.TrimSpace(b)) {
		t.Error("written otherwise than it was read")
	}
}

// fixedSizeTimestamper issues real tokens but states a wrong size.
type fixedSizeTimestamper struct {
	tsp.Timestamper
	size int
}

func (s *fixedSizeTimestamper) TokenSize() int { return s.size }

func TestContainerThatIsTooLargeIsRetried(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	o := who.Options(t, "A")
	o.Timestamper = &fixedSizeTimestamper{Timestamper: o.Timestamper, size: 10}
	p.Sign(t, o)
	wantValid(t, p, "A")
	p.Append(t)(pades.DocumentTimestamp(t.Context(), p.Source(), &fixedSizeTimestamper{Timestamper: o.Timestamper, size: 10}, pades.Clock{}))
	runTool(t, "qpdf", "--check", writeTemp(t, p))
}

func TestCheckFindsWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(t, pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"})
	before := p.Source()
	r := p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	if err := pades.VerifyTail(before, r.Tail, "A", pades.Clock{}); err != nil {
		t.Fatal(err)
	}
	swap := func(old, with string) []byte { return bytes.Replace(r.Tail, []byte(old), []byte(with), 1) }
	for name, c := range map[string]struct {
		tail  []byte
		field string
	}{
		"other field":      {r.Tail, "B"},
		"changed word":     {swap("Menyetujui", "menyetujui"), "A"},
		"shorter range":    {swap("/ByteRange [0 ", "/ByteRange [1 "), "A"},
		"space in the gap": {swap("0000>", "000 >"), "A"},
		"more behind it":   {append(bytes.Clone(r.Tail), "% more\n"...), "A"},
		"cut off":          {r.Tail[:len(r.Tail)-20], "A"},
		"broken container": {swap("<3082", "<3083"), "A"},
	} {
		if bytes.Equal(c.tail, r.Tail) && c.field == "A" {
			t.Fatalf("%s: nothing changed", name)
		}
		if err := pades.VerifyTail(before, c.tail, c.field, pades.Clock{}); !errors.Is(err, pades.ErrCheck) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := before
	other.Midstate = nil
	changed := bytes.Clone(p.Bytes[:before.Size])
	changed[20] ^= 1 // within a comment or the first object; both are signed
	other.R = bytes.NewReader(changed)
	if err := pades.VerifyTail(other, r.Tail, "A", pades.Clock{}); !errors.Is(err, pades.ErrCheck) {
		t.Errorf("changed source: %v", err)
	}
}

func FuzzPreparedIsReadOrRefused(f *testing.F) {
	f.Add(readSample(f, filepath.Join("testdata", "formats", "prepared.json")))
	f.Add([]byte(`{"format":"segel prepared signature 1","size":1,"hash":"SHA-256","tail":"PD4=","contents_len":2,"chain":["MAA="],"attributes":"MQA="}`))
	f.Add([]byte(`{"format":"segel prepared signature 1","size":1,"hash":"SHA-256","tail":"PD4=","contents_at":9,"contents_len":9}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p pades.Prepared
		if p.UnmarshalBinary(b) != nil {
			return
		}
		_, _ = p.Signature.Digest()
		_, _ = p.Finish([]byte{1}, nil)
		if again, err := p.MarshalBinary(); err != nil || p.UnmarshalBinary(again) != nil {
			t.Errorf("read but not written: %v", err)
		}
	})
}

func FuzzChangedTailIsRefused(f *testing.F) {
	p := &testFile{Bytes: pdftest.Table(1)}
	p.AddFields(f, pades.FieldSpec{Name: "A"})
	src := p.Source()
	r := p.Sign(f, signtest.NewSigner(f, "A").Options(f, "A"))
	begin := bytes.Index(r.Tail, []byte("/Contents <")) + len("/Contents ")
	end := begin + bytes.IndexByte(r.Tail[begin:], '>') + 1
	f.Add(uint(begin+2), []byte("0"))
	f.Add(uint(end), []byte(" "))
	f.Add(uint(len(r.Tail)-3), []byte("F"))
	f.Fuzz(func(t *testing.T, at uint, with []byte) {
		tail := bytes.Clone(r.Tail)
		copy(tail[at%uint(len(tail)):], with)
		err := pades.VerifyTail(src, tail, "A", pades.Clock{})
		// The gap also holds unsigned data, such as the issuers' certificates.
		signed := bytes.Equal(tail[:begin], r.Tail[:begin]) && bytes.Equal(tail[end:], r.Tail[end:])
		if err == nil && !signed {
			t.Errorf("%q at %d goes unnoticed", with, at)
		}
		if err != nil && !errors.Is(err, pades.ErrCheck) {
			t.Error(err)
		}
	})
}
