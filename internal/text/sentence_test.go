package text

import (
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestArgumentsAreWrittenInTheLanguage(t *testing.T) {
	t.Parallel()
	args := map[string]any{
		"n": 2000, "points": 595.276, "whole": 200.0, "small": -0.04, "list": []string{"a", "b"}, "bytes": int64(50 << 20),
		"odd": 1536, "few": 12, "second": 1, "wait": 119, "long": 7201, "word": "x{y}[z]", "empty": "",
	}
	for _, test := range []struct{ in, id, en string }{
		{"{n}", "2.000", "2,000"},
		{"{points} × {whole}", "595,3 × 200", "595.3 × 200"},
		{"{small}", "0", "0"},
		{"{list}", "a, b", "a, b"},
		{"{bytes|size}, {odd|size}, {few|size}", "50 MiB, 1,5 KiB, 12 byte", "50 MiB, 1.5 KiB, 12 bytes"},
		{"{second|duration}", "1 detik", "1 second"},
		{"{wait|duration}", "119 detik", "119 seconds"},
		{"{long|duration}", "3 jam", "3 hours"},
		{"{word}.", "x{y}[z].", "x{y}[z]."},
		{"a[ {n}]b[ {empty}]c[ {gone}]d", "a 2.000bcd", "a 2,000bcd"},
		{"{gone}", "?", "?"},
		{"", "", ""},
	} {
		if got := Fill(Indonesian, test.in, args); got != test.id {
			t.Errorf("%q in Indonesian is %q, want %q", test.in, got, test.id)
		}
		if got := Fill(English, test.in, args); got != test.en {
			t.Errorf("%q in English is %q, want %q", test.in, got, test.en)
		}
	}
}

func TestACodeWithoutASentenceStillSaysSomething(t *testing.T) {
	t.Parallel()
	if got := Sentence(English, "moon.full", nil); !strings.Contains(got, "moon.full") {
		t.Errorf("said %q", got)
	}
}

func TestIndonesianIsReadUnlessEnglishIsPreferred(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]Language{
		"":                                  Indonesian,
		"*":                                 Indonesian,
		"id":                                Indonesian,
		"en":                                English,
		"EN-us":                             English,
		"en-US,en;q=0.9,id;q=0.8":           English,
		"id-ID,id;q=0.9,en-US;q=0.8":        Indonesian,
		"en;q=0.2, id;q=0.7":                Indonesian,
		"de-DE,de;q=0.9,en;q=0.5":           English,
		"fr":                                Indonesian,
		"en;q=0":                            Indonesian,
		"in":                                Indonesian, // the code before 1989
		"\x00;;;q=":                         Indonesian,
		strings.Repeat("en,", maxHeader):    Indonesian,
		"id;q=0.5,en;q=0.5,ja-JP;q=0.4,*":   Indonesian,
		"en-GB-oxendict,en;q=0.9,ms;q=0.1":  English,
		"zh-Hant-TW,zh;q=0.9,en-AU;q=0.001": English,
	} {
		if got := ChooseLanguage(header); got != want {
			t.Errorf("%.40q chooses %s, want %s", header, got, want)
		}
	}
}

func TestListTimesAreJakartas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		at     time.Time
		id, en string
	}{
		{time.Date(2024, 10, 14, 6, 6, 59, 0, time.UTC), "14 Okt 24, 13:06", "14 Oct 24, 13:06"},
		{time.Date(2024, 12, 31, 17, 0, 0, 0, time.UTC), "01 Jan 25, 00:00", "01 Jan 25, 00:00"},
		{time.Date(2009, 5, 4, 23, 59, 0, 0, time.FixedZone("", -3600)), "05 Mei 09, 07:59", "05 May 09, 07:59"},
		{time.Date(2026, 8, 17, 3, 0, 0, 0, time.UTC), "17 Agu 26, 10:00", "17 Aug 26, 10:00"},
	} {
		if got := ShortTime(Indonesian, test.at); got != test.id {
			t.Errorf("got %q, want %q", got, test.id)
		}
		if got := ShortTime(English, test.at); got != test.en {
			t.Errorf("got %q, want %q", got, test.en)
		}
	}
}

func TestLabelsTellWhereADocumentStands(t *testing.T) {
	t.Parallel()
	signed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	signer := func(at time.Time) []contract.Participant {
		return []contract.Participant{{Person: contract.Person{ID: "s"}, Role: contract.Signer, Number: 1, SignedAt: at}}
	}
	stamp := []contract.Stamp{{State: contract.StampOrdered}}
	for _, test := range []struct {
		d                           contract.Document
		status, description, button string
	}{
		{contract.Document{State: contract.Draft}, "Draf", "Dokumen masih berupa draf", "Lanjutkan"},
		{contract.Document{State: contract.Processing, Mode: contract.Signing, Participants: signer(time.Time{})}, "Menunggu tanda tangan", "Dokumen menunggu tanda tangan", "Tanda Tangan"},
		{contract.Document{State: contract.Processing, Mode: contract.Signing, Participants: signer(signed), Stamps: stamp}, "Pembubuhan e-meterai", "Dokumen sedang dibubuhi e-meterai", "Lihat"},
		{contract.Document{State: contract.Processing, Mode: contract.Stamping}, "Penyelesaian", "Dokumen sedang diselesaikan", "Lihat"},
		{contract.Document{State: contract.Completed}, "Selesai", "Dokumen telah Selesai", "Unduh"},
		{contract.Document{State: contract.Rejected, Reason: "harga salah"}, "Ditolak", "Dokumen ditolak: harga salah", "Lihat"},
		{contract.Document{State: contract.Canceled}, "Dibatalkan", "Dokumen dibatalkan", "Lihat"},
		{contract.Document{State: contract.Expired}, "Kedaluwarsa", "Batas waktu dokumen telah lewat", "Lihat"},
		{contract.Document{State: contract.Failed, Reason: "QUOTA"}, "Gagal", "Pembubuhan e-meterai gagal: QUOTA", "Bubuhkan Ulang"},
	} {
		d := test.d
		if got := StatusInfo(Indonesian, &d); got != test.status {
			t.Errorf("%s: status is %q, want %q", d.State, got, test.status)
		}
		if got := Description(Indonesian, &d); got != test.description {
			t.Errorf("%s: description is %q, want %q", d.State, got, test.description)
		}
		if got := ButtonLabel(Indonesian, &d, "s"); got != test.button {
			t.Errorf("%s: button is %q, want %q", d.State, got, test.button)
		}
	}
}
