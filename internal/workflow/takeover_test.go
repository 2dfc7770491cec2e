package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/stamping"
	"segel/internal/workflow"
)

// slowOffice runs a function once before it answers a call.
type slowOffice struct {
	emeterai.Stamper
	status, take, stamp func()
	affixed             bool              // SerialStatus reports every serial as affixed
	again               map[string][]bool // MaybeSent of the calls for each order
}

func meanwhile(do *func()) {
	if it := *do; it != nil {
		*do = nil
		it()
	}
}

func (o *slowOffice) SerialStatus(ctx context.Context, serial string) (emeterai.Status, error) {
	meanwhile(&o.status)
	if o.affixed {
		return emeterai.Affixed, nil
	}
	return o.Stamper.SerialStatus(ctx, serial)
}

func (o *slowOffice) BuySerial(ctx context.Context, order emeterai.Order) (string, error) {
	o.again[order.ID] = append(o.again[order.ID], order.MaybeSent)
	serial, err := o.Stamper.BuySerial(ctx, order)
	meanwhile(&o.take)
	return serial, err
}

func (o *slowOffice) Stamp(ctx context.Context, r emeterai.Request) ([]byte, error) {
	tail, err := o.Stamper.Stamp(ctx, r)
	meanwhile(&o.stamp)
	return tail, err
}

// overtaken returns a harness whose service uses a slow stamp office, and a second process of the same service.
func overtaken(t *testing.T) (*harness, *slowOffice, *workflow.Service) {
	h := newHarness(t)
	o := &slowOffice{Stamper: h.office, again: map[string][]bool{}}
	h.Service.Office = o
	docs := &documents.Documents{
		Store: h.Store, Blobs: h.Blobs, Limits: h.Limits, Clock: h.Clock, Random: h.Random, Log: h.Log, Trust: h.Trust,
	}
	return h, o, &workflow.Service{
		Documents: docs, Stamping: &stamping.Stamping{Documents: docs, Store: h.Store, Office: o},
		Store: h.Store, Scratch: h.Scratch, Issuer: h.Issuer, Sealer: h.Sealer, LogKey: h.LogKey, Timestamper: h.Timestamper, Revocation: h.Revocation,
	}
}

// TestWorkerThatWasOvertakenDoesNotTakeAnothersCallForItsOwn has another process order a serial and lose the answer
// while the first waits for the stamp office. Only the first call for an order is certainly new to the office.
func TestWorkerThatWasOvertakenDoesNotTakeAnothersCallForItsOwn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h, o, other := overtaken(t)
	h.restamp(h.refusedDocument(), true) // its serial becomes free and cannot be used
	o.affixed = true
	id := h.draft(false, 1)
	o.status = func() {
		h.office.loseTake = true
		_ = other.Stamp(ctx, id)
		if d := h.read(id); d.Stamps[0].State != contract.StampRequested {
			t.Errorf("%+v", d.Stamps)
		}
	}
	_ = h.Stamp(ctx, id)
	h.work(id)
	for order, again := range o.again {
		for i, maybeSent := range again {
			if maybeSent != (i > 0) {
				t.Errorf("order %s was sent %d times with MaybeSent %v", order, len(again), again)
			}
		}
	}
}

