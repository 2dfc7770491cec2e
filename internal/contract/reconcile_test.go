package contract

import (
	"testing"
	"time"
)

func TestEachPairOfStatesHasOneKindOfDifference(t *testing.T) {
	t.Parallel()
	settled := t0.Add(-time.Hour)
	long, just := settled.Add(-time.Minute), settled.Add(time.Minute)
	books := ReconcileInput{SettledBefore: settled, Now: t0}
	doubt := ReconcileInput{SettledBefore: settled, Now: t0, OrdersInDoubt: map[string]bool{"order": true}}
	single := ReconcileInput{SettledBefore: settled, Now: t0, OnlyOrganisation: "org"}
	serial := func(state SerialState, changed time.Time, with ...func(*StampSerial)) StampSerial {
		s := StampSerial{Serial: "S", Organisation: "org", State: state, ChangedAt: changed, RegisteredAt: long}
		switch state {
		case SerialBound, SerialAffixed:
			s.Document = 7
		default:
			s.FormerDocument, s.ReleaseCount = 7, 1
		}
		for _, w := range with {
			w(&s)
		}
		return s
	}
	found := func(s *StampSerial) { s.FormerDocument, s.ReleaseCount = 0, 0 }
	nobodys := func(s *StampSerial) { s.FormerDocument, s.ReleaseCount, s.Organisation = 0, 0, "" }
	there := func(state OfficeState, file, order string) OfficeSerial {
		return OfficeSerial{Serial: "S", State: state, File: file, Order: order}
	}
	unused, affixed, gone := there(OfficeUnused, "", ""), there(OfficeAffixed, "", ""), OfficeSerial{}
	for _, c := range []struct {
		name  string
		books ReconcileInput
		here  StampSerial
		there OfficeSerial
		of    State // of the document that has it
		want  DifferenceKind
		moved SerialState // empty: it stays where it is
	}{
		{name: "affixed, affixed", books: books, here: serial(SerialAffixed, long), there: affixed},
		{name: "affixed, unused", books: books, here: serial(SerialAffixed, long), there: unused, want: DifferNotAffixed},
		{name: "affixed just now, unused", books: books, here: serial(SerialAffixed, just), there: unused, want: DifferChanged},
		{name: "affixed, gone", books: books, here: serial(SerialAffixed, long), there: gone, want: DifferMissing},
		{name: "affixed just now, gone", books: books, here: serial(SerialAffixed, just), there: gone, want: DifferChanged},
		{name: "bound, unused", books: books, here: serial(SerialBound, long), there: unused, of: Processing},
		{name: "bound, affixed, processing", books: books, here: serial(SerialBound, long), there: affixed, of: Processing, want: DifferInWork},
		{name: "bound, affixed, failed", books: books, here: serial(SerialBound, long), there: affixed, of: Failed, want: DifferFailed},
		{name: "bound, affixed, document gone", books: books, here: serial(SerialBound, long), there: affixed, want: DifferUnknownAffixed},
		{name: "bound, gone", books: books, here: serial(SerialBound, long), there: gone, of: Processing, want: DifferMissing},
		{name: "taken, unused", books: books, here: serial(SerialBought, long), there: unused, want: DifferFreed, moved: SerialFree},
		{name: "taken just now, unused", books: books, here: serial(SerialBought, just), there: unused, want: DifferSettling},
		{name: "taken, unused, an order in doubt", books: doubt, here: serial(SerialBought, long), there: unused, want: DifferFreed, moved: SerialFree},
		{name: "found, unused, an order in doubt", books: doubt, here: serial(SerialBought, long, found), there: unused, want: DifferInDoubt},
		{name: "found, unused, named for another order", books: doubt, here: serial(SerialBought, long, found), there: there(OfficeUnused, "a-other.pdf", "other"), want: DifferFreed, moved: SerialFree},
		{name: "without owner, unused", books: books, here: serial(SerialBought, long, nobodys), there: unused, want: DifferUnassigned},
		{name: "without owner, unused, one organisation", books: single, here: serial(SerialBought, long, nobodys), there: unused, want: DifferFreed, moved: SerialFree},
		{name: "taken, affixed", books: books, here: serial(SerialBought, long), there: affixed, want: DifferSpent, moved: SerialQuarantined},
		{name: "taken, gone", books: books, here: serial(SerialBought, long), there: gone, want: DifferMissing},
		{name: "free, unused", books: books, here: serial(SerialFree, long), there: unused},
		{name: "free, affixed", books: books, here: serial(SerialFree, long), there: affixed, want: DifferSpent, moved: SerialQuarantined},
		{name: "quarantined, unused", books: books, here: serial(SerialQuarantined, long), there: unused},
		{name: "quarantined, affixed", books: books, here: serial(SerialQuarantined, long), there: affixed},
		{name: "quarantined, gone", books: books, here: serial(SerialQuarantined, long), there: gone, want: DifferMissing},
	} {
		j := c.books.CompareKnown(c.here, c.there, c.of)
		if j.Difference.Kind != c.want {
			t.Errorf("%s: %q, want %q", c.name, j.Difference.Kind, c.want)
		}
		checkMove(t, c.name, j, c.here.State, c.moved)
		if j.Move != nil && (j.Move.To.Organisation != "org" || j.Move.To.ReleaseCount != c.here.ReleaseCount || j.Move.To.FormerDocument != c.here.FormerDocument) {
			t.Errorf("%s: moved to %+v", c.name, j.Move.To)
		}
		if c.want != "" && (j.Difference.Serial != "S" || c.here.ReleaseCount > 0 && j.Difference.Document != 7) {
			t.Errorf("%s: %+v does not say which", c.name, j.Difference)
		}
	}
}

