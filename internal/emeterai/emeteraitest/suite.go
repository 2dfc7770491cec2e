// Package emeteraitest is the test suite that every implementation of [emeterai.Stamper] must pass.
package emeteraitest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"fmt"
	"sync"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf/pdftest"
)

// Run runs the suite. Open opens the office that belongs to a folder: the same office for the same folder, as after a
// restart, and another office for another folder. Opening a folder again may close the office opened there before; the
// suite does not use that one any more.
func Run(t *testing.T, open func(t *testing.T, dir string) emeterai.Stamper) {
	t.Run("same order never spends twice", func(t *testing.T) { testSameOrder(t, open) })
	t.Run("serials are unique under concurrency", func(t *testing.T) { testUniqueSerials(t, open) })
	t.Run("account lists every serial", func(t *testing.T) { testAccount(t, open) })
	t.Run("status follows a serial", func(t *testing.T) { testStatus(t, open) })
	t.Run("serial that was taken long ago is ready", func(t *testing.T) { testAffixable(t, open) })
	t.Run("stamp is what was ordered", func(t *testing.T) { testStampAsOrdered(t, open) })
	t.Run("same serial and source can be repeated", func(t *testing.T) { testRepeatedStamp(t, open) })
	t.Run("another source for an affixed serial is refused", func(t *testing.T) { testOtherSource(t, open) })
	t.Run("several stamps stand on one document", func(t *testing.T) { testSeveralStamps(t, open) })
	t.Run("page and box that are not there are refused", func(t *testing.T) { testMissingPlace(t, open) })
}

// NewOrder returns a complete order with that identifier.
func NewOrder(id string) emeterai.Order {
	return emeterai.Order{ID: id, Organisation: "00000000-0000-4000-8000-000000000001", Payer: "PT Contoh", Title: "Perjanjian", Filename: "perjanjian.pdf", Date: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC),
		Source: pades.Source{R: bytes.NewReader(pdftest.Table(1)), Size: int64(len(pdftest.Table(1)))}}
}

// NewRequest returns a request to affix a serial to page 1 of a file.
func NewRequest(t testing.TB, serial string, file []byte) emeterai.Request {
	t.Helper()
	h := sha256.New()
	h.Write(file)
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return emeterai.Request{
		Serial: serial, Source: pades.Source{R: bytes.NewReader(file), Size: int64(len(file)), Midstate: state}, Digest: sha256.Sum256(file),
		Page: 1, Box: emeterai.Box{LLX: 400, LLY: 100, URX: 454, URY: 154}, Reason: "Perjanjian", Location: "Jakarta",
	}
}

// BuySerial buys a serial for an order that was never sent before.
func BuySerial(t *testing.T, s emeterai.Stamper, order string) string {
	t.Helper()
	return requireSerial(t, s, NewOrder(order))
}

// BuyAgain returns the serial of an order that was sent before.
func BuyAgain(t *testing.T, s emeterai.Stamper, order string) string {
	t.Helper()
	o := NewOrder(order)
	o.MaybeSent = true
	return requireSerial(t, s, o)
}

