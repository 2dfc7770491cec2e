package peruri

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
	"segel/pdf/pdftest"
)

// runOrder has one stamp affixed as the workflow does: repeatedly, with the same order and serial, until it succeeds
// or a problem is final. It returns the problems on the way.
func (b *testOffice) runOrder(d *Driver, id string, again bool) (problems []*emeterai.Problem, done bool) {
	b.t.Helper()
	file := pdftest.Table(2)
	serial := ""
	for range 8 {
		err := func() (err error) {
			if serial == "" {
				o := emeteraitest.NewOrder(id)
				o.MaybeSent = again
				if serial, err = d.BuySerial(context.Background(), o); err != nil {
					return err
				}
				b.recordKnown(serial)
				again = false
			}
			r := emeteraitest.NewRequest(b.t, serial, file)
			r.MaybeSent = again
			tail, err := d.Stamp(context.Background(), r)
			if err == nil {
				_, err = emeterai.CheckStampedFile(context.Background(), r, tail)
			}
			return err
		}()
		if err == nil {
			return problems, true
		}
		p, ok := err.(*emeterai.Problem)
		if !ok {
			b.t.Fatalf("an error that is not a problem: %v", err)
		}
		if problems = append(problems, p); p.Class.IsFinal() {
			return problems, false
		}
		if p.Class == emeterai.Unknown {
			b.waited.Add(int64(p.After)) // what the workflow does before it tries again
		}
		again = true
	}
	return problems, false
}

// fault is one row of the table in docs/emeterai.md.
type fault struct {
	rule  sandbox.Rule
	class emeterai.Class // what the first try ends in; empty: nothing is noticed
	stays bool           // it does not pass by itself: the document fails, or waits for the operator
	spent int            // serials taken in the end
}

func onceRule(c sandbox.Call, f sandbox.Fault, code string) sandbox.Rule {
	return sandbox.Rule{Call: c, Fault: f, Code: code, At: []int{1}}
}

var table = map[string]fault{
	"stampv2 outage":         {onceRule(sandbox.CallBuy, sandbox.FaultOutage, ""), emeterai.Unknown, false, 1},
	"stampv2 answer lost":    {onceRule(sandbox.CallBuy, sandbox.FaultLost, ""), emeterai.Unknown, false, 1},
	"stampv2 html":           {onceRule(sandbox.CallBuy, sandbox.FaultHTML, ""), emeterai.Unknown, false, 1},
	"stampv2 token":          {onceRule(sandbox.CallBuy, sandbox.FaultToken, ""), "", false, 1},
	"stampv2 quota":          {onceRule(sandbox.CallBuy, sandbox.FaultStatus, "93"), emeterai.Quota, false, 1},
	"stampv2 statusCode 01":  {onceRule(sandbox.CallBuy, sandbox.FaultStatus, "01"), "", false, 1},
	"stampv2 statusCode 99":  {onceRule(sandbox.CallBuy, sandbox.FaultStatus, "99"), emeterai.Unknown, false, 1},
	"login refused":          {onceRule(sandbox.CallLogin, sandbox.FaultStatus, "99"), emeterai.Login, true, 0},
	"login outage":           {onceRule(sandbox.CallLogin, sandbox.FaultOutage, ""), emeterai.Transient, false, 1},
	"jenisdoc html":          {onceRule(sandbox.CallKinds, sandbox.FaultHTML, ""), emeterai.Transient, false, 1},
	"docSigningZ outage":     {onceRule(sandbox.CallStamp, sandbox.FaultOutage, ""), emeterai.Unknown, false, 1},
	"docSigningZ lost":       {onceRule(sandbox.CallStamp, sandbox.FaultLost, ""), emeterai.Unknown, false, 1},
	"docSigningZ html":       {onceRule(sandbox.CallStamp, sandbox.FaultHTML, ""), emeterai.Unknown, false, 1},
	"docSigningZ token":      {onceRule(sandbox.CallStamp, sandbox.FaultToken, ""), "", false, 1},
	"docSigningZ slow":       {sandbox.Rule{Call: sandbox.CallStamp, Fault: sandbox.FaultSlow, Delay: sandbox.Length(time.Millisecond)}, "", false, 1},
	"docSigningZ late":       {sandbox.Rule{Call: sandbox.CallStamp, Fault: sandbox.FaultLate, Delay: sandbox.Length(time.Millisecond)}, "", false, 1},
	"docSigningZ half":       {onceRule(sandbox.CallStamp, sandbox.FaultHalf, ""), emeterai.Unknown, false, 1},
	"docSigningZ page":       {onceRule(sandbox.CallStamp, sandbox.FaultPage, ""), emeterai.Quarantine, true, 1},
	"docSigningZ serial":     {onceRule(sandbox.CallStamp, sandbox.FaultSerial, ""), emeterai.Quarantine, true, 1},
	"docSigningZ rewritten":  {onceRule(sandbox.CallStamp, sandbox.FaultRewritten, ""), emeterai.Quarantine, true, 1},
	"docSigningZ second":     {onceRule(sandbox.CallStamp, sandbox.FaultSecond, ""), emeterai.Quarantine, true, 1},
	"docSigningZ done, 95":   {onceRule(sandbox.CallStamp, sandbox.FaultErrorDone, "95"), emeterai.Unknown, false, 1},
	"docSigningZ unknown 77": {onceRule(sandbox.CallStamp, sandbox.FaultError, "77"), emeterai.Unknown, false, 1},
}