func checkMove(t *testing.T, name string, j SerialResult, from, want SerialState) {
	t.Helper()
	switch {
	case want == "" && j.Move != nil:
		t.Errorf("%s: moved to %s", name, j.Move.To.State)
	case want != "" && j.Move == nil:
		t.Errorf("%s: not moved to %s", name, want)
	case want != "" && (j.Move.From != from || j.Move.To.State != want || j.Difference.RegisterState != want):
		t.Errorf("%s: moved from %s to %s, told as %s", name, j.Move.From, j.Move.To.State, j.Difference.RegisterState)
	case want != "" && (j.Event.Type == "" || j.Event.Details["serial"] != "S" || !j.Event.At.Equal(t0)):
		t.Errorf("%s: the log is told %+v", name, j.Event)
	}
}

func TestASerialThatIsUnknownHereIsTakenUnlessAnOrderInDoubtMayHaveBoughtIt(t *testing.T) {
	t.Parallel()
	none := ReconcileInput{Now: t0}
	doubt := ReconcileInput{Now: t0, OrdersInDoubt: map[string]bool{"mine": true}}
	single := ReconcileInput{Now: t0, OnlyOrganisation: "org"}
	for _, c := range []struct {
		name  string
		books ReconcileInput
		there OfficeSerial
		doc   DocumentID
		of    OrganisationID
		want  DifferenceKind
		owner OrganisationID
	}{
		{"nameless", none, OfficeSerial{State: OfficeUnused}, 0, "", DifferFound, ""},
		{"nameless, one organisation", single, OfficeSerial{State: OfficeUnused}, 0, "", DifferFound, "org"},
		{"nameless, an order in doubt", doubt, OfficeSerial{State: OfficeUnused}, 0, "", DifferInDoubt, ""},
		{"named for the order in doubt", doubt, OfficeSerial{State: OfficeUnused, File: "a-mine.pdf", Order: "mine"}, 7, "org", DifferInDoubt, ""},
		{"named for another order", doubt, OfficeSerial{State: OfficeUnused, File: "a-old.pdf", Order: "old"}, 8, "other", DifferFound, "other"},
		{"named by another program", doubt, OfficeSerial{State: OfficeUnused, File: "sewa-2024.pdf", Order: "2024"}, 0, "", DifferInDoubt, ""},
		{"named by another program, no doubt", none, OfficeSerial{State: OfficeUnused, File: "sewa-2024.pdf", Order: "2024"}, 0, "", DifferFound, ""},
		{"affixed", doubt, OfficeSerial{State: OfficeAffixed}, 0, "", DifferUnknownAffixed, ""},
	} {
		c.there.Serial = "S"
		j := c.books.CompareUnknown(c.there, c.doc, c.of)
		if j.Difference.Kind != c.want {
			t.Errorf("%s: %q, want %q", c.name, j.Difference.Kind, c.want)
		}
		want := SerialState("")
		if c.want == DifferFound {
			want = SerialBought
		}
		checkMove(t, c.name, j, "", want)
		if j.Move != nil && j.Move.To.Organisation != c.owner {
			t.Errorf("%s: given to %q, want %q", c.name, j.Move.To.Organisation, c.owner)
		}
	}
}

func TestOnlyASerialWithoutAnOwnerIsAssigned(t *testing.T) {
	t.Parallel()
	op := Actor{Person: Person{ID: "op", Name: "Op"}, Admin: true, Operator: true}
	m, e, err := AssignSerial(StampSerial{Serial: "S", State: SerialBought, ChangedAt: t0}, "org", op, t0.Add(time.Hour))
	if err != nil || m.From != SerialBought || m.To.State != SerialBought || m.To.Organisation != "org" || !m.To.ChangedAt.Equal(t0) {
		t.Errorf("given: %+v, %v", m, err)
	}
	if e.Type != EventSerialGiven || e.Person.ID != "op" || e.Details["organisation"] != "org" {
		t.Errorf("the log is told %+v", e)
	}
	m, _, err = AssignSerial(StampSerial{Serial: "S"}, "org", op, t0)
	if err != nil || m.From != "" || m.To.State != SerialBought || m.To.Organisation != "org" || !m.To.RegisteredAt.Equal(t0) || !m.To.ChangedAt.Equal(t0) || m.To.Problem == "" {
		t.Errorf("entered and given: %+v, %v", m, err)
	}
	for _, s := range []StampSerial{
		{Serial: "S", State: SerialBought, Organisation: "other"}, {Serial: "S", State: SerialFree}, {Serial: "S", State: SerialQuarantined},
	} {
		if _, _, err := AssignSerial(s, "org", op, t0); KindOf(err) != Conflict {
			t.Errorf("%+v was given: %v", s, err)
		}
	}
}

