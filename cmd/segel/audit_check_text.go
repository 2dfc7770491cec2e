package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"segel/internal/contract"
	"segel/internal/text"
)

// proofText holds the texts about a checked proof in one language.
type proofText struct {
	language                   text.Language
	fails, head, says, saysNot string
	after, noGap, gap          string
	key, clock, unknown, known string
	file, otherFile            string
}

var proofTexts = map[text.Language]proofText{
	text.English: {
		language: text.English,
		fails:    "%s DOES NOT HOLD: %v",
		head:     "Document %d: %d events in the audit log %s",
		says:     "The proof holds: the holder of the key of this log states that these events happened, at these times and in this order.",
		saysNot:  "It does not say:",
		after:    "what happened later: its checkpoint is of numbers 0 to %d;",
		gap:      "that no event of the document was left out: %d numbers between %d and %d are not shown, nor are those before;",
		noGap:    "that no event of the document came before number %d; between those shown there is none;",
		key:      "whose key it is: get it from the service, not from the person who gave you the proof;",
		clock:    "that the times are right: they are those of the service's clock;",
		unknown:  "that the log was not rewritten before the checkpoint was signed: give one that you had before (--checkpoint).",
		known: "that the log was not rewritten before your checkpoint was signed. It is under that one: since you have it,\n" +
			"    none of these events was changed or added.",
		file:      "The file %s is named by event %d.",
		otherFile: "The file %s IS NAMED BY NO EVENT shown: it is another, or of a time between them.",
	},
	text.Indonesian: {
		language: text.Indonesian,
		fails:    "%s TIDAK TERBUKTI: %v",
		head:     "Dokumen %d: %d kejadian dalam log audit %s",
		says:     "Bukti ini sah: pemegang kunci log ini menyatakan bahwa kejadian-kejadian ini terjadi, pada waktu dan dalam urutan ini.",
		saysNot:  "Bukti ini tidak menyatakan:",
		after:    "apa yang terjadi kemudian: titik periksanya mencakup nomor 0 sampai %d;",
		gap:      "bahwa tidak ada kejadian dokumen yang dihilangkan: %d nomor antara %d dan %d tidak ditunjukkan, begitu pula nomor sebelumnya;",
		noGap:    "bahwa tidak ada kejadian dokumen sebelum nomor %d; di antara yang ditunjukkan tidak ada;",
		key:      "milik siapa kunci itu: mintalah dari layanan, bukan dari pemberi bukti;",
		clock:    "bahwa waktunya benar: waktu itu menurut jam layanan;",
		unknown:  "bahwa log tidak ditulis ulang sebelum titik periksa ditandatangani: berikan yang sudah Anda miliki sebelumnya (--checkpoint).",
		known: "bahwa log tidak ditulis ulang sebelum titik periksa Anda ditandatangani. Bukti ini memakai titik periksa itu: sejak Anda\n" +
			"    memilikinya, tidak satu pun dari kejadian ini diubah atau ditambahkan.",
		file:      "Berkas %s disebut oleh kejadian %d.",
		otherFile: "Berkas %s TIDAK DISEBUT oleh kejadian mana pun yang ditunjukkan: berkas lain, atau dari waktu di antaranya.",
	},
}

// writeProof writes the events of a valid proof, and what it proves and does not prove.
func (t proofText) writeProof(out io.Writer, p checkedProof) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, t.head+"\n\n", p.proof.Document, len(p.events), p.checkpoint.Origin)
	for i, e := range p.events {
		t.writeEvent(&b, p.proof.Events[i].Number, e)
	}
	fmt.Fprintf(&b, "\n%s\n%s\n", t.says, t.saysNot)
	events := p.proof.Events
	first, last := events[0].Number, events[len(events)-1].Number
	missing := []string{fmt.Sprintf(t.after, p.checkpoint.Size-1)}
	if hidden := p.countHidden(); hidden > 0 {
		missing = append(missing, fmt.Sprintf(t.gap, hidden, first, last))
	} else if first > 0 {
		missing = append(missing, fmt.Sprintf(t.noGap, first))
	}
	missing = append(missing, t.key, t.clock, t.unknown)
	if p.known {
		missing[len(missing)-1] = t.known
	}
	for _, m := range missing {
		fmt.Fprintf(&b, "  - %s\n", m)
	}
	t.writeFileEvents(&b, p)
	_, err := out.Write(b.Bytes())
	return err
}

// writeFileEvents writes which events name the reader's file.
func (t proofText) writeFileEvents(b *bytes.Buffer, p checkedProof) {
	if p.digest == "" {
		return
	}
	b.WriteByte('\n')
	for _, i := range p.eventsNamingFile() {
		fmt.Fprintf(b, t.file+"\n", p.digest, p.proof.Events[i].Number)
	}
	if len(p.eventsNamingFile()) == 0 {
		fmt.Fprintf(b, t.otherFile+"\n", p.digest)
	}
}

// writeEvent writes one event: its number, time, actor and address, then a sentence about it, then all details unchanged.
func (t proofText) writeEvent(b *bytes.Buffer, number int64, e contract.Event) {
	who := e.Person.Name
	if e.Person == (contract.Person{}) {
		who = text.Sentence(t.language, "actor.service", nil)
	}
	if e.Person.Email != "" {
		who += " <" + e.Person.Email + ">"
	}
	if e.IP != "" {
		who += ", " + e.IP
	}
	fmt.Fprintf(b, "%8d  %s  %s\n", number, e.At.UTC().Format(time.DateTime+" UTC"), oneLine(who))
	fmt.Fprintf(b, "          %s (%s)\n", oneLine(text.Event(t.language, e)), oneLine(string(e.Type)))
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		fmt.Fprintf(b, "            %s: %s\n", oneLine(name), oneLine(e.Details[name]))
	}
}

// oneLine removes everything that moves the cursor or changes the writing direction: people choose their names and reasons,
// and these must not be able to imitate a line of this program.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case !unicode.IsGraphic(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
