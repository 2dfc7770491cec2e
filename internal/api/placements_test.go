package api

import (
	"encoding/json"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestDetailShowsTheBoxesOfAllPeopleToAGuestToo(t *testing.T) {
	t.Parallel()
	d := processing()
	signer, guest := d.Participants[0], d.Participants[len(d.Participants)-1]
	d.Participants[0].SignedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	box := contract.Box{LLX: 10, LLY: 20, URX: 110, URY: 60}
	d.Placements = []contract.Placement{
		{Kind: contract.PlaceSignature, Page: 1, Person: signer.ID, Box: box},
		{Kind: contract.PlaceInitials, Page: 2, Person: guest.ID, Box: box},
		{Kind: contract.PlaceStamp, Page: 2, Person: d.Owner.ID, Box: box},
		{Kind: contract.PlaceStamp, Page: 3, Person: d.Owner.ID, Box: box},
	}
	d.Stamps = []contract.Stamp{{Placement: 2, State: contract.StampAffixed}, {Placement: 3, State: contract.StampOrdered}}
	want := []placementItem{
		{Type: "sign", Page: 1, UserID: signer.ID, Name: signer.Name, Box: boxData(box), Filled: true},
		{Type: "paraf", Page: 2, UserID: guest.ID, Name: guest.Name, Box: boxData(box)},
		{Type: "emet", Page: 2, UserID: d.Owner.ID, Name: d.Owner.Name, Box: boxData(box), Filled: true},
		{Type: "emet", Page: 3, UserID: d.Owner.ID, Name: d.Owner.Name, Box: boxData(box)},
	}
	if signer.ID == guest.ID {
		t.Fatal("the document has one participant only")
	}
	b := newBench(t, d)
	for _, token := range []string{"signer", "guest"} {
		var answer found[detailData]
		w := b.ask("GET", dBase+"detail/1207", "", "X-Access-Token", token)
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v: %s", token, err, w.Body)
		}
		got := answer.Data.Placements
		if len(got) != len(want) {
			t.Fatalf("%s: %d boxes", token, len(got))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %+v, want %+v", token, got[i], want[i])
			}
		}
	}
}
