package contract

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestSignersActInTheirOrder(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	if _, err := IntendSign(d, ShownPages{}, second, t0); !errors.Is(err, ErrNotInTurn) {
		t.Fatalf("the second signer first: %v", err)
	}
	d = signAs(t, d, first)
	if !d.InTurn("second") || d.InTurn("first") {
		t.Fatal("after the first signature it is the second signer's turn only")
	}
}

func TestInParallelEverySignerIsInTurn(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, inParallel))
	if !d.InTurn("first") || !d.InTurn("second") {
		t.Fatal("in parallel both signers are in turn")
	}
	signAs(t, d, second)
}

func TestEqualNumbersActInTheSameStep(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, func(u *Upload) {
		u.Participants = []Participant{newParticipant("first", Signer, 3), newParticipant("second", Signer, 3), newParticipant("user", Signer, 9)}
	}))
	if !d.InTurn("first") || !d.InTurn("second") || d.InTurn("user") {
		t.Fatal("those with number 3 are in turn together, number 9 after both")
	}
	d = signAs(t, d, second)
	if d.InTurn("user") {
		t.Fatal("number 9 waits for both of number 3")
	}
	if d = signAs(t, d, first); !d.InTurn("user") {
		t.Fatal("number 9 follows number 3, the gap does not matter")
	}
}

func TestViewerWaitsForEarlierSigners(t *testing.T) {
	t.Parallel()
	for _, with := range [][]func(*Upload){{}, {inParallel}} {
		d := finalizeDraft(t, newDraft(t, with...))
		if err := d.Authorise(viewer, OpDetail); !errors.Is(err, ErrNotFound) {
			t.Fatalf("a viewer before the signers: %v", err)
		}
		d = signAs(t, d, first)
		if d.IsVisibleTo("viewer") {
			t.Fatal("a viewer after one of two signers sees nothing yet")
		}
		if d = signAs(t, d, second); !d.IsVisibleTo("viewer") {
			t.Fatal("a viewer sees the document after all signers before them")
		}
	}
}

func TestDraftIsSeenByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	d := newDraft(t)
	for _, a := range []Actor{first, viewer, guest, user, outsider} {
		for _, op := range Operations {
			if err := d.Authorise(a, op); err != ErrNotFound {
				t.Errorf("%s %s on another's draft: %v", a.ID, op, err)
			}
		}
	}
	if err := d.Authorise(owner, OpDetail); err != nil {
		t.Fatal(err)
	}
}

func TestDraftWhoseTimeRanOutIsStillSeenByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	c, changed := Expire(newDraft(t, withDeadline), t0.Add(2*time.Hour))
	if !changed || c.After.State != Expired {
		t.Fatalf("an overdue draft is %s", c.After.State)
	}
	for _, a := range []Actor{first, viewer, guest, user, outsider} {
		for _, op := range Operations {
			if err := c.After.Authorise(a, op); err != ErrNotFound {
				t.Errorf("%s %s on another's draft that expired: %v", a.ID, op, err)
			}
		}
	}
	if err := c.After.Authorise(owner, OpDetail); err != nil {
		t.Fatal(err)
	}
}

func TestGuestOfAnotherDocumentSeesNothing(t *testing.T) {
	t.Parallel()
	d := completeDocument(t, affixNextStamp(t, signedByAll(t)))
	if err := d.Authorise(guest, OpDetail); err != nil {
		t.Fatalf("a guest on their own document: %v", err)
	}
	other := guest
	other.Guest = 8
	if err := d.Authorise(other, OpDetail); err != ErrNotFound {
		t.Fatalf("a guest's token for another document: %v", err)
	}
}

func TestTwoSignersNeverBuildOnTheSameRevision(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, inParallel))
	c, err := IntendSign(d, ShownPages{}, first, t0)
	d = applyChange(t, c, err)
	c, err = IntendSign(d, ShownPages{}, second, t0)
	d = applyChange(t, c, err)
	stale := nextRevision(d, 10)
	c, err = Sign(d, stale, ShownPages{}, attestationOf(d, first), first, t0)
	d = applyChange(t, c, err)
	if _, err := Sign(d, stale, ShownPages{}, attestationOf(d, second), second, t0); err == nil {
		t.Fatal("a signature built on a revision that is no longer the last was accepted")
	}
}

