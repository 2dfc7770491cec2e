package verdict

import (
	"fmt"
	"io"
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
	"proven":    {"Bukti waktu", "Proven"},
	"claimed":   {"Dinyatakan", "Claimed"},
	"covers":    {"Mencakup", "Covers"},
	"later":     {"Sesudahnya", "Since then"},
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

	validate.StepPassed:  {"lulus", "passed"},
	validate.StepFailed:  {"gagal", "failed"},
	validate.StepUnknown: {"tidak diketahui", "unknown"},
	validate.StepNoted:   {"catatan", "noted"},
}

// printer writes the text of one report in one language.
type printer struct {
	w         io.Writer
	lang      text.Language
	revisions map[int][]Reason
	err       error
}

// WriteText writes the report for people: who signed, the proved time, what is covered, what changed later, and whether it
// is trusted. The checks follow if the report has them.
func (r *Report) WriteText(w io.Writer, language text.Language) error {
	p := &printer{w: w, lang: language, revisions: map[int][]Reason{}}
	for _, x := range r.Revisions {
		p.revisions[x.Revision] = x.What
	}
	p.printLine("%s", validate.CleanText(r.File.Name))
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
	for _, x := range r.Warnings {
		p.printRow("warning", "%s", x.In(language))
	}
	for i := range r.Signatures {
		p.printLine("")
		p.printSignature(i+1, &r.Signatures[i])
	}
	p.printTerms(r)
	return p.err
}

// printTerms explains the terms of the standards that the text uses.
func (p *printer) printTerms(r *Report) {
	list := r.listTerms()
	if len(r.Signatures) == 0 {
		return
	}
	p.printLine("")
	p.printLine("%s", p.labelText("words"))
	for _, w := range list {
		p.printLine("   %s: %s", w, p.inLanguage(termSentences[w]))
	}
	p.printLine("   %s: %s", p.labelText("revision"), p.inLanguage(revisionTerm))
}

func (p *printer) printSignature(number int, s *Signature) {
	where := p.labelText("field") + " " + validate.CleanText(s.Field)
	if s.Page > 0 {
		where += fmt.Sprintf(", %s %d", p.labelText("page"), s.Page)
	}
	p.printLine("%d. %s (%s)", number, s.Summary.In(p.lang), where)
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
	for i, c := range s.Later {
		if i == maxLaterLines {
			p.printRow("", "(%d)", len(s.Later)-i)
			return
		}
		what, word := c.What, "forbidden"
		if c.Allowed {
			what, word = slices.Concat(p.revisions[c.Revision], c.What), "allowed"
		}
		var parts []string
		for _, x := range what {
			parts = append(parts, x.In(p.lang))
		}
		p.printNext(i, "later", fmt.Sprintf("%s %d (%s): %s", p.labelText("revision"), c.Revision, p.labelText(word), strings.Join(parts, "; ")))
	}
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
	p.printLine("   %-12s %s", label, fmt.Sprintf(format, args...))
}

func (p *printer) printLine(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
