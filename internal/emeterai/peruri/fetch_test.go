package peruri

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
)

// TestReturnedFileIsComparedWhileItArrives reads files in pieces that are shorter than those that are compared.
func TestReturnedFileIsComparedWhileItArrives(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	o := b.driverOptions(Cloud)
	o.MaxTail = 1000
	d := b.openDriver(o)
	source := []byte(strings.Repeat("isi berkas ", 9_000)) // several pieces
	other := bytes.Clone(source)
	other[70_001] ^= 1
	broken := errors.New("connection reset")
	for name, c := range map[string]struct {
		file     []byte
		then     error // of the reader at the end of the file; nil: there is none
		class    emeterai.Class
		evidence []byte
		fails    bool // the file could not be read
	}{
		"ordered":                              {file: append(bytes.Clone(source), "tail"...)},
		"nothing added":                        {file: source, class: emeterai.Unknown},
		"cut":                                  {file: source[:50_000], class: emeterai.Unknown},
		"nothing":                              {class: emeterai.Unknown},
		"one byte differs":                     {file: append(bytes.Clone(other), "tail"...), class: emeterai.Quarantine, evidence: append(bytes.Clone(other), "tail"...)},
		"first byte differs":                   {file: []byte("lain"), class: emeterai.Quarantine, evidence: []byte("lain")},
		"cut, and a byte differs":              {file: other[:80_000], class: emeterai.Quarantine, evidence: other[:80_000]},
		"as much as permitted":                 {file: append(bytes.Clone(source), make([]byte, 1000)...)},
		"too much":                             {file: append(bytes.Clone(source), make([]byte, 1001)...), class: emeterai.Quarantine, evidence: append(bytes.Clone(source), make([]byte, 1001)...)},
		"far too much":                         {file: append(bytes.Clone(source), make([]byte, 10_000)...), class: emeterai.Quarantine, evidence: append(bytes.Clone(source), make([]byte, 2000)...)},
		"broken off":                           {file: source[:50_000], then: broken, fails: true},
		"cut off by the connection":            {file: source[:50_000], then: io.ErrUnexpectedEOF, fails: true},
		"cut off before the first byte":        {then: io.ErrUnexpectedEOF, fails: true},
		"cut off in the tail":                  {file: append(bytes.Clone(source), "ta"...), then: io.ErrUnexpectedEOF, fails: true},
		"broken off in the tail":               {file: append(bytes.Clone(source), "ta"...), then: broken, fails: true},
		"broken off after a byte that differs": {file: other[:80_000], then: broken, fails: true},
	} {
		r := emeteraitest.NewRequest(t, "SPESIMEN-X", source)
		file := io.Reader(iotest.OneByteReader(bytes.NewReader(c.file)))
		if c.then != nil {
			file = io.MultiReader(file, iotest.ErrReader(c.then))
		}
		tail, problem, err := d.readTail(t.Context(), r, file)
		if c.fails {
			if !errors.Is(err, c.then) || problem != nil || tail != nil {
				t.Errorf("%s: %v, %v", name, problem, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.class == "" {
			if problem != nil || !bytes.Equal(tail, c.file[len(source):]) {
				t.Errorf("%s: %d bytes, %v", name, len(tail), problem)
			}
			continue
		}
		var p *emeterai.Problem
		if !errors.As(problem, &p) || p.Class != c.class || tail != nil {
			t.Errorf("%s: %v", name, problem)
			continue
		}
		if c.evidence == nil {
			continue
		}
		stored, err := p.Evidence.Open()
		requireNoError(t, err)
		got, err := io.ReadAll(stored)
		requireNoError(t, errors.Join(err, stored.Close()))
		if !bytes.Equal(got, c.evidence) || p.Evidence.Size != int64(len(got)) {
			t.Errorf("%s: evidence of %d bytes, stated %d, want %d", name, len(got), p.Evidence.Size, len(c.evidence))
		}
	}
}

// TestSourceThatChangedIsNotTakenForAWrongFile has our bytes change after they were uploaded: the office is right, so nothing is quarantined.
func TestSourceThatChangedIsNotTakenForAWrongFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forgets, again bool // the upload is not recorded; an earlier run may have made the call
		stamped        bool
	}{
		"uploaded at the purchase":                {stamped: true},
		"uploaded at the purchase by another run": {again: true},
		"uploaded again":                          {forgets: true},
	} {
		b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
		d := b.openDriver(b.driverOptions(Cloud))
		order := emeteraitest.NewOrder("a")
		file := make([]byte, order.Source.Size)
		_, err := order.Source.R.ReadAt(file, 0)
		if !errors.Is(err, io.EOF) {
			requireNoError(t, err)
		}
		serial, err := d.BuySerial(context.Background(), order)
		requireNoError(t, err)
		if c.forgets {
			requireNoError(t, d.records.storeRecord(t.Context(), record{Serial: serial}))
		}
		r := emeteraitest.NewRequest(t, serial, file)
		r.MaybeSent = c.again
		changed := bytes.Clone(file)
		changed[bytes.Index(changed, []byte("stream\n"))+len("stream\n")] ^= 1
		r.Source.R = bytes.NewReader(changed)
		_, err = d.Stamp(t.Context(), r)
		var p *emeterai.Problem
		if !errors.As(err, &p) || p.Class != emeterai.Permanent || p.Code != emeterai.CodeSource {
			t.Errorf("%s: %v", name, err)
		}
		status, err := d.SerialStatus(t.Context(), serial)
		requireNoError(t, err)
		if (status == emeterai.Affixed) != c.stamped {
			t.Errorf("%s: the serial is %s", name, status)
		}
	}
}