func TestSignerWhoSawAnotherRevisionIsRefused(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	if _, err := IntendSign(d, ShownPages{Digest: [32]byte{9}}, first, t0); !errors.Is(err, ErrStale) {
		t.Fatal(err)
	}
	if _, err := IntendSign(d, ShownPages{Digest: d.Current().Digest}, first, t0); err != nil {
		t.Fatal(err)
	}
}

func TestSignatureNeedsItsIntent(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	if _, err := Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, first), first, t0); !errors.Is(err, ErrRace) {
		t.Fatalf("a signature without a recorded intent: %v", err)
	}
}

func TestModeOfAnOrder(t *testing.T) {
	t.Parallel()
	stamp, sign := stampRequest, signRequest
	for _, c := range []struct {
		name  string
		doc   *Document
		only  bool
		mode  Mode
		error *Error
	}{
		{"signers and no placement", newDraft(t), false, Signing, nil},
		{"signers and a stamp", placeBoxes(t, newDraft(t), stamp("first")), false, Signing, nil},
		{"signers and a stamp, stamp_only", placeBoxes(t, newDraft(t), stamp("first")), true, Stamping, nil},
		{"signature placement, stamp_only", placeBoxes(t, newDraft(t), stamp("first"), sign("first")), true, "", ErrStampOnly},
		{"no placement, stamp_only", newDraft(t), true, "", ErrStampOnly},
		{"the owner alone and a stamp", placeBoxes(t, newDraft(t, ownerSigns), stamp("owner")), false, Stamping, nil},
		{"the owner alone, a stamp and a signature", placeBoxes(t, newDraft(t, ownerSigns), stamp("owner"), sign("owner")), false, Signing, nil},
		{"the owner alone and nothing placed", newDraft(t, ownerSigns), false, Signing, nil},
		{"no signer and a stamp", placeBoxes(t, newDraft(t, withoutPeople), stamp("owner")), false, Stamping, nil},
		{"no signer and no stamp", newDraft(t, withoutPeople), false, "", ErrNothingToDo},
	} {
		change, _, err := Finalize(c.doc, FinalizeOptions{StampOnly: c.only}, owner, t0)
		if c.error != nil {
			if !errors.Is(err, c.error) {
				t.Errorf("%s: %v, want %v", c.name, err, c.error)
			}
			continue
		}
		if err != nil || change.After.Mode != c.mode {
			t.Errorf("%s: %s %v, want %s", c.name, change.After.Mode, err, c.mode)
		}
	}
}

func TestQuotaIsReservedAtFinalizeAndEveryUnitEndsSpentOrReleased(t *testing.T) {
	t.Parallel()
	balance := map[Unit]map[QuotaOp]int{UnitStamp: {}, UnitSignature: {}}
	d := placeBoxes(t, newDraft(t), stampRequest("first"), stampRequest("owner"))
	run := func(c Change, err error) {
		t.Helper()
		d = applyChange(t, c, err)
		for _, m := range c.Quota {
			balance[m.Unit][m.Op] += m.Count
		}
	}
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	run(c, err)
	if balance[UnitStamp][QuotaReserve] != 2 || balance[UnitSignature][QuotaReserve] != 2 {
		t.Fatalf("finalize reserves two of each: %v", balance)
	}
	run(IntendSign(d, ShownPages{}, first, t0))
	run(Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, first), first, t0))
	if got := d.Counters(); got != (Counters{Used: Count{2, 2}, Success: Count{0, 1}}) {
		t.Fatalf("counters after one signature: %+v", got)
	}
	run(Reject(d, "no", second, limits, t0))
	for u, n := range balance {
		if n[QuotaReserve] != n[QuotaSpend]+n[QuotaRelease] {
			t.Errorf("%s: reserved %d, spent %d, released %d", u, n[QuotaReserve], n[QuotaSpend], n[QuotaRelease])
		}
	}
	if got := d.Counters(); got != (Counters{Used: Count{0, 1}, Success: Count{0, 1}, Failed: Count{2, 1}}) {
		t.Fatalf("counters after the rejection: %+v", got)
	}
}

