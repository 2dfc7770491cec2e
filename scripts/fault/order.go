package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// order is one stamping order and its outcome.
type order struct {
	file    []byte
	whole   bool // the file need not be rewritten, so the stamped one begins with it
	places  []place
	witness string  // mailbox of a guest who hears of the completion
	letter  *letter // sent after the order; nil: none
	id      int64   // of its document, once uploaded
	resent  int     // times that the upload was repeated
	again   int     // times that finalize was repeated
	ordered bool    // finalize was acknowledged

	// What the service reports at the end.
	state   string
	serials []string
}

// place is where a duty stamp was ordered.
type place struct {
	page int
	box  [4]int // llx, lly, urx, ury in points
}

// kinds are the files, used in turn: one that can be extended as it is, and those that must be rewritten first.
var kinds = []struct {
	file  []byte
	pages int
	whole bool
}{
	{pdftest.PDFA(2), 1, true},
	{pdftest.Table(2), 2, false},
	{pdftest.PDFA(3), 1, true},
	{pdftest.Streams(3), 3, false},
}

// drawOrder generates the n-th order: one stamp, or two or three in a third of the orders.
func drawOrder(r *rand.Rand, n int) *order {
	k := kinds[n%len(kinds)]
	o := &order{file: k.file, whole: k.whole, witness: fmt.Sprintf("saksi-%d@example.test", n)}
	if n%ordersPerLetter == 0 {
		o.letter = &letter{mailbox: fmt.Sprintf("mitra-%d@example.test", n)}
	}
	stamps := 1
	if r.IntN(3) == 0 {
		stamps = 2 + r.IntN(2)
	}
	for i := range stamps {
		side, llx, lly := 60+r.IntN(40), 40+i*170+r.IntN(60), 60+r.IntN(600)
		o.places = append(o.places, place{1 + r.IntN(k.pages), [4]int{llx, lly, llx + side, lly + side}})
	}
	return o
}

// submitOrder takes the order from upload to finalize. It repeats what was not answered.
func (c *client) submitOrder(ctx context.Context, o *order) (err error) {
	if o.id, o.resent, err = c.uploadFile(ctx, "kuitansi.pdf", o.file, guest{o.witness, "viewer"}); err != nil {
		return err
	}
	var entries []object
	for _, p := range o.places {
		entries = append(entries, c.StampEntry(p.page, p.box))
	}
	if _, err := c.postUntilAnswered(ctx, running.SignPath+"placement-docs", object{"document_id": o.id, "signers": entries}, nil); err != nil {
		return err
	}
	if o.again, err = c.postUntilAnswered(ctx, running.SignPath+"finalize-docs", object{"document_id": o.id}, nil); err != nil {
		return err
	}
	o.ordered = true
	return nil
}

// readStatus reads the state of an order.
func (c *client) readStatus(ctx context.Context, o *order) error {
	var a running.StatusAnswer
	if _, err := c.callUntilAnswered(ctx, running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "status/", o.id)}, &a); err != nil {
		return err
	}
	o.state, o.serials = a.Data.Status, a.Data.Serials
	return nil
}

// isSettled reports whether the service does nothing more with the order by itself.
func (o *order) isSettled() bool { return o.state == "completed" || o.state == "failed" }
