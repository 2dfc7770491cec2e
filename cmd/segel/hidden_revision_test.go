package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	verdicts "segel/internal/text/verdict"
	"segel/pades/validate"
	"segel/pdf"
)

// revision is an incremental update under construction after a signed file.
type revision struct {
	bytes.Buffer
	prev    int64  // offset of the previous cross-reference section
	trailer string // members of every trailer of the file: the catalog and the identifier
	root    string // reference to the catalog
	catalog pdf.Dict
	proof   pdf.Dict // the document security store
	page    uint32   // page 1
	next    int      // number of the next object
	at      map[int]int
}

// behind begins a revision.
func behind(t *testing.T, signed []byte) *revision {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(signed), int64(len(signed)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	revisions, err := d.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	root, catalog, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := d.Page(1)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := d.Dict(catalog["DSS"])
	if err != nil {
		t.Fatal(err)
	}
	if proof["Certs"], err = d.Array(proof["Certs"]); err != nil {
		t.Fatal(err)
	}
	l := &revision{proof: proof, prev: revisions[len(revisions)-1].StartXref, root: root.String(), catalog: catalog, page: page.Ref.Number, at: map[int]int{}}
	size, _ := d.Trailer()["Size"].(pdf.Integer)
	l.next, l.trailer = int(size), fmt.Sprintf("/Root %s /ID %s", root, spelled(d.Trailer()["ID"]))
	if info := d.Trailer()["Info"]; info != nil {
		l.trailer += " /Info " + spelled(info)
	}
	l.Write(signed)
	return l
}

// put writes an object with that number; 0 is the next free one. It returns the number.
func (l *revision) put(number int, format string, args ...any) int {
	if number == 0 {
		number, l.next = l.next, l.next+1
	}
	l.at[number] = l.Len()
	fmt.Fprintf(l, "%d 0 obj\n", number)
	fmt.Fprintf(l, format, args...)
	l.WriteString("\nendobj\n")
	return number
}

func (l *revision) stream(number int, dict string, data []byte) int {
	return l.put(number, "<<%s /Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// rootNumber returns the catalog's object number.
func (l *revision) rootNumber() (n int) {
	_, _ = fmt.Sscan(l.root, &n) // it is a reference
	return n
}

// more writes the catalog with another value of one key.
func (l *revision) more(key pdf.Name, format string, args ...any) {
	var b strings.Builder
	for k, v := range l.catalog {
		if k != key {
			fmt.Fprintf(&b, "/%s %s ", k, spelled(v))
		}
	}
	l.put(l.rootNumber(), "<<%s/%s %s>>", b.String(), key, fmt.Sprintf(format, args...))
}

// store adds certificates to the document security store.
func (l *revision) store(certificates string) {
	var b strings.Builder
	for k, v := range l.proof {
		text := spelled(v)
		if k == "Certs" {
			text = text[:len(text)-1] + certificates + "]"
		}
		fmt.Fprintf(&b, "/%s %s ", k, text)
	}
	l.more("DSS", "<<%s>>", b.String())
}

// spelled formats an object of the kinds that catalogs contain.
func spelled(o pdf.Object) string {
	var b strings.Builder
	switch v := o.(type) {
	case pdf.Name:
		return "/" + string(v)
	case pdf.String:
		return fmt.Sprintf("<%x>", v.Bytes)
	case pdf.Array:
		for _, e := range v {
			b.WriteString(spelled(e) + " ")
		}
		return "[" + b.String() + "]"
	case pdf.Dict:
		for k, e := range v {
			fmt.Fprintf(&b, "/%s %s ", k, spelled(e))
		}
		return "<<" + b.String() + ">>"
	}
	return fmt.Sprint(o) // a number, a reference, true or false
}

// end closes the revision with a table. More goes into its trailer.
func (l *revision) end(more string) []byte {
	from := l.Len()
	l.WriteString("xref\n")
	for n, at := range l.at {
		fmt.Fprintf(l, "%d 1\n%010d 00000 n \n", n, at)
	}
	fmt.Fprintf(l, "trailer\n<</Size %d %s /Prev %d %s>>\nstartxref\n%d\n%%%%EOF\n", l.next, l.trailer, l.prev, more, from)
	return l.Bytes()
}

// crossReference closes the revision with a stream that places the given objects in object streams: their stream, and
// their index in it.
func (l *revision) crossReference(within map[int][2]int) []byte {
	self := l.next
	l.next++
	from := l.Len()
	l.at[self] = from
	var index strings.Builder
	var data []byte
	for n, at := range l.at {
		fmt.Fprintf(&index, "%d 1 ", n)
		data = append(data, 1, byte(at>>24), byte(at>>16), byte(at>>8), byte(at), 0)
	}
	for n, w := range within {
		fmt.Fprintf(&index, "%d 1 ", n)
		data = append(data, 2, byte(w[0]>>24), byte(w[0]>>16), byte(w[0]>>8), byte(w[0]), byte(w[1]))
	}
	fmt.Fprintf(l, "%d 0 obj\n<</Type /XRef %s /Size %d /Index [%s] /W [1 4 1] /Prev %d /Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		self, l.trailer, l.next, index.String(), l.prev, len(data), data, from)
	return l.Bytes()
}

// TestHostileRevisionBehindAValidSignatureCostsLittleToValidate sends requests to a separate process, whose memory is
// measured. The signed part is intact and trusted, so only the limits end the work early. A memory limit of Go keeps garbage out of
// the measurement: the process exceeds it only by what requests have in use.
func TestHostileRevisionBehindAValidSignatureCostsLittleToValidate(t *testing.T) {
	t.Parallel()
	made := starting{data: filepath.Join(t.TempDir(), "made")}
	_, signed, _ := finished(t, made.start(t))
	_, root, _ := runs(t, "authority", "export", "--data", made.data)
	trust := t.TempDir()
	if err := os.WriteFile(filepath.Join(trust, "root.pem"), []byte(root), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serve(t, filepath.Join(t.TempDir(), "data"), "SEGEL_TRUST_DIR="+trust, "SEGEL_VERIFICATIONS_PER_MINUTE=1000", "SEGEL_LOG_LEVEL=error", "GOMEMLIMIT=96MiB")
	if r := verified(t, p.service, signed); !r.Passed() {
		t.Fatalf("it does not hold: %+v", r.Summary)
	}
	anonymous := &client{service: p.service, t: t}
	before, peak := p.files(t), p.peak(t)
	for what, file := range hostileBehind(t, signed) {
		began := time.Now()
		a := anonymous.ask("form", file)
		took := time.Since(began)
		var out struct{ Data verdicts.Report }
		told := ""
		switch {
		case a.status == http.StatusOK:
			if err := json.Unmarshal(a.body, &out); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if told = string(out.Data.Integrity); out.Data.Passed() || strings.HasPrefix(told, string(validate.Intact)) {
				t.Errorf("%s: %s, %s", what, out.Data.Indication, told)
			}
			// A signature that no field references any more is still in the bytes, and is reported.
			if len(out.Data.Signatures) == 0 && len(out.Data.Warnings) == 0 {
				t.Errorf("%s: no signature, and no warning", what)
			}
		case a.status != http.StatusUnprocessableEntity || a.object("error")["code"] == "":
			t.Errorf("%s: %d %s", what, a.status, a.body)
		default:
			told = fmt.Sprint(a.object("error")["code"])
		}
		if n := len(out.Data.Signatures); n > mostSignatures {
			t.Errorf("%s: %d signatures", what, n)
		}
		if took > 40*time.Second { // a second or two on an idle processor
			t.Errorf("%s: it took %v", what, took)
		}
		t.Logf("%s: %d bytes more, %d, %d signatures, %s; %v, %d MiB at most", what, len(file)-len(signed), a.status, len(out.Data.Signatures), told, took.Round(time.Millisecond), p.peak(t)>>20)
	}
	if after := p.peak(t); after-peak > 128<<20 {
		t.Errorf("memory grew from %d to %d MiB", peak>>20, after>>20)
	}
	if diff := cmp.Diff(before, p.files(t)); diff != "" {
		t.Errorf("something is left: %s", diff)
	}
}