func init() {
	for class, codes := range map[emeterai.Class][]string{
		emeterai.Config: {"90", "91"}, emeterai.Transient: {"93", "94", "70"}, emeterai.Unknown: {"92", "95", "96", "97"},
	} {
		for _, code := range codes {
			table["docSigningZ "+code] = fault{onceRule(sandbox.CallStamp, sandbox.FaultError, code), class, false, 1}
		}
	}
	for _, code := range []string{"80", "81", "82", "83"} {
		r := onceRule(sandbox.CallStamp, sandbox.FaultError, code)
		r.At = []int{1, 2} // the cloud form tries a refused document a second time, uploaded anew
		table["docSigningZ "+code] = fault{r, emeterai.Refused, true, 1}
	}
}

func TestEveryFaultEndsWhereTheTableSays(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Adapter, Cloud} {
		for name, f := range table {
			t.Run(string(form)+" "+name, func(t *testing.T) {
				t.Parallel()
				b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{f.rule}})
				d := b.openDriver(b.driverOptions(form))
				problems, done := b.runOrder(d, "order1", false)
				first := emeterai.Class("")
				if len(problems) > 0 {
					first = problems[0].Class
				}
				if first != f.class || done == f.stays {
					t.Errorf("first %q, done %v: %v", first, done, problems)
				}
				b.requireSpent(f.spent)
				if first == emeterai.Quarantine {
					b.requireEvidence(problems[0])
				}
				b.requireCleanFolder()
			})
		}
	}
}

// requireSpent checks how many serials the office issued.
func (b *testOffice) requireSpent(want int) {
	b.t.Helper()
	d := b.openDriver(b.driverOptions(Adapter))
	balance, err := d.Balance(context.Background())
	requireNoError(b.t, err)
	if 10-balance.Left != want {
		b.t.Errorf("%d serials were taken, not %d", 10-balance.Left, want)
	}
}

func (b *testOffice) requireEvidence(p *emeterai.Problem) {
	b.t.Helper()
	if p.Evidence == nil {
		b.t.Fatalf("quarantine without evidence: %v", p)
	}
	r, err := p.Evidence.Open()
	requireNoError(b.t, err)
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || int64(len(got)) != p.Evidence.Size || !strings.HasPrefix(string(got), "%PDF-") {
		b.t.Errorf("evidence of %d bytes: %v", len(got), err)
	}
}