func TestWorkFollowsTheLastSignatureAndTheLastStamp(t *testing.T) {
	t.Parallel()
	kinds := func(c Change, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, j := range c.Jobs {
			s = append(s, string(j.Kind))
		}
		return strings.Join(s, " ")
	}
	d := signAs(t, finalizeDraft(t, placeBoxes(t, newDraft(t), stampRequest("first"))), first)
	c, err := IntendSign(d, ShownPages{}, second, t0)
	d = applyChange(t, c, err)
	if got := kinds(Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, second), second, t0)); got != "stamp notify" {
		t.Errorf("last signature with a stamp due: %q", got)
	}
	d = bindNextStamp(t, signedByAll(t))
	if got := kinds(AffixStamp(d, 0, nextRevision(d, 10), t0)); got != "" {
		t.Errorf("last stamp, whose job goes on: %q", got)
	}
	plain := signAs(t, finalizeDraft(t, newDraft(t)), first)
	c, err = IntendSign(plain, ShownPages{}, second, t0)
	plain = applyChange(t, c, err)
	if got := kinds(Sign(plain, nextRevision(plain, 10), ShownPages{}, attestationOf(plain, second), second, t0)); got != "complete notify" {
		t.Errorf("last signature, nothing to stamp: %q", got)
	}
}

func TestStampKeepsItsSerialThroughFailureAndRestamp(t *testing.T) {
	t.Parallel()
	d := bindNextStamp(t, signedByAll(t))
	serial := d.Stamps[0].Serial
	c, err := RecordStampFailure(d, 0, Failure{Text: "the file cannot be parsed", Final: true}, t0)
	d = applyChange(t, c, err)
	if d.State != Failed || d.NextStamp() != 0 || d.SigningState() != Completed {
		t.Fatalf("after a permanent refusal: %s, signatures %s", d.State, d.SigningState())
	}
	c, err = Restamp(d, RestampOptions{}, owner, t0)
	d = applyChange(t, c, err)
	if d.State != Processing || !d.Restamping || d.Stamps[0].State != StampBound || d.Stamps[0].Serial != serial {
		t.Fatalf("after restamp: %+v", d.Stamps[0])
	}
	c, err = AffixStamp(d, 0, nextRevision(d, 10), t0)
	d = applyChange(t, c, err)
	if d.Restamping || d.Serials()[0] != serial {
		t.Fatalf("restamping settles with the same serial: %v", d.Serials())
	}
}

func TestTransientStampProblemNeverLeavesProcessing(t *testing.T) {
	t.Parallel()
	d := bindNextStamp(t, signedByAll(t))
	c, err := RecordStampFailure(d, 0, Failure{Text: "the office does not answer"}, t0)
	if d = applyChange(t, c, err); d.State != Processing || d.Stamps[0].State != StampBound {
		t.Fatalf("%s %s", d.State, d.Stamps[0].State)
	}
}

func TestOnlyWhatPeopleOweExpires(t *testing.T) {
	t.Parallel()
	late := t0.Add(2 * time.Hour)
	d := finalizeDraft(t, placeBoxes(t, newDraft(t, withDeadline), stampRequest("first")))
	if _, changed := Expire(d, t0); changed {
		t.Fatal("expired before its time")
	}
	if _, err := IntendSign(d, ShownPages{}, first, late); err == nil {
		t.Fatal("signed after its time")
	}
	d = signAs(t, signAs(t, d, first), second)
	if _, changed := Expire(d, late); changed {
		t.Fatal("a fully signed document that waits for its stamp expired")
	}
}

func TestVerbsAreRefusedFromTheDeadlineOn(t *testing.T) {
	t.Parallel()
	deadline := t0.Add(time.Hour) // see expiring
	verbs := map[string]func(d *Document, now time.Time) error{
		"sign":   func(d *Document, now time.Time) error { _, err := IntendSign(d, ShownPages{}, first, now); return err },
		"reject": func(d *Document, now time.Time) error { _, err := Reject(d, "no", first, limits, now); return err },
		"cancel": func(d *Document, now time.Time) error { _, err := Cancel(d, "no", owner, limits, now); return err },
		"remind": func(d *Document, now time.Time) error { _, err := Remind(d, owner, now); return err },
	}
	for name, verb := range verbs {
		d := finalizeDraft(t, placeBoxes(t, newDraft(t, withDeadline), stampRequest("first")))
		if err := verb(d, deadline.Add(-time.Microsecond)); err != nil {
			t.Errorf("%s before the deadline: %v", name, err)
		}
		if err := verb(d, deadline); err != ErrExpired {
			t.Errorf("%s at the deadline: %v", name, err)
		}
	}
	d := finalizeDraft(t, placeBoxes(t, newDraft(t, withDeadline), stampRequest("first")))
	d = signAs(t, signAs(t, d, first), second)
	if _, err := Cancel(d, "", owner, limits, deadline); err != ErrCommitted {
		t.Errorf("cancel of a fully signed document after its deadline: %v", err)
	}
	d.State = Failed
	if _, err := Cancel(d, "", owner, limits, deadline); err != nil {
		t.Errorf("cancel of a document that failed, after its deadline: %v", err)
	}
}

func TestFinalizingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	c, changed, err := Finalize(finalizedWithStamps(t), FinalizeOptions{}, owner, t0)
	if err != nil || changed || c.Quota != nil || c.Events != nil {
		t.Fatalf("%v %v %+v", changed, err, c)
	}
}

func TestBoxIsTakenFromSignThenEmetThenProps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		r    PlaceRequest
		want Box
		code string
	}{
		{"sign first", PlaceRequest{Kind: PlaceSignature, Sign: &Box{1, 2, 101, 52}, Emet: &Box{9, 9, 99, 99}}, Box{1, 2, 101, 52}, ""},
		{"sign of no area", PlaceRequest{Kind: PlaceSignature, Sign: &Box{1, 2, 1, 52}, Emet: &Box{9, 9, 99, 99}}, Box{}, "placement.no_area"},
		{"emet for a signature without sign", PlaceRequest{Kind: PlaceInitials, Emet: &Box{9, 9, 99, 99}}, Box{9, 9, 99, 99}, ""},
		{"inverted corners", PlaceRequest{Kind: PlaceStamp, Emet: &Box{110, 732, 60, 682}}, Box{60, 682, 110, 732}, ""},
		{"props from the upper left", PlaceRequest{Kind: PlaceStamp, Emet: &Box{}, Props: &Props{100, 42, 50, 50}, Drawn: page}, Box{100, 750, 150, 800}, ""},
		{"props in another size", PlaceRequest{Kind: PlaceSignature, Props: &Props{200, 84, 100, 100}, Drawn: PageSize{1190, 1684}}, Box{100, 750, 150, 800}, ""},
		{"nothing given", PlaceRequest{Kind: PlaceStamp}, Box{}, "placement.no_area"},
		{"not a number", PlaceRequest{Kind: PlaceStamp, Emet: &Box{math.NaN(), 0, 50, 50}}, Box{}, "placement.no_area"},
		{"stamp is the centred square", PlaceRequest{Kind: PlaceStamp, Emet: &Box{100, 100, 200, 150}}, Box{125, 100, 175, 150}, ""},
		{"stamp too small", PlaceRequest{Kind: PlaceStamp, Emet: &Box{100, 100, 139, 200}}, Box{}, "placement.stamp_size"},
		{"stamp too large", PlaceRequest{Kind: PlaceStamp, Emet: &Box{100, 100, 301, 301}}, Box{}, "placement.stamp_size"},
		{"off the page", PlaceRequest{Kind: PlaceStamp, Emet: &Box{580, 100, 630, 150}}, Box{}, "placement.off_page"},
		{"no such page", PlaceRequest{Kind: PlaceStamp, Page: 3, Emet: &Box{100, 100, 150, 150}}, Box{}, "placement.no_such_page"},
		{"unknown type", PlaceRequest{Kind: "cap", Emet: &Box{100, 100, 150, 150}}, Box{}, "placement.unknown_type"},
		{"a stranger", PlaceRequest{Kind: PlaceStamp, Person: "stranger", Emet: &Box{100, 100, 150, 150}}, Box{}, "placement.stranger"},
		{"a viewer's signature", PlaceRequest{Kind: PlaceSignature, Person: "viewer", Emet: &Box{100, 100, 150, 150}}, Box{}, "placement.stranger"},
	} {
		if c.r.Page == 0 {
			c.r.Page = 1
		}
		if c.r.Person == "" {
			c.r.Person = "first"
		}
		got, _, err := Place(newDraft(t), []PlaceRequest{c.r}, a4, owner, limits, t0)
		if c.code == "" {
			if err != nil || got.After.Placements[0].Box.differsBy(c.want, 1e-9) {
				t.Errorf("%s: %v %v, want %v", c.name, got.After.Placements, err, c.want)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || len(e.Fields) == 0 || e.Fields[0].Code != c.code || !strings.HasPrefix(e.Fields[0].Field, "signers[0]") {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
}

func TestPlacementSaysWhereEmetAndPropsDisagree(t *testing.T) {
	t.Parallel()
	r := stampRequest("first")
	r.Props, r.Drawn = &Props{100, 682, 60, 60}, page
	if _, w, err := Place(newDraft(t), []PlaceRequest{r}, a4, owner, limits, t0); err != nil || len(w) != 0 {
		t.Fatalf("the same box twice: %v %v", w, err)
	}
	r.Props.X += 3
	if _, w, err := Place(newDraft(t), []PlaceRequest{r}, a4, owner, limits, t0); err != nil || len(w) != 1 || w[0].Field != "signers[0]" {
		t.Fatalf("three points apart: %v %v", w, err)
	}
}

func TestAllErrorsOfAnUploadAreAnsweredTogether(t *testing.T) {
	t.Parallel()
	_, err := Create(Upload{Title: strings.Repeat("x", 256), Filename: "a.pdf", Pages: 2001, ExpiresAt: t0, Participants: []Participant{
		{Person: newPerson("a"), Role: "king", Number: 0}, {Person: newPerson("a"), Role: Signer, Number: 1}, {Person: Person{ID: "b", Email: "A@example.test"}, Role: Viewer, Number: 1, Guest: true},
	}}, owner, limits, t0)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range e.Fields {
		got[f.Field] = f.Code
	}
	for field, code := range map[string]string{
		"document_title": "text.too_long", "document_base64": "document.too_many_pages", "expired_at": "time.not_future",
		"signer[0].role": "role.unknown", "signer[0].number": "number.not_positive", "signer[1].email": "participant.twice",
		"guest[0].email": "participant.twice", "guest[0].name": "text.missing",
	} {
		if got[field] != code {
			t.Errorf("%s: %q, want %q", field, got[field], code)
		}
	}
}

func TestBoxBelowAMillimetreIsRefused(t *testing.T) {
	t.Parallel()
	const mm = 72 / 25.4
	at := func(w, h float64) *Box { return &Box{100, 100, 100 + w, 100 + h} }
	for name, c := range map[string]struct {
		request PlaceRequest
		field   string // empty: accepted
	}{
		"a signature too narrow":         {PlaceRequest{Kind: PlaceSignature, Sign: at(0.99*mm, 50)}, "signers[0].sign"},
		"a signature too low":            {PlaceRequest{Kind: PlaceSignature, Emet: at(50, 0.99*mm)}, "signers[0].emet"},
		"initials too narrow":            {PlaceRequest{Kind: PlaceInitials, Sign: at(0.5, 50)}, "signers[0].sign"},
		"initials too low":               {PlaceRequest{Kind: PlaceInitials, Props: &Props{X: 10, Y: 10, W: 50, H: 1e-9}}, "signers[0].props"},
		"a stamp too narrow":             {PlaceRequest{Kind: PlaceStamp, Emet: at(1, 60)}, "signers[0].emet"},
		"a stamp too low":                {PlaceRequest{Kind: PlaceStamp, Emet: at(60, 1)}, "signers[0].emet"},
		"inverted corners":               {PlaceRequest{Kind: PlaceSignature, Sign: &Box{101, 150, 100, 100}}, "signers[0].sign"},
		"too small once it is scaled":    {PlaceRequest{Kind: PlaceSignature, Props: &Props{X: 100, Y: 100, W: 50, H: 50}, Drawn: PageSize{Width: 595, Height: 842 * 20}}, "signers[0].props"},
		"a millimetre":                   {PlaceRequest{Kind: PlaceSignature, Sign: at(mm, mm)}, ""},
		"a millimetre in two decimals":   {PlaceRequest{Kind: PlaceInitials, Emet: at(2.83, 2.83)}, ""},
		"large enough once it is scaled": {PlaceRequest{Kind: PlaceInitials, Props: &Props{X: 1, Y: 1, W: 1, H: 1}, Drawn: PageSize{Width: 100, Height: 100}}, ""},
	} {
		c.request.Page, c.request.Person = 1, "first"
		_, _, err := Place(newDraft(t), []PlaceRequest{c.request}, a4, owner, limits, t0)
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != c.field || e.Fields[0].Code != "placement.too_small" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAddressesOfGuestsAreBounded(t *testing.T) {
	t.Parallel()
	long := func(n int) string {
		return strings.Repeat("a", 64) + "@" + strings.Repeat("b.", (n-68)/2) + strings.Repeat("c", 3+n%2)
	}
	for _, c := range []struct {
		email, phone string
		wrong, code  string
	}{
		{long(254), strings.Repeat("0", 255), "", ""}, {long(255), "", "guest[0].email", "email.malformed"},
		{long(100), strings.Repeat("0", 256), "guest[0].phone", "text.too_long"}, {"x@@y Bcc: z", "", "guest[0].email", "email.malformed"},
		{"büdi@example.test", "", "guest[0].email", "email.local_not_ascii"},
	} {
		_, err := SetParticipants(newDraft(t), []Participant{
			{Person: Person{ID: "a", Name: "A", Email: c.email}, Phone: c.phone, Role: Signer, Number: 1, Guest: true},
		}, nil, nil, owner, limits, t0)
		var e *Error
		if c.wrong == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != c.wrong || e.Fields[0].Code != c.code {
			t.Errorf("an address of %d and a number of %d: %v", len(c.email), len(c.phone), err)
		}
	}
}

func TestAddressOfAUserIsTheirAccountsAndNotLookedAt(t *testing.T) {
	t.Parallel()
	for _, email := range []string{"", "x@@y", "user@example.test"} {
		c, err := SetParticipants(newDraft(t), []Participant{{Person: Person{ID: "a", Name: "A", Email: email}, Role: Signer, Number: 1}}, nil, nil, owner, limits, t0)
		if err != nil || c.After.Participants[0].Email != email {
			t.Errorf("%q: %v", email, err)
		}
	}
}

func TestInternationalisedDomainOfAGuestIsKeptInASCII(t *testing.T) {
	t.Parallel()
	people := []Participant{{Person: Person{ID: "a", Name: "A", Email: "budi@bücher.example"}, Role: Signer, Number: 1, Guest: true}}
	c, err := SetParticipants(newDraft(t), people, nil, nil, owner, limits, t0)
	if err != nil || c.After.Participants[0].Email != "budi@xn--bcher-kva.example" {
		t.Errorf("%+v, %v", c.After.Participants, err)
	}
	if id := c.After.PersonByEmail("Budi@BÜCHER.example"); id != "a" {
		t.Errorf("the address as it was written leads to %q", id)
	}
	twice := append(people, Participant{Person: Person{ID: "b", Name: "B", Email: "budi@xn--bcher-kva.example"}, Role: Signer, Number: 2, Guest: true})
	if _, err := SetParticipants(newDraft(t), twice, nil, nil, owner, limits, t0); err == nil || !strings.Contains(err.Error(), "participant.twice") {
		t.Errorf("one mailbox in two spellings: %v", err)
	}
}

func TestFileNamesLoseDeceptiveCharacters(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"../../etc/passwd":       "passwd",
		`C:\temp\kontrak.pdf`:    "kontrak.pdf",
		"a\r\nSet-Cookie: x.pdf": "a Set-Cookie: x.pdf",
		"kontrak\u202Efdp.exe":   "kontrakfdp.exe",
		"..":                     "",
		"berkas/ ..":             "",
		"../\nkontrak.pdf":       "kontrak.pdf",
		"  Surat   Kuasa.pdf ":   "Surat Kuasa.pdf",
		"契約書.pdf":                "契約書.pdf",
	} {
		if got := CleanFilename(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPlacementsGoWithTheirPerson(t *testing.T) {
	t.Parallel()
	d := placeBoxes(t, newDraft(t), signRequest("first"), signRequest("second"), stampRequest("owner"))
	c, err := SetParticipants(d, []Participant{newParticipant("second", Signer, 1)}, nil, nil, owner, limits, t0)
	if d = applyChange(t, c, err); len(d.Placements) != 2 || d.Placements[0].Person != "second" {
		t.Fatalf("%+v", d.Placements)
	}
}

func TestRulesLeaveTheirInputAlone(t *testing.T) {
	t.Parallel()
	d := finalizedWithStamps(t)
	c, err := IntendSign(d, ShownPages{}, first, t0)
	if err != nil || !d.Participants[0].IntentAt.IsZero() || c.After.Participants[0].IntentAt.IsZero() {
		t.Fatalf("the rule wrote into the document it was given: %v", err)
	}
}
