package validate

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// labels are the words of the text around the sentences.
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
	"ends":      {"berakhir", "ends"},
	"by":        {"oleh", "by"},
	"size":      {"byte", "bytes"},
	"bytes":     {"byte, seluruh berkas pada waktu itu (revisi %d)", "bytes, the whole file as it stood then (revision %d)"},
	"not_whole": {"tidak seluruh berkas pada waktu itu", "not the whole file as it stood then"},
	"nobody":    {"tidak ada; waktu yang dinyatakan tidak terbukti", "by nobody; the time claimed is unproved"},
	"old_form":  {"tidak ada", "none"},
	"words":     {"Arti istilah", "What the words mean"},

	StepPassed:  {"lulus", "passed"},
	StepFailed:  {"gagal", "failed"},
	StepUnknown: {"tidak diketahui", "unknown"},
	StepNoted:   {"catatan", "noted"},
}

// printer writes the text of one report in one language.
type printer struct {
	w         io.Writer
	lang      string
	revisions map[int][]Reason
	err       error
}

// WriteText writes the report for people: who signed, when and proved by whom, what is covered, what changed since, whether
// it is trusted and why not. Language is "id" or "en". The steps of the checks follow where the report has them.
func (r *Report) WriteText(w io.Writer, language string) error {
	p := &printer{w: w, lang: language, revisions: map[int][]Reason{}}
	for _, x := range r.Revisions {
		p.revisions[x.Revision] = x.What
	}
	p.printLine("%s", cleanText(r.File.Name))
	p.printRow("result", "%s", r.Summary.In(language))
	p.printRow("", "%s%s, %s", r.Indication, formatSubIndication(r.SubIndication), p.integrityText(r.Integrity))
	size := fmt.Sprintf("%d %s", r.File.Size, p.labelText("size"))
	if r.File.SHA256 != "" {
		size += ", SHA-256 " + r.File.SHA256
	}
	p.printRow("file", "%s", size)
	p.printRow("at", "%s", formatTime(r.At.Time))
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

// printTerms explains those of the standards that the text uses.
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
	where := p.labelText("field") + " " + cleanText(s.Field)
	if s.Page > 0 {
		where += fmt.Sprintf(", %s %d", p.labelText("page"), s.Page)
	}
	p.printLine("%d. %s (%s)", number, s.Summary.In(p.lang), where)
	p.printRow("result", "%s%s", s.Indication, formatSubIndication(s.SubIndication))
	level := string(s.Level)
	if level == "" {
		level = p.labelText("old_form")
	}
	if form := cleanText(s.Form); s.Kind != KindTimestamp && form != level { // an older form is called by its name
		level += " (" + form + ")"
	}
	if s.Kind != KindTimestamp {
		p.printRow("level", "%s", level)
	}
	if c := s.Signer; c != nil {
		p.printRow("signer", "%s, %s %s, %s %s", cleanText(c.Name), p.labelText("issued_by"), cleanText(c.Issuer), p.labelText("ends"), formatTime(c.NotAfter.Time))
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
		p.printRow("proven", "%s %s %s", formatTime(s.Proven.Time.Time), p.labelText("by"), cleanText(s.Proven.By))
	} else {
		p.printRow("proven", "%s", p.labelText("nobody"))
	}
	if !s.Claimed.Time.IsZero() {
		p.printRow("claimed", "%s", formatTime(s.Claimed.Time.Time))
	}
}

func (p *printer) printContent(s *Signature) {
	if s.Covers.Whole {
		p.printRow("covers", "%d "+p.labelText("bytes"), s.Covers.Length, s.Revision)
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

// maxLaterLines bounds the later revisions that are told of one signature in the text.
const maxLaterLines = 30

func (p *printer) formatStep(s Step) string {
	t := fmt.Sprintf("[%s] %s: %s", p.labelText(s.Result), s.Check, s.What.In(p.lang))
	if what := s.What.Args["what"]; what != "" { // in the words of those who found it
		t += " [" + what + "]"
	}
	if s.Clause != "" {
		t += " (" + s.Clause + ")"
	}
	if len(s.Paths) > 0 {
		t += " " + cleanText(strings.Join(s.Paths, "; "))
	}
	return t
}

// formatSubIndication puts a sub-indication behind an indication.
func formatSubIndication(s SubIndication) string {
	if s == "" {
		return ""
	}
	return " (" + string(s) + ")"
}

func (p *printer) integrityText(i Integrity) string {
	return p.inLanguage(integritySentences[i])
}

func (p *printer) labelText(label string) string {
	return p.inLanguage(labels[label])
}

func (p *printer) inLanguage(s sentence) string {
	return Reason{Indonesian: s.id, English: s.en}.In(p.lang)
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
