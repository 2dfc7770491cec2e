package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/export"
)

// archived returns the contents of an archive by name.
func archived(t *testing.T, w *httptest.ResponseRecorder) map[string]string {
	t.Helper()
	if w.Code != 200 || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) || w.Header().Get("Content-Type") != "application/zip" {
		t.Fatalf("%d %v, %d bytes: %s", w.Code, w.Header(), w.Body.Len(), w.Body)
	}
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(b)
	}
	return all
}

// insertNamed stores another document under a title.
func (b *bench) insertNamed(d contract.Document, title, file string) contract.DocumentID {
	b.t.Helper()
	d.ID, d.Version, d.Name, d.Title = 0, 0, d.Name+title, title
	for i := range d.Stamps {
		d.Stamps[i].Serial += title
	}
	return b.insert(d, []byte(file)).ID
}

func TestAnArchiveHasWhatCanBeDownloadedAndSaysWhatCannot(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	same := b.insertNamed(completed(), completed().Title, "%PDF-second")
	open := b.insertNamed(processing(), "Belum Selesai", "%PDF-third")
	foreign := completed()
	foreign.Owner = contract.Person{ID: "somebody", Name: "Rahasia", Email: "rahasia@contoh.id"}
	foreign.Participants = nil
	hidden := b.insertNamed(foreign, "Rahasia", "%PDF-fourth")

	ids := fmt.Sprintf("archive?ids=1207,%d,%d,%d,999999,1207", same, open, hidden)
	all := archived(t, b.ask("GET", dBase+ids, "", "Accept-Language", "en"))
	title := completed().Title
	if completed().Specimen {
		title = export.SpecimenWord + "-" + title
	}
	notes := all["Not downloaded.txt"]
	if len(all) != 3 || all[title+"-signed.pdf"] != string(file1) || all[title+"-signed (2).pdf"] != "%PDF-second" {
		t.Errorf("%q", all)
	}
	absent := "The document does not exist."
	for _, line := range []string{fmt.Sprintf("Belum Selesai (number %d): The document is not completed yet", open), fmt.Sprintf("Number %d: ", hidden), "Number 999999: "} {
		if !strings.Contains(notes, line) {
			t.Errorf("%q lacks %q", notes, line)
		}
	}
	of := func(id any) string {
		_, rest, _ := strings.Cut(notes, fmt.Sprintf("Number %v: ", id))
		line, _, _ := strings.Cut(rest, "\r\n")
		return line
	}
	if of(hidden) != of(999999) || of(hidden) == "" || strings.Contains(notes, "Rahasia") {
		t.Errorf("a document of others is told from one that does not exist: %q, %q (%s)", of(hidden), of(999999), absent)
	}
	if all := archived(t, b.ask("GET", dBase+ids+"&language=id", "", "Accept-Language", "en")); !strings.Contains(all["Tidak dapat diunduh.txt"], "Dokumen belum selesai") {
		t.Errorf("%q", all)
	}
	if all := archived(t, b.ask("GET", dBase+"archive?ids=1207", "")); len(all) != 1 {
		t.Errorf("%d files, want one", len(all))
	}
	refused(t, b.ask("GET", fmt.Sprintf("%sarchive?ids=%d,%d", dBase, open, hidden), ""), 409, "document.not_completed")
	refused(t, b.ask("GET", dBase+"archive?ids=1207", "", "X-Access-Token", "guest"), 403, "auth.not_allowed")
}

func TestAnArchiveRefusesWhatIsNotAListOfUpTo200Numbers(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	many := make([]string, 201)
	for i := range many {
		many[i] = strconv.Itoa(1207 + i)
	}
	for query, code := range map[string]string{
		"": "value.required", "ids=": "value.required", "ids=a": "value.not_integer", "ids=1207,": "value.not_integer",
		"ids=" + strings.Join(many, ","): "value.too_many", "ids=1207&language=fr": "value.not_one_of",
	} {
		f := refused(t, b.ask("GET", dBase+"archive?"+query, ""), 422, "input.invalid")
		if len(f.Error.Fields) != 1 || f.Error.Fields[0].Code != code {
			t.Errorf("%.40s: %+v, want %s", query, f.Error.Fields, code)
		}
	}
	if w := b.ask("GET", dBase+"archive?ids="+strings.Join(many[:200], ","), ""); w.Code != 200 {
		t.Errorf("200 documents: %d %s", w.Code, w.Body)
	}
}

func TestAMissingFileIsNamedInTheArchive(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed())
	lost := b.insertNamed(completed(), "Berkas Hilang", "%PDF-lost")
	key := blob.Key(b.document(lost).Original.Key)
	if err := b.blobs.Remove(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	all := archived(t, b.ask("GET", fmt.Sprintf("%sarchive?ids=1207,%d", dBase, lost), "", "Accept-Language", "en"))
	if len(all) != 2 || !strings.Contains(all["Not downloaded.txt"], "Berkas Hilang (number") {
		t.Errorf("%q", all)
	}
}
