package verdict

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"segel/internal/text"
	"segel/pades/validate"
)

// labels are the texts around the sentences.
var labels = map[string]sentence{
	"result":    {"Hasil", "Result"},
	"file":      {"Berkas", "File"},
	"at":        {"Diperiksa", "Checked for"},
	"level":     {"Tingkat", "Level"},
	"signer":    {"Sertifikat", "Certificate"},
	"identity":  {"Identitas", "Identity"},
	"factor":    {"Faktor", "Factor"},
	"proven":    {"Bukti waktu", "Proven"},
	"claimed":   {"Dinyatakan", "Claimed"},
	"covers":    {"Mencakup", "Covers"},
	"later":     {"Sesudahnya", "Since then"},
	"filled":    {"kolom formulir diisi ({count}, pada {pages} halaman)", "form fields filled in ({count}, on {pages} pages)"},
	"because":   {"Sebab", "Because"},
	"stamp":     {"Meterai", "Duty stamp"},
	"warning":   {"Perhatian", "Note"},
	"evidence":  {"Bukti", "Evidence"},
	"field":     {"kolom", "field"},
	"revision":  {"revisi", "revision"},
	"allowed":   {"dibolehkan", "allowed"},
	"forbidden": {"TIDAK dibolehkan", "NOT allowed"},
	"page":      {"halaman", "page"},
	"issued_by": {"diterbitkan oleh", "issued by"},
	"ends":      {"berakhir", "expires"},
	"by":        {"oleh", "by"},
	"size":      {"byte", "bytes"},
	"bytes":     {"byte, seluruh berkas pada waktu itu (revisi {revision})", "bytes, the whole file at that time (revision {revision})"},
	"not_whole": {"tidak seluruh berkas pada waktu itu", "not the whole file at that time"},
	"unproved":  {"tidak ada; waktu yang dinyatakan tidak terbukti", "not proved; the signer only claims a time"},
	"old_form":  {"tidak ada", "none"},
	"words":     {"Arti istilah", "Terms"},

	"heading":  {"Laporan verifikasi", "Verification report"},
	"cut":      {"Daftar ini dipotong di sini; laporan dalam format JSON memuat seluruhnya.", "The list is cut here; the report as JSON has all of it."},
	"unsigned": {"Laporan ini sendiri tidak ditandatangani. SHA-256 di atas menunjukkan berkas yang diperiksa; setiap orang yang memilikinya dapat mengulang verifikasi ini.", "This report itself is not signed. The SHA-256 above identifies the file that was verified; anyone who has the file can repeat the verification."},
	"repeat":   {"Ulangi verifikasi di:", "Repeat the verification at:"},

	validate.StepPassed:  {"lulus", "passed"},
	validate.StepFailed:  {"gagal", "failed"},
	validate.StepUnknown: {"tidak diketahui", "unknown"},
	validate.StepNoted:   {"catatan", "noted"},
}

// Line is one line of a report in one language.
type Line struct {
	Kind  LineKind
	Label string // of a Row or a Term; a Row without one continues the one before
	Text  string
}

// LineKind is the kind of a line.
type LineKind uint8

// The kinds of lines.
const (
	Title   LineKind = iota // the name of the file; first
	Section                 // begins a part: a signature, or the terms
	Row                     // a fact
	Term                    // a term of the standards and its meaning
)

// Caption is the text around the lines of a report that stands alone.
type Caption struct {
	Heading  string // what it is
	Cut      string // after a list that was cut off
	Unsigned string // says that the report proves nothing by itself
	Repeat   string // before the address where the verification can be repeated
}

// CaptionIn returns the caption in a language.
func CaptionIn(l text.Language) Caption {
	return Caption{labels["heading"].in(l), labels["cut"].in(l), labels["unsigned"].in(l), labels["repeat"].in(l)}
}