// requireCleanFolder checks that the shared folder contains nothing but empty spare files, and that the log contains
// no secret.
func (b *testOffice) requireCleanFolder() {
	b.t.Helper()
	left, err := os.ReadDir(b.dir + "/shared")
	requireNoError(b.t, err)
	for _, e := range left {
		if info, err := e.Info(); err != nil || info.Size() > 0 || strings.HasSuffix(e.Name(), "-stamped.pdf") {
			b.t.Errorf("the shared folder holds %v, %v", info, err)
		}
	}
	if s := b.log.String(); strings.Contains(s, secret) {
		b.t.Errorf("the password is in the log:\n%s", s)
	}
}

func TestLostAnswersOfManyOrdersBuyNothingTwice(t *testing.T) {
	t.Parallel()
	half := 0.5
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Seed: 7, Rules: []sandbox.Rule{
		{Call: sandbox.CallBuy, Fault: sandbox.FaultLost, P: &half}, {Call: sandbox.CallStamp, Fault: sandbox.FaultLost, P: &half},
	}})
	d := b.openDriver(b.driverOptions(Adapter))
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		if problems, done := b.runOrder(d, id, false); !done {
			t.Errorf("order %s: %v", id, problems)
		}
	}
	b.requireSpent(5)
}

func TestOrderInDoubtIsFoundByAnotherProcess(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{onceRule(sandbox.CallBuy, sandbox.FaultLost, "")}})
	d := b.openDriver(b.driverOptions(Adapter))
	if _, err := d.BuySerial(context.Background(), emeteraitest.NewOrder("a")); emeterai.ClassOf(err) != emeterai.Unknown {
		t.Fatal(err)
	}
	if problems, done := b.runOrder(b.openDriver(b.driverOptions(Adapter)), "a", true); !done || len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	b.requireSpent(1)
}

func TestAbsenceProvesNothingWhileAnAnswerMayBeLate(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	now := time.Now()
	b.clock = func() time.Time { return now }
	o := b.driverOptions(Adapter)
	o.Settle = time.Minute
	d := b.openDriver(o)
	order := emeteraitest.NewOrder("a")
	order.MaybeSent = true
	_, err := d.BuySerial(context.Background(), order)
	p, ok := err.(*emeterai.Problem)
	if !ok || p.Class != emeterai.Unknown || p.After != o.Timeout+time.Minute {
		t.Fatalf("%v", err)
	}
	now = now.Add(p.After)
	if _, err := d.BuySerial(context.Background(), order); err != nil {
		t.Error(err)
	}
	b.requireSpent(1)
}

// TestAListFromBeforeTheDoubtWasSettledProvesNothing has the list under way while the waiting time ends: it does not
// include what was bought meanwhile.
func TestAListFromBeforeTheDoubtWasSettledProvesNothing(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	now := time.Now()
	b.clock = func() time.Time { return now }
	o := b.driverOptions(Adapter)
	o.Settle = time.Minute
	o.Observe = func(call, _ string, _ time.Duration) {
		if call == "serials" {
			now = now.Add(o.Timeout + o.Settle)
		}
	}
	d := b.openDriver(o)
	order := emeteraitest.NewOrder("a")
	order.MaybeSent = true
	if serial, err := d.BuySerial(context.Background(), order); err == nil || emeterai.ClassOf(err) != emeterai.Unknown {
		t.Fatalf("%s was bought on the word of a list that is too old: %v", serial, err)
	}
	if _, err := d.BuySerial(context.Background(), order); err != nil {
		t.Error(err)
	}
	b.requireSpent(1)
}

