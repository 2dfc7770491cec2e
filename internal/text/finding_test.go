package text

import (
	"strings"
	"testing"

	"segel/internal/contract"
)

func TestEventsSayWhichPagesWereShownAndWhatWasAccepted(t *testing.T) {
	t.Parallel()
	shown := map[string]string{"pages_shown": "1-3, 7", "pages": "12"}
	none := map[string]string{"pages_shown": contract.PagesNone}
	for _, c := range []struct {
		event contract.Event
		id    []string
		en    []string
	}{
		{contract.Event{Type: contract.EventSigned, Details: shown}, []string{"menampilkan halaman 1-3, 7 dari 12"}, []string{"showed page 1-3, 7 of 12"}},
		{
			contract.Event{Type: contract.EventSigned, Details: map[string]string{"pages_shown": "1-2", "pages": "5", "consent_documents": "40", "consent_digest": "ab"}},
			[]string{"halaman 1-2 dari 5", "satu persetujuan untuk dokumen ini dan 39 dokumen lain"}, []string{"page 1-2 of 5", "one consent covered this document and 39 others"},
		},
		{
			contract.Event{Type: contract.EventSignIntended, Details: map[string]string{"pages_shown": contract.PagesNone, "consent_documents": "2", "consent_digest": "ab"}},
			[]string{"tidak menampilkan", "dan satu dokumen lain"}, []string{"did not show", "this document and one other"},
		},
		{
			contract.Event{Type: contract.EventSigned, Details: map[string]string{"pages_shown": "1-3", "pages": "5", "pages_as_pictures": "2-3"}},
			[]string{"halaman 1-3 dari 5, sebagai gambar: halaman 2-3"}, []string{"page 1-3 of 5, as pictures: page 2-3"},
		},
		{contract.Event{Type: contract.EventSigned, Details: none}, []string{"tidak menampilkan"}, []string{"did not show"}},
		{contract.Event{Type: contract.EventSigned}, []string{"Menandatangani dokumen"}, []string{"Signed the document"}},
		{contract.Event{Type: contract.EventSignIntended, Details: shown}, []string{"Menyatakan setuju", "1-3, 7 dari 12"}, []string{"Agreed", "1-3, 7 of 12"}},
		{contract.Event{Type: contract.EventSignIntended, Details: none}, []string{"Menyatakan setuju", "tidak menampilkan"}, []string{"Agreed", "did not show"}},
		{
			contract.Event{Type: contract.EventFindingAccepted, Details: map[string]string{"code": "finding.launch", "pages": "3", "what": "calc.exe"}},
			[]string{"Menyetujui temuan", "menjalankan program", "halaman 3", "calc.exe"}, []string{"Accepted", "start a program", "page 3", "calc.exe"},
		},
	} {
		for language, want := range map[Language][]string{Indonesian: c.id, English: c.en} {
			got := Event(language, c.event)
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("%s of %v: %q lacks %q", c.event.Type, c.event.Details, got, w)
				}
			}
			if strings.ContainsAny(got, "{}[]?") {
				t.Errorf("%q", got)
			}
		}
	}
}