// WriteText writes the report for people: who signed, the proved time, what is covered, what changed later, and whether it
// is trusted. The checks follow if the report has them.
func (r *Report) WriteText(w io.Writer, language text.Language) error {
	var b strings.Builder
	for _, l := range r.Lines(language, math.MaxInt) {
		switch l.Kind {
		case Title:
			fmt.Fprintln(&b, l.Text)
		case Section:
			fmt.Fprintf(&b, "\n%s\n", l.Text)
		case Row:
			fmt.Fprintf(&b, "   %-12s %s\n", l.Label, l.Text)
		case Term:
			fmt.Fprintf(&b, "   %s: %s\n", l.Label, l.Text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printer collects the lines of one report in one language.
type printer struct {
	lines     []Line
	lang      text.Language
	revisions map[int]Revision
}

// Lines returns the report for people, line by line; [Report.WriteText] says what it contains. A report that has more lines than the
// given number ends after the signature with which it has them.
func (r *Report) Lines(language text.Language, most int) []Line {
	p := &printer{lang: language, revisions: map[int]Revision{}}
	for _, x := range r.Revisions {
		p.revisions[x.Revision] = x
	}
	p.printLine(Title, validate.CleanText(r.File.Name))
	p.printRow("result", "%s", r.Summary.In(language))
	p.printRow("", "%s%s, %s", r.Indication, formatSubIndication(r.SubIndication), p.inLanguage(integritySentences[r.Integrity]))
	size := p.formatNumber(r.File.Size) + " " + p.labelText("size")
	if r.File.SHA256 != "" {
		size += ", SHA-256 " + r.File.SHA256
	}
	p.printRow("file", "%s", size)
	p.printRow("at", "%s", p.formatTime(r.At))
	for _, s := range r.Stamps {
		p.printRow("stamp", "%s", s.Summary.In(language))
		for _, x := range s.Reasons {
			p.printRow("", "%s", x.In(language))
		}
	}
	if r.Removed != nil {
		p.printRow("warning", "%s", r.Removed.In(language))
	}
	for _, x := range r.Warnings {
		p.printRow("warning", "%s", x.In(language))
	}
	for i := range r.Signatures {
		if len(p.lines) > most {
			return p.lines
		}
		p.printSignature(i+1, &r.Signatures[i])
	}
	p.printTerms(r)
	return p.lines
}

// printTerms explains the terms of the standards that the text uses.
func (p *printer) printTerms(r *Report) {
	list := r.listTerms()
	if len(r.Signatures) == 0 {
		return
	}
	p.printLine(Section, p.labelText("words"))
	for _, w := range list {
		p.lines = append(p.lines, Line{Term, w, p.inLanguage(termSentences[w])})
	}
	p.lines = append(p.lines, Line{Term, p.labelText("revision"), p.inLanguage(revisionTerm)})
}

func (p *printer) printSignature(number int, s *Signature) {
	where := p.labelText("field") + " " + validate.CleanText(s.Field)
	if s.Page > 0 {
		where += fmt.Sprintf(", %s %d", p.labelText("page"), s.Page)
	}
	p.printLine(Section, fmt.Sprintf("%d. %s (%s)", number, s.Summary.In(p.lang), where))
	p.printRow("result", "%s%s", s.Indication, formatSubIndication(s.SubIndication))
	level := string(s.Level)
	if level == "" {
		level = p.labelText("old_form")
	}
	if form := validate.CleanText(s.Form); s.Kind != validate.KindTimestamp && form != level { // an older form is called by its name
		level += " (" + form + ")"
	}
	if s.Kind != validate.KindTimestamp {
		p.printRow("level", "%s", level)
	}
	if c := s.Signer; c != nil {
		p.printRow("signer", "%s, %s %s, %s %s", validate.CleanText(c.Name), p.labelText("issued_by"), validate.CleanText(c.Issuer), p.labelText("ends"), p.formatTime(c.NotAfter))
	}
	if s.Identity != nil {
		p.printRow("identity", "%s", s.Identity.Statement.In(p.lang))
	}
	if s.Authentication != nil {
		p.printRow("factor", "%s", s.Authentication.Statement.In(p.lang))
	}
	p.printTimes(s)
	p.printContent(s)
	for i, x := range s.Reasons {
		p.printNext(i, "because", x.In(p.lang))
	}
	for i, x := range s.Steps {
		p.printNext(i, "evidence", p.formatStep(x))
	}
}

func (p *printer) printTimes(s *Signature) {
	if s.Proven != nil {
		p.printRow("proven", "%s %s %s", p.formatTime(s.Proven.Time), p.labelText("by"), validate.CleanText(s.Proven.By))
	} else {
		p.printRow("proven", "%s", p.labelText("unproved"))
	}
	if !s.Claimed.Time.IsZero() {
		p.printRow("claimed", "%s", p.formatTime(s.Claimed.Time))
	}
}

func (p *printer) printContent(s *Signature) {
	if s.Covers.Whole {
		p.printRow("covers", "%s", p.formatNumber(s.Covers.Length)+" "+text.Fill(p.lang, p.labelText("bytes"), map[string]any{"revision": strconv.Itoa(s.Revision)}))
	} else {
		p.printRow("covers", "%s", p.labelText("not_whole"))
	}
	later := slices.Clone(s.Later)
	slices.SortStableFunc(later, func(a, b Change) int {
		switch {
		case a.Allowed == b.Allowed:
			return 0
		case b.Allowed:
			return -1
		}
		return 1
	})
	for i, c := range later {
		if i == maxLaterLines {
			p.printRow("", "(%d)", len(later)-i)
			return
		}
		what, word := c.What, "forbidden"
		if c.Allowed {
			what, word = slices.Concat(p.revisions[c.Revision].What, c.What), "allowed"
		}
		p.printNext(i, "later", fmt.Sprintf("%s %d (%s): %s", p.labelText("revision"), c.Revision, p.labelText(word), p.joinChanges(what, p.revisions[c.Revision].Filled)))
	}
}

// joinChanges returns changes of a revision in one line. Fields that it filled in are counted.
func (p *printer) joinChanges(what []Reason, filled []validate.FilledField) string {
	names, pages := map[string]bool{}, map[int]bool{}
	for _, f := range filled {
		names[strconv.Quote(f.Field)], pages[f.Page] = true, true
	}
	var parts []string
	counted := false
	for _, x := range what {
		switch {
		case !names[x.Args["where"]] || x.Code != "change.filled" && x.Code != "change.appearance" && x.Code != "change.shows":
			parts = append(parts, x.In(p.lang))
		case !counted:
			counted = true
			parts = append(parts, text.Fill(p.lang, p.labelText("filled"), map[string]any{"count": len(names), "pages": len(pages)}))
		}
	}
	return strings.Join(parts, "; ")
}

// maxLaterLines bounds the later revisions printed for one signature.
const maxLaterLines = 30

func (p *printer) formatStep(s Step) string {
	t := fmt.Sprintf("[%s] %s: %s", p.labelText(s.Result), s.Check, s.What.In(p.lang))
	if what := s.What.Args["what"]; what != "" { // details in English
		t += " [" + what + "]"
	}
	if s.Clause != "" {
		t += " (" + s.Clause + ")"
	}
	if len(s.Paths) > 0 {
		t += " " + validate.CleanText(strings.Join(s.Paths, "; "))
	}
	return t
}

// formatSubIndication formats a sub-indication after an indication.
func formatSubIndication(s validate.SubIndication) string {
	if s == "" {
		return ""
	}
	return " (" + string(s) + ")"
}

func (p *printer) labelText(label string) string {
	return p.inLanguage(labels[label])
}

func (p *printer) inLanguage(s sentence) string { return s.in(p.lang) }

func (p *printer) formatTime(t validate.Time) string {
	if t.IsZero() {
		return "-"
	}
	return text.LongTime(p.lang, t.Time)
}

func (p *printer) formatNumber(n int64) string {
	return text.Fill(p.lang, "{n}", map[string]any{"n": n})
}

// printNext writes one of several lines below the same label.
func (p *printer) printNext(i int, label, text string) {
	if i > 0 {
		label = ""
	}
	p.printRow(label, "%s", text)
}

func (p *printer) printRow(label, format string, args ...any) {
	if label != "" {
		label = p.labelText(label)
	}
	p.lines = append(p.lines, Line{Row, label, fmt.Sprintf(format, args...)})
}

func (p *printer) printLine(k LineKind, text string) {
	p.lines = append(p.lines, Line{Kind: k, Text: text})
}