func TestAdminSeesTheDifferencesOfTheirOwnSerials(t *testing.T) {
	t.Parallel()
	r := Reconciliation{Number: 3, Office: OfficeCount{Left: 9}, Register: map[SerialState]int{SerialFree: 2}, Unexplained: 2, By: Person{ID: "op", Name: "Op"}, Differences: []Difference{
		{Kind: DifferMissing, Serial: "A", Organisation: "own"}, {Kind: DifferMissing, Serial: "B", Organisation: "other"},
		{Kind: DifferFreed, Serial: "C", Organisation: "own"}, {Kind: DifferUnassigned, Serial: "D"},
	}}
	own := r.ForOrganisation("own")
	if len(own.Differences) != 2 || own.Differences[0].Serial != "A" || own.Differences[1].Serial != "C" || own.Unexplained != 1 {
		t.Errorf("told %+v", own)
	}
	if own.Office != (OfficeCount{}) || own.Register != nil || own.Omitted != 0 || own.Number != 3 || own.By != (Person{}) || own.Problem != "" {
		t.Errorf("told of the account: %+v", own)
	}
	own = Reconciliation{Number: 4, By: Person{ID: "op", Name: "Op"}, Problem: "login: user u is blocked"}.ForOrganisation("own")
	if own.By != (Person{}) || own.Problem != "stamp.office_unavailable" {
		t.Errorf("told of an office that is away: %+v", own)
	}
}

func TestAdminSeesHowManyOfTheirDifferencesAreNotListed(t *testing.T) {
	t.Parallel()
	var r Reconciliation
	for i := range maxDifferences + 300 {
		d := Difference{Kind: DifferFreed, Organisation: "own"}
		if i%2 == 0 {
			d = Difference{Kind: DifferMissing, Organisation: "other"}
		}
		r.AddDifference(d)
	}
	for range maxDifferences {
		r.AddDifference(Difference{Kind: DifferMissing, Organisation: "other"})
	}
	for range 10 {
		r.AddDifference(Difference{Kind: DifferMissing, Organisation: "own"})
	}
	if len(r.Differences) != maxDifferences || r.Omitted != 1310 || r.Unexplained != 1660 {
		t.Fatalf("%d listed, %d more, %d unexplained", len(r.Differences), r.Omitted, r.Unexplained)
	}
	if own := r.ForOrganisation("own"); len(own.Differences) != 0 || own.Omitted != 660 || own.Unexplained != 10 {
		t.Errorf("own: %d listed, %d more, %d unexplained", len(own.Differences), own.Omitted, own.Unexplained)
	}
	if other := r.ForOrganisation("other"); len(other.Differences) != maxDifferences || other.Omitted != 650 || other.Unexplained != 1650 {
		t.Errorf("the other's: %d listed, %d more, %d unexplained", len(other.Differences), other.Omitted, other.Unexplained)
	}
	if third := r.ForOrganisation("third"); third.Omitted != 0 || third.Unexplained != 0 {
		t.Errorf("of another's: %+v", third)
	}
}

func TestStalledWorkIsRetriedOnAnAdminsRequest(t *testing.T) {
	t.Parallel()
	of := func(d *Document) Actor {
		return Actor{Person: Person{ID: "admin", Name: "Admin"}, Organisation: d.Organisation, Admin: true}
	}
	for _, s := range situations {
		d := s.make(t)
		by := of(d)
		c, err := RetryByAdmin(d, by, t0)
		switch {
		case d.State == Failed:
			if err != nil || c.After.State != Processing || len(c.Jobs) == 0 {
				t.Errorf("%s: %v, %s, %v", s.name, err, c.After.State, c.Jobs)
			}
		case s.name == "draft, converting" || s.name == "processing, stamp due" || s.name == "processing, seal due":
			if err != nil || len(c.Jobs) != 1 || len(c.Events) != 1 || c.Events[0].Type != EventRetried || c.Events[0].Person.ID != "admin" || c.After.State != d.State {
				t.Errorf("%s: %v, %v, %v", s.name, err, c.Jobs, c.Events)
			}
		case KindOf(err) != Conflict:
			t.Errorf("%s: %v", s.name, err)
		}
		by.Organisation = "elsewhere"
		if _, err := RetryByAdmin(d, by, t0); KindOf(err) != NotFound {
			t.Errorf("%s, an admin of another organisation: %v", s.name, err)
		}
		if by.Admin = false; errOf(RetryByAdmin(d, by, t0)) != Forbidden {
			t.Errorf("%s: a person who is not an admin", s.name)
		}
	}
}

func errOf(_ Change, err error) Kind { return KindOf(err) }