func TestUnexplainedUnusedSerialsAreForAPerson(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	d := b.openDriver(b.driverOptions(Adapter))
	lines := []emeterai.Serial{{Serial: "0A1B2C3D4E5F6G7H8I9J0K", Status: emeterai.Unused}, {Serial: "0A1B2C3D4E5F6G7H8I9J0L", Status: emeterai.Unused}}
	order := emeteraitest.NewOrder("a")
	order.MaybeSent = true
	d.trackOrder(order)
	if _, err := d.chooseSerial(context.Background(), order, lines); emeterai.ClassOf(err) != emeterai.NeedsPerson || !strings.Contains(err.Error(), lines[0].Serial) {
		t.Errorf("two for one order: %v", err)
	}
	b.recordKnown(lines[1].Serial)
	if got, err := d.chooseSerial(context.Background(), order, lines); err != nil || got != lines[0].Serial {
		t.Errorf("one for one order: %q, %v", got, err)
	}
	lines[0].File = "another.pdf"
	if got, err := d.chooseSerial(context.Background(), order, lines); err != nil || got != "" {
		t.Errorf("one of another order: %q, %v", got, err)
	}
}

func TestOfficeThatFailsIsLeftAloneAndThenProbed(t *testing.T) {
	t.Parallel()
	outage := sandbox.Rule{Call: sandbox.CallKinds, Fault: sandbox.FaultHTML, At: []int{1, 2, 3, 4}}
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{outage}})
	now := time.Now()
	b.clock = func() time.Time { return now }
	o := b.driverOptions(Adapter)
	o.BreakAfter, o.BreakFor = 3, 10*time.Second
	var outcomes []string
	o.Observe = func(call, outcome string, _ time.Duration) {
		if call == "jenisdoc" {
			outcomes = append(outcomes, outcome)
		}
	}
	d := b.openDriver(o)
	try := func() error { _, err := d.BuySerial(context.Background(), emeteraitest.NewOrder("a")); return err }
	for range 4 {
		if err := try(); emeterai.ClassOf(err) != emeterai.Transient {
			t.Fatal(err)
		}
	}
	if a := d.Availability(); !a.Down || a.Until != now.Add(10*time.Second) || !strings.Contains(a.Reason, "502") {
		t.Errorf("availability %+v", a)
	}
	now = now.Add(10 * time.Second)
	if err := try(); emeterai.ClassOf(err) != emeterai.Transient { // the probe fails
		t.Fatal(err)
	}
	if a := d.Availability(); a.Until != now.Add(20*time.Second) {
		t.Errorf("availability %+v", a)
	}
	now = now.Add(20 * time.Second)
	if err := try(); err != nil {
		t.Error(err)
	}
	if a := d.Availability(); a.Down {
		t.Errorf("availability %+v", a)
	}
	if want := []string{"failed", "failed", "failed", "left_alone", "failed", "answered"}; !slices.Equal(outcomes, want) {
		t.Errorf("calls ended as %v", outcomes)
	}
}

func TestOneLoginServesManyAndARefusedPasswordIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	o := b.driverOptions(Adapter)
	logins := 0
	o.Observe = func(call, _ string, _ time.Duration) {
		if call == "login" {
			logins++
		}
	}
	d := b.openDriver(o)
	for _, id := range []string{"a", "b", "c"} {
		b.runOrder(d, id, false)
	}
	if logins != 1 {
		t.Errorf("%d logins", logins)
	}
	o.Password, logins = "salah", 0
	d = b.openDriver(o)
	for range 3 {
		if _, err := d.Balance(context.Background()); emeterai.ClassOf(err) != emeterai.Login {
			t.Error(err)
		}
	}
	if logins != 1 {
		t.Errorf("a wrong password was tried %d times", logins)
	}
}

func TestAdapterWorksOnOneDocumentAtATime(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	d := b.openDriver(b.driverOptions(Adapter))
	_, release, err := d.acquireSlot(context.Background(), "a")
	requireNoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := d.acquireSlot(ctx, "a"); err == nil {
		t.Error("a second slot of one")
	}
	release()
	if _, _, err := d.acquireSlot(context.Background(), "a"); err != nil {
		t.Error(err)
	}
}
