package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/sandbox"
)

// nameless removes the names of files from all answers of the office, like an office that does not report them.
type nameless struct{}

var fileMember = regexp.MustCompile(`"(nama)?file":"[^"]*"`)

func (nameless) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !strings.Contains(r.URL.Path, "/sale/stamp/ext/") {
		return a, err
	}
	body, err := io.ReadAll(a.Body)
	a.Body.Close()
	body = fileMember.ReplaceAll(body, []byte(`"${1}file":""`))
	a.Body, a.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return a, err
}

// TestAnOrderInDoubtIsSettledOnceTheSerialsThatItCannotBeToldFromAreGivenAway uses an account with serials that another client
// bought, and an office whose lists have no file names.
func TestAnOrderInDoubtIsSettledOnceTheSerialsThatItCannotBeToldFromAreGivenAway(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	c := newCounter(t, "")
	office, err := peruri.Open(peruri.Options{
		Client: &http.Client{Transport: nameless{}}, Clock: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Known: c.isKnownSerial,
		Dir: t.TempDir(), Form: peruri.Adapter, LoginURL: c.bureau.url, User: "u", Password: "p", Adapters: []string{c.bureau.url}, Shared: c.bureau.shared,
		Kind: "Surat Perjanjian", Picture: "/snqr/qrimage?sn={serial}", Specimen: true, Timeout: 5 * time.Second, StampTimeout: 20 * time.Second, Settle: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { office.Close() })
	c.workflow.Office, c.workflow.InDoubtPeriod = office, 0

	foreign := []string{c.bought("satu"), c.bought("dua")}
	id, _ := c.stamped(always(sandbox.CallBuy, sandbox.FaultLost, ""))
	c.again(id)
	uncertain := func(when string) {
		t.Helper()
		d, err := c.store.Document(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if s := d.Stamps[0]; d.State != contract.Failed || s.State != contract.StampRequested {
			t.Fatalf("%s: the document is %s, its stamp %s: %s", when, d.State, s.State, s.Problem)
		}
	}
	uncertain("at first")
	restamp := func() {
		t.Helper()
		c.owner.verb("restamp-docs", int64(id)).ok()
		c.again(id)
	}
	restamp()
	uncertain("stamped again")
	if _, err := c.workflow.Reconcile(ctx, contract.Actor{}); err != nil {
		t.Fatal(err)
	}
	restamp()
	uncertain("reconciled")

	for _, serial := range []string{"SPESIMEN-0000000NOWHERE", c.boughtAndAffixed("orang")} {
		if err := c.workflow.GiveSerial(ctx, contract.Actor{}, serial, c.organisation()); !errors.Is(err, contract.ErrNotUnused) {
			t.Errorf("gave %s, which is not unused: %v", serial, err)
		}
	}
	for _, serial := range foreign {
		if err := c.workflow.GiveSerial(ctx, contract.Actor{}, serial, c.organisation()); err != nil {
			t.Fatal(err)
		}
		if s, err := c.store.Serial(ctx, serial); err != nil || s.State != contract.SerialBought || s.Organisation != c.organisation() {
			t.Errorf("%+v, %v", s, err)
		}
		if err := c.workflow.GiveSerial(ctx, contract.Actor{}, serial, c.organisation()); !errors.Is(err, contract.ErrSerialNotUnassigned) {
			t.Errorf("gave %s twice: %v", serial, err)
		}
	}
	bought := len(c.list())
	restamp()
	if s := c.stamp(id); s.State != contract.StampAffixed || s.Serial == foreign[0] || s.Serial == foreign[1] {
		t.Errorf("the stamp is %s with %s: %s", s.State, s.Serial, s.Problem)
	}
	if n := len(c.list()); n != bought {
		t.Errorf("%d serials were bought", n-bought)
	}
	for range 2 { // the second run finds what the first one freed
		if _, err := c.workflow.Reconcile(ctx, contract.Actor{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, serial := range foreign {
		if s, err := c.store.Serial(ctx, serial); err != nil || s.State != contract.SerialFree {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if err := c.store.CheckLog(ctx); err != nil {
		t.Error(err)
	}
}
