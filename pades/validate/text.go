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

// Text writes the report for people: who signed, when and proved by whom, what is covered, what changed since, whether
// it is trusted and why not. Language is "id" or "en". The steps of the checks follow where the report has them.
func (r *Report) Text(w io.Writer, language string) error {
	p := &printer{w: w, lang: language, revisions: map[int][]Reason{}}
	for _, x := range r.Revisions {
		p.revisions[x.Revision] = x.What
	}
	p.line("%s", clean(r.File.Name))
	p.row("result", "%s", r.Summary.In(language))
	p.row("", "%s%s, %s", r.Indication, sub(r.SubIndication), p.integrity(r.Integrity))
	size := fmt.Sprintf("%d %s", r.File.Size, p.say("size"))
	if r.File.SHA256 != "" {
		size += ", SHA-256 " + r.File.SHA256
	}
	p.row("file", "%s", size)
	p.row("at", "%s", stamp(r.At.Time))
	for _, s := range r.Stamps {
		p.row("stamp", "%s", s.Summary.In(language))
		for _, x := range s.Reasons {
			p.row("", "%s", x.In(language))
		}
	}
	for _, x := range r.Warnings {
		p.row("warning", "%s", x.In(language))
	}
	for i := range r.Signatures {
		p.line("")
		p.signature(i+1, &r.Signatures[i])
	}
	p.words(r)
	return p.err
}

// words explains those of the standards that the text uses.
func (p *printer) words(r *Report) {
	list := r.words()
	if len(r.Signatures) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.say("words"))
	for _, w := range list {
		p.line("   %s: %s", w, p.in(wordSentences[w]))
	}
	p.line("   %s: %s", p.say("revision"), p.in(revisionWord))
}

func (p *printer) signature(number int, s *Signature) {
	where := p.say("field") + " " + clean(s.Field)
	if s.Page > 0 {
		where += fmt.Sprintf(", %s %d", p.say("page"), s.Page)
	}
	p.line("%d. %s (%s)", number, s.Summary.In(p.lang), where)
	p.row("result", "%s%s", s.Indication, sub(s.SubIndication))
	level := string(s.Level)
	if level == "" {
		level = p.say("old_form")
	}
	if form := clean(s.Form); s.Kind != KindTimestamp && form != level { // an older form is called by its name
		level += " (" + form + ")"
	}
	if s.Kind != KindTimestamp {
		p.row("level", "%s", level)
	}
	if c := s.Signer; c != nil {
		p.row("signer", "%s, %s %s, %s %s", clean(c.Name), p.say("issued_by"), clean(c.Issuer), p.say("ends"), stamp(c.NotAfter.Time))
	}
	if s.Identity != nil {
		p.row("identity", "%s", s.Identity.Statement.In(p.lang))
	}
	p.times(s)
	p.content(s)
	for i, x := range s.Reasons {
		p.next(i, "because", x.In(p.lang))
	}
	for i, x := range s.Steps {
		p.next(i, "evidence", p.step(x))
	}
}

func (p *printer) times(s *Signature) {
	if s.Proven != nil {
		p.row("proven", "%s %s %s", stamp(s.Proven.Time.Time), p.say("by"), clean(s.Proven.By))
	} else {
		p.row("proven", "%s", p.say("nobody"))
	}
	if !s.Claimed.Time.IsZero() {
		p.row("claimed", "%s", stamp(s.Claimed.Time.Time))
	}
}

func (p *printer) content(s *Signature) {
	if s.Covers.Whole {
		p.row("covers", "%d "+p.say("bytes"), s.Covers.Length, s.Revision)
	} else {
		p.row("covers", "%s", p.say("not_whole"))
	}
	for i, c := range s.Later {
		if i == maxLaterLines {
			p.row("", "(%d)", len(s.Later)-i)
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
		p.next(i, "later", fmt.Sprintf("%s %d (%s): %s", p.say("revision"), c.Revision, p.say(word), strings.Join(parts, "; ")))
	}
}

// maxLaterLines bounds the later revisions that are told of one signature in the text.
const maxLaterLines = 30

func (p *printer) step(s Step) string {
	t := fmt.Sprintf("[%s] %s: %s", p.say(s.Result), s.Check, s.What.In(p.lang))
	if what := s.What.Args["what"]; what != "" { // in the words of those who found it
		t += " [" + what + "]"
	}
	if s.Clause != "" {
		t += " (" + s.Clause + ")"
	}
	if len(s.Paths) > 0 {
		t += " " + clean(strings.Join(s.Paths, "; "))
	}
	return t
}

// sub puts a sub-indication behind an indication.
func sub(s SubIndication) string {
	if s == "" {
		return ""
	}
	return " (" + string(s) + ")"
}

func (p *printer) integrity(i Integrity) string {
	return p.in(integritySentences[i])
}

func (p *printer) say(label string) string {
	return p.in(labels[label])
}

func (p *printer) in(s sentence) string { return Reason{Indonesian: s.id, English: s.en}.In(p.lang) }

// next writes one of several lines below the same label.
func (p *printer) next(i int, label, text string) {
	if i > 0 {
		label = ""
	}
	p.row(label, "%s", text)
}

func (p *printer) row(label, format string, args ...any) {
	if label != "" {
		label = p.say(label)
	}
	p.line("   %-12s %s", label, fmt.Sprintf(format, args...))
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