// TestWhatAnOvertakenWorkerBringsIsNotTakenForAnotherSerial has another process fail the stamp finally and the owner
// restamp it with another serial, while the first waits for an answer about the former one.
func TestWhatAnOvertakenWorkerBringsIsNotTakenForAnotherSerial(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, brings := range []string{"a serial", "a stamp", "another stamp than ordered", "a refusal", "nothing"} {
		t.Run(brings, func(t *testing.T) {
			t.Parallel()
			h, o, other := overtaken(t)
			id := h.draft(false, 1)
			again := func() { // the other process, up to its first call for the new serial
				h.office.astray, h.office.refuse = 0, errRefused
				if err := other.Stamp(ctx, id); err != nil {
					t.Error(err)
				}
				h.office.refuse = nil
				o.Stamper = calledUnused{h.office} // the status still says unused
				if _, err := other.Restamp(ctx, h.owner, id, true); err != nil {
					t.Error(err)
				}
				o.Stamper = h.office
				h.office.loseTake, h.office.busy = brings == "a serial", 1
				_ = other.Stamp(ctx, id)
			}
			want := contract.StampBound
			switch brings {
			case "a serial":
				want = contract.StampRequested
				o.take = again
			case "another stamp than ordered":
				h.office.astray = 1
			case "a refusal":
				h.office.refuse = errRefused
			case "nothing":
				h.office.busy = 1
			}
			if o.take == nil {
				o.stamp = again
			}
			if err := h.Stamp(ctx, id); !errors.Is(err, contract.ErrRace) {
				t.Error(err)
			}
			d := h.read(id)
			if s := d.Stamps[0]; s.State != want || d.State != contract.Processing {
				t.Errorf("%s, %+v", d.State, s)
			}
			h.work(id)
			d = h.read(id)
			serial := d.Stamps[0].Serial
			if s, err := h.store.Serial(ctx, serial); err != nil || s.State != contract.SerialAffixed || !bytes.Contains(h.file(id), []byte("Emet"+serial)) {
				t.Errorf("%+v, %v, or the file has another serial", s, err)
			}
		})
	}
}

// TestWhatAnOvertakenWorkerIsToldIsNoAnswerToAnothersCall has another process repeat the call, and the first receives
// "busy" while that call is in progress: its result is still unknown.
func TestWhatAnOvertakenWorkerIsToldIsNoAnswerToAnothersCall(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h, o, other := overtaken(t)
	id := h.draft(false, 1)
	h.office.busy = 1
	asked, answer, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	o.stamp = func() {
		o.stamp = func() {
			close(asked)
			<-answer
		}
		go func() { ended <- other.Stamp(ctx, id) }()
		<-asked
	}
	if err := h.Stamp(ctx, id); !errors.Is(err, contract.ErrRace) {
		t.Error(err)
	}
	all := h.attempts(id)
	if last := all[len(all)-1]; last.Outcome != "" {
		t.Errorf("an open call has an answer: %+v", last)
	}
	close(answer)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if d := h.read(id); d.Stamps[0].State != contract.StampAffixed {
		t.Errorf("%+v", d.Stamps)
	}
}

// emptyAccount is a stamp office that refuses the next purchases because the account has no units.
type emptyAccount struct {
	emeterai.Stamper
	refusals int
}

func (o *emptyAccount) BuySerial(ctx context.Context, order emeterai.Order) (string, error) {
	if o.refusals > 0 {
		o.refusals--
		return "", &emeterai.Problem{Class: emeterai.Quota, Code: "93", Text: "no units"}
	}
	return o.Stamper.BuySerial(ctx, order)
}

// TestAnOrderThatTheOfficeRefusedIsInNoDoubtForAnotherProcess has three processes make the calls for an order: the first one's is refused, and the answer to the
// second one's is lost. The office lists the account for an order in doubt, and no process buys meanwhile.
func TestAnOrderThatTheOfficeRefusedIsInNoDoubtForAnotherProcess(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h, o, other := overtaken(t)
	o.Stamper = &emptyAccount{Stamper: h.office, refusals: 1}
	id := h.draft(false, 1)
	_ = h.Stamp(ctx, id)
	h.office.loseTake = true
	_ = other.Stamp(ctx, id)
	h.work(id)
	if again := o.again[h.read(id).Stamps[0].Order]; !slices.Equal(again, []bool{false, false, true}) || len(h.office.taken) != 1 {
		t.Errorf("the order was sent with MaybeSent %v, and bought %d serials", again, len(h.office.taken))
	}
}

// calledUnused is a stamp office that reports every serial as unused.
type calledUnused struct{ emeterai.Stamper }

func (calledUnused) SerialStatus(context.Context, string) (emeterai.Status, error) {
	return emeterai.Unused, nil
}
