package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// oddOffice is a stamp office with an account chosen by the test.
type oddOffice struct {
	emeterai.Stamper
	serials []emeterai.Serial
	balance emeterai.Balance
	err     error
	asking  func() // runs during ListSerials
}

func (o *oddOffice) ListSerials(context.Context) ([]emeterai.Serial, error) {
	if o.asking != nil {
		o.asking()
	}
	return o.serials, o.err
}

func (o *oddOffice) Balance(context.Context) (emeterai.Balance, error) { return o.balance, o.err }

func (h *harness) reconciled() contract.Reconciliation {
	h.t.Helper()
	r, err := h.Reconcile(context.Background(), contract.Actor{})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func TestABalanceThatDiffersFromTheListIsTold(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	o := &oddOffice{Stamper: h.office, balance: emeterai.Balance{Left: 9, Unused: 3}}
	h.Office = o
	if r := h.reconciled(); r.Unexplained != 1 || len(r.Differences) != 1 || r.Differences[0].Kind != contract.DifferCount || r.Office.Reported != 3 {
		t.Errorf("without work in progress: %+v", r)
	}
	h.Office = h.office
	id := h.draft(false, 1)
	h.office.loseTake = true
	_ = h.Stamp(context.Background(), id) // the answer is lost
	h.Office = o
	if r := h.reconciled(); r.Unexplained != 0 || len(r.Differences) != 1 || r.Differences[0].Kind != contract.DifferBalance {
		t.Errorf("while an order is in doubt: %+v", r)
	}
}

func TestAReportListsTheUnexplainedFirstAndCountsTheRest(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	h := newHarness(t)
	o := &oddOffice{Stamper: h.office}
	for i := range 1010 { // unused serials enter the register
		o.serials = append(o.serials, emeterai.Serial{Serial: fmt.Sprintf("A%04d", i), Status: emeterai.Unused})
	}
	for i := range 5 {
		o.serials = append(o.serials, emeterai.Serial{Serial: fmt.Sprintf("Z%04d", i), Status: emeterai.Affixed})
	}
	o.balance.Unused = 1010
	h.Office = o
	r := h.reconciled()
	if len(r.Differences) != 1000 || r.Omitted != 15 || r.Unexplained != 5 {
		t.Fatalf("%d differences, %d omitted, %d unexplained", len(r.Differences), r.Omitted, r.Unexplained)
	}
	for i, d := range r.Differences {
		if d.Kind.IsExplained() != (i >= 5) {
			t.Fatalf("difference %d is %s", i, d.Kind)
		}
	}
	if r.Register[contract.SerialBought] != 1010 {
		t.Errorf("%d serials are registered", r.Register[contract.SerialBought])
	}
	if again := h.reconciled(); again.Number != r.Number+1 || again.Omitted != 15 || again.Register[contract.SerialBought]+again.Register[contract.SerialFree] != 1010 {
		t.Errorf("again: %d differences, %d omitted, %v", len(again.Differences), again.Omitted, again.Register)
	}
}

// TestASerialThatIsBoundWhileTheListIsAskedForIsNotTakenFromItsDocument has a stamp affixed after the list is read and
// before the register is.
func TestASerialThatIsBoundWhileTheListIsAskedForIsNotTakenFromItsDocument(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.InDoubtPeriod = time.Minute
	ctx := context.Background()
	id := h.draft(false, 1)
	o := &oddOffice{Stamper: h.office}
	o.asking = func() {
		before, err := h.office.ListSerials(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Stamp(ctx, id); err != nil {
			t.Fatal(err)
		}
		after, err := h.office.ListSerials(ctx)
		if err != nil || len(after) != len(before)+1 {
			t.Fatal(len(before), len(after), err)
		}
		o.serials = []emeterai.Serial{{Serial: after[len(after)-1].Serial, Status: emeterai.Unused}}
		o.balance.Unused = 1
	}
	h.Office = o
	r := h.reconciled()
	if r.Unexplained != 0 || len(r.Differences) != 1 || r.Differences[0].Kind != contract.DifferChanged {
		t.Errorf("%+v", r)
	}
	if s := h.read(id).Stamps[0]; s.State != contract.StampAffixed || s.Serial != r.Differences[0].Serial {
		t.Errorf("the stamp is %s", s.State)
	}
	h.even("afterwards")
}

// TestASerialThatAnotherOrganisationOrderedIsNotGivenAway uses a stamp office that lists file names: one with another
// organisation's order, which is or was in doubt, one with an unknown order, none, and one for an unassigned serial of
// the register.
func TestASerialThatAnotherOrganisationOrderedIsNotGivenAway(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(false, 1)
	h.office.loseTake = true
	_ = h.Stamp(ctx, id)
	order, own := h.read(id).Stamps[0].Order, h.owner.Organisation
	const other = contract.OrganisationID("8f14e45f-ceea-467f-a0e6-1b1f0c8d3a09")
	if err := h.store.CreateOrganisation(ctx, store.Organisation{ID: other, Name: "CV Lain", CreatedAt: h.now()}); err != nil {
		t.Fatal(err)
	}
	unassigned := contract.StampSerial{Serial: "REGISTERED", State: contract.SerialBought, RegisteredAt: h.now(), ChangedAt: h.now()}
	if err := h.store.MoveSerials(ctx, []contract.SerialMove{{To: unassigned}}); err != nil {
		t.Fatal(err)
	}
	o := &oddOffice{Stamper: h.office, serials: []emeterai.Serial{
		{Serial: "ORDERED", Status: emeterai.Unused, File: "uji-" + order + ".pdf"}, {Serial: "REGISTERED", Status: emeterai.Unused, File: "uji-" + order + ".pdf"},
		{Serial: "STRANGE", Status: emeterai.Unused, File: "uji-bukanpesanan.pdf"}, {Serial: "NAMELESS", Status: emeterai.Unused},
	}}
	h.office.status = map[string]emeterai.Status{}
	for _, s := range o.serials {
		h.office.status[s.Serial] = s.Status
	}
	h.Office = o
	for _, serial := range []string{"ORDERED", "REGISTERED"} {
		if err := h.GiveSerial(ctx, contract.Actor{}, serial, other); !errors.Is(err, contract.ErrOtherOrganisationsOrder) {
			t.Errorf("%s was assigned to an organisation that did not order it: %v", serial, err)
		}
	}
	o.err = io.ErrUnexpectedEOF
	if err := h.GiveSerial(ctx, contract.Actor{}, "STRANGE", other); !errors.Is(err, contract.ErrOfficeDown) {
		t.Errorf("a serial was assigned although its file name is unknown: %v", err)
	}
	o.err = nil
	for serial, to := range map[string]contract.OrganisationID{"ORDERED": own, "REGISTERED": own, "STRANGE": other, "NAMELESS": other} {
		if err := h.GiveSerial(ctx, contract.Actor{}, serial, to); err != nil {
			t.Errorf("%s: %v", serial, err)
		}
		if s, err := h.store.Serial(ctx, serial); err != nil || s.Organisation != to {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestAnOfficeThatIsAwayIsTheReportsProblem(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Office = &oddOffice{Stamper: h.office, err: &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeDown, Text: "closed for lunch"}}
	if r := h.reconciled(); r.Problem != "closed for lunch" || r.Register != nil || r.Number != 1 {
		t.Errorf("%+v", r)
	}
	kept, err := h.Store.LastReconciliation(context.Background())
	if err != nil || kept.Problem != "closed for lunch" {
		t.Errorf("%+v, %v", kept, err)
	}
	if r, err := h.ReconcileDue(context.Background(), time.Hour); err != nil || r.Number != 2 {
		t.Errorf("a failed reconciliation counts as done: %+v, %v", r, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := h.Reconcile(ctx, contract.Actor{}); !errors.Is(err, context.Canceled) {
		t.Errorf("while the process stops: %v", err)
	}
}

func TestAnAdminIsNotToldWhatTheOfficeSaidToTheOperator(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Office = &oddOffice{Stamper: h.office, err: &emeterai.Problem{Class: emeterai.Login, Code: "01", Text: "user operator@segel.test is blocked"}}
	operator, admin := h.owner, h.owner
	operator.Admin, operator.Operator, admin.Admin = true, true, true
	if _, err := h.Reconcile(context.Background(), operator); err != nil {
		t.Fatal(err)
	}
	for by, want := range map[*contract.Actor]string{&operator: "user operator@segel.test is blocked", &admin: "stamp.office_unavailable"} {
		r, err := h.Reconciliation(context.Background(), *by)
		if err != nil || r.Problem != want || (r.By.Name != "") != by.Operator {
			t.Errorf("operator %t: %+v, %v", by.Operator, r, err)
		}
	}
}