func requireSerial(t *testing.T, s emeterai.Stamper, o emeterai.Order) string {
	t.Helper()
	serial, err := s.BuySerial(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return serial
}

// StampFile affixes a serial, checks the returned bytes, and returns the whole file.
func StampFile(t *testing.T, s emeterai.Stamper, r emeterai.Request, file []byte) []byte {
	t.Helper()
	tail, err := s.Stamp(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emeterai.CheckStampedFile(context.Background(), r, tail); err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(file), tail...)
}

type opener = func(t *testing.T, dir string) emeterai.Stamper

func testSameOrder(t *testing.T, open opener) {
	dir := t.TempDir()
	s := open(t, dir)
	first := BuySerial(t, s, "a")
	if BuyAgain(t, s, "a") != first {
		t.Error("the same order bought twice")
	}
	if BuySerial(t, s, "b") == first {
		t.Error("two orders got one serial")
	}
	if BuyAgain(t, open(t, dir), "a") != first {
		t.Error("the same order bought twice after a restart")
	}
}

func testAffixable(t *testing.T, open opener) {
	dir := t.TempDir()
	serial := BuySerial(t, open(t, dir), "a")
	if err := open(t, dir).CheckAffixable(context.Background(), serial); err != nil {
		t.Error(err)
	}
	if err := open(t, dir).CheckAffixable(context.Background(), "NEVER ISSUED"); emeterai.ClassOf(err) != emeterai.Permanent {
		t.Errorf("one that was never issued: %v", err)
	}
}

func testUniqueSerials(t *testing.T, open opener) {
	s := open(t, t.TempDir())
	const orders, askers = 12, 3
	got := make(chan [2]string, orders*askers)
	var wg sync.WaitGroup
	for i := range orders {
		wg.Go(func() {
			o := NewOrder(fmt.Sprint("order", i))
			for range askers {
				serial, err := s.BuySerial(context.Background(), o)
				if err != nil {
					t.Error(err)
				}
				got <- [2]string{o.ID, serial}
				o.MaybeSent = true
			}
		})
	}
	wg.Wait()
	close(got)
	byOrder, bySerial := map[string]string{}, map[string]string{}
	for g := range got {
		if s, ok := byOrder[g[0]]; ok && s != g[1] {
			t.Errorf("order %s has serials %s and %s", g[0], s, g[1])
		}
		if o, ok := bySerial[g[1]]; ok && o != g[0] {
			t.Errorf("serial %s belongs to orders %s and %s", g[1], o, g[0])
		}
		byOrder[g[0]], bySerial[g[1]] = g[1], g[0]
	}
	if len(bySerial) != orders {
		t.Errorf("%d serials for %d orders", len(bySerial), orders)
	}
}

func testStatus(t *testing.T, open opener) {
	dir := t.TempDir()
	s := open(t, dir)
	serial, file := BuySerial(t, s, "a"), pdftest.Table(1)
	want := func(s emeterai.Stamper, want emeterai.Status) {
		t.Helper()
		if got, err := s.SerialStatus(context.Background(), serial); err != nil || got != want {
			t.Errorf("%q, not %q: %v", got, want, err)
		}
	}
	want(s, emeterai.Unused)
	want(open(t, dir), emeterai.Unused)
	s = open(t, dir)
	StampFile(t, s, NewRequest(t, serial, file), file)
	want(s, emeterai.Affixed)
	s = open(t, dir)
	want(s, emeterai.Affixed)
	if _, err := s.SerialStatus(context.Background(), "0000000000000000000000"); emeterai.ClassOf(err) != emeterai.Permanent {
		t.Errorf("a serial that was never issued: %v", err)
	}
}

func testAccount(t *testing.T, open opener) {
	dir := t.TempDir()
	s := open(t, dir)
	before, err := s.Balance(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	file := pdftest.Table(1)
	affixed, unused := BuySerial(t, s, "a"), BuySerial(t, s, "b")
	StampFile(t, s, NewRequest(t, affixed, file), file)
	for range 2 {
		all, err := s.ListSerials(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]emeterai.Status{}
		for _, line := range all {
			got[line.Serial] = line.Status
		}
		if len(all) != 2 || got[affixed] != emeterai.Affixed || got[unused] != emeterai.Unused {
			t.Errorf("the account lists %v", all)
		}
		after, err := s.Balance(context.Background())
		if err != nil || after.Left != before.Left-2 || after.Unused != before.Unused+1 {
			t.Errorf("balance %v became %v: %v", before, after, err)
		}
		if a := s.Availability(); a.Down {
			t.Errorf("down: %s", a.Reason)
		}
		s = open(t, dir)
	}
}

func testStampAsOrdered(t *testing.T, open opener) {
	s := open(t, t.TempDir())
	for name, file := range map[string][]byte{"table": pdftest.Table(2), "streams": pdftest.Streams(2), "form": pdftest.Form(), "rotated": pdftest.Rotated()} {
		r := NewRequest(t, BuySerial(t, s, name), file)
		r.Box = emeterai.Box{LLX: 20, LLY: 30, URX: 120, URY: 130}
		if name != "form" {
			r.Page = 2
		}
		StampFile(t, s, r, file)
	}
}

func testRepeatedStamp(t *testing.T, open opener) {
	dir := t.TempDir()
	s := open(t, dir)
	serial, file := BuySerial(t, s, "a"), pdftest.Table(1)
	r := NewRequest(t, serial, file)
	StampFile(t, s, r, file)
	r.MaybeSent = true
	StampFile(t, s, r, file)
	StampFile(t, open(t, dir), r, file)
}

func testOtherSource(t *testing.T, open opener) {
	dir := t.TempDir()
	s := open(t, dir)
	serial, file := BuySerial(t, s, "a"), pdftest.Table(1)
	StampFile(t, s, NewRequest(t, serial, file), file)
	refused := func(s emeterai.Stamper) {
		t.Helper()
		_, err := s.Stamp(context.Background(), NewRequest(t, serial, pdftest.Table(2)))
		if !emeterai.ClassOf(err).IsFinal() {
			t.Errorf("another source: %v", err)
		}
	}
	refused(s)
	refused(open(t, dir))
}

func testSeveralStamps(t *testing.T, open opener) {
	s := open(t, t.TempDir())
	file := pdftest.Table(1)
	for _, order := range []string{"a", "b", "c"} {
		file = StampFile(t, s, NewRequest(t, BuySerial(t, s, order), file), file)
	}
}

func testMissingPlace(t *testing.T, open opener) {
	s := open(t, t.TempDir())
	serial, file := BuySerial(t, s, "a"), pdftest.Table(1)
	for name, change := range map[string]func(*emeterai.Request){
		"page 0":       func(r *emeterai.Request) { r.Page = 0 },
		"page 2":       func(r *emeterai.Request) { r.Page = 2 },
		"box outside":  func(r *emeterai.Request) { r.Box = emeterai.Box{LLX: 4000, LLY: 10, URX: 4054, URY: 64} },
		"box inverted": func(r *emeterai.Request) { r.Box = emeterai.Box{LLX: 154, LLY: 10, URX: 100, URY: 64} },
	} {
		r := NewRequest(t, serial, file)
		change(&r)
		tail, err := s.Stamp(context.Background(), r)
		if err == nil {
			_, err = emeterai.CheckStampedFile(context.Background(), r, tail)
		}
		if err == nil {
			t.Errorf("%s: stamped", name)
		}
	}
}
