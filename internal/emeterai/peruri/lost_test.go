package peruri

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/internal/emeterai/sandbox"
	"segel/pdf/pdftest"
)

func TestAnswerThatComesTooLateIsNotBoughtAgain(t *testing.T) {
	t.Parallel()
	late := onceRule(sandbox.CallBuy, sandbox.FaultLate, "")
	late.Delay = sandbox.Length(time.Minute)
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{late}})
	o := b.driverOptions(Adapter)
	o.Timeout = 2 * time.Second
	problems, done := b.runOrder(b.openDriver(o), "a", false)
	if !done || len(problems) != 1 || problems[0].Class != emeterai.Unknown {
		t.Errorf("%v", problems)
	}
	b.requireSpent(1)
}

// TestAnOrderThatAnotherProcessSentMeanwhileIsAskedForFirst lets the processes of two machines make the calls in turn.
func TestAnOrderThatAnotherProcessSentMeanwhileIsAskedForFirst(t *testing.T) {
	t.Parallel()
	refused, lost := onceRule(sandbox.CallBuy, sandbox.FaultStatus, codeQuota), onceRule(sandbox.CallBuy, sandbox.FaultLost, "")
	refused.At, lost.At = []int{1}, []int{2}
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{refused, lost}})
	o := b.driverOptions(Cloud)
	first := b.openDriver(o)
	o.Dir = t.TempDir()
	second := b.openDriver(o)
	order := emeteraitest.NewOrder("a")
	call := func(d *Driver, want emeterai.Class) string {
		t.Helper()
		order.Attempt++
		order.MaybeSent, order.LastSent = order.Attempt > 1, order.Attempt-1
		serial, err := d.BuySerial(context.Background(), order)
		if got := emeterai.ClassOf(err); want != "" && got != want || want == "" && err != nil {
			t.Fatalf("attempt %d: %v, want %q", order.Attempt, err, want)
		}
		return serial
	}
	call(first, emeterai.Quota)    // certainly bought nothing
	call(second, emeterai.Unknown) // it cannot know that, and waits
	b.waited.Add(int64(time.Minute))
	call(second, emeterai.Unknown) // bought, and the answer is lost
	if call(first, "") == "" {
		t.Error("no serial")
	}
	b.requireSpent(1)
}

// TestAnOrderInDoubtIsBoughtAlthoughProcessesWaitForItInTurn lets the processes of three machines make the calls in turn. Each waits from when it has first seen the
// call in doubt, and none because another one waited.
func TestAnOrderInDoubtIsBoughtAlthoughProcessesWaitForItInTurn(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{onceRule(sandbox.CallBuy, sandbox.FaultOutage, "")}})
	o := b.driverOptions(Cloud)
	var drivers []*Driver
	for range 3 {
		o.Dir = t.TempDir()
		drivers = append(drivers, b.openDriver(o))
	}
	order := emeteraitest.NewOrder("a")
	for i, want := range []string{"", emeterai.CodeWait, emeterai.CodeWait} {
		order.Attempt, order.MaybeSent, order.LastSent = i+1, i > 0, min(i, 1)
		_, err := drivers[i].BuySerial(context.Background(), order)
		var problem *emeterai.Problem
		if !errors.As(err, &problem) || problem.Class != emeterai.Unknown || want != "" && problem.Code != want {
			t.Fatalf("attempt %d: %v", order.Attempt, err)
		}
	}
	b.requireSpent(0)
	b.waited.Add(int64(time.Minute))
	order.Attempt = 4
	if serial, err := drivers[1].BuySerial(context.Background(), order); err != nil || serial == "" {
		t.Errorf("when the call in doubt is certain: %q, %v", serial, err)
	}
	b.requireSpent(1)
}

// recordedLeases records what the driver takes.
type recordedLeases struct{ taken []string }

func (r *recordedLeases) take(what string) (func(), error) {
	r.taken = append(r.taken, what)
	return func() { r.taken = append(r.taken, "released") }, nil
}

func (r *recordedLeases) Take(_ context.Context, resource string, count int, organisation string) (func(), error) {
	return r.take(fmt.Sprintf("%s of %d for %s", resource, count, organisation))
}

func (r *recordedLeases) TakeShared(_ context.Context, resource string, _ int) (func(), error) {
	return r.take(resource)
}

func (r *recordedLeases) TakeExclusive(_ context.Context, resource string) (func(), error) {
	return r.take("exclusive " + resource)
}

func TestSlotsAndPurchasesAreTakenAmongAllProcesses(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{onceRule(sandbox.CallBuy, sandbox.FaultLost, "")}})
	o, r := b.driverOptions(Cloud), &recordedLeases{}
	o.Leases, o.Slots = r, 3
	d := b.openDriver(o)
	order := emeteraitest.NewOrder("a")
	if _, err := d.BuySerial(context.Background(), order); emeterai.ClassOf(err) != emeterai.Unknown {
		t.Fatal(err)
	}
	order.MaybeSent = true
	serial, err := d.BuySerial(context.Background(), order)
	requireNoError(t, err)
	request := emeteraitest.NewRequest(t, serial, pdftest.Table(1))
	request.Organisation = "pt-a"
	_, err = d.Stamp(context.Background(), request)
	requireNoError(t, err)
	want := []string{"purchase", "released", "exclusive purchase", "released", "cloud of user of 3 for pt-a", "released"}
	if !slices.Equal(r.taken, want) {
		t.Errorf("took %q, want %q", r.taken, want)
	}
}

func TestProcessesOfOneAccountShareSlotsWhateverAddressesTheyUse(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	slots := func(form Form, user string, adapters ...string) (all []string) {
		o := b.driverOptions(form)
		o.Dir, o.Leases, o.User, o.Adapters = t.TempDir(), &recordedLeases{}, user, adapters
		for _, at := range b.openDriver(o).addresses.all {
			all = append(all, at.slots)
		}
		return all
	}
	own := slots(Adapter, "user@office.test", "http://adapter-a:7777", "http://adapter-b:7777")
	if len(own) != 2 || own[0] == own[1] {
		t.Errorf("two adapters have the slots %q", own)
	}
	if proxied := slots(Adapter, " User@office.test", "http://127.0.0.1:4001/", "http://127.0.0.1:4002"); !slices.Equal(proxied, own) {
		t.Errorf("the slots are %q through proxies, and %q without", proxied, own)
	}
	if other := slots(Adapter, "other@office.test", "http://adapter-a:7777", "http://adapter-b:7777"); slices.Contains(own, other[0]) || slices.Contains(own, other[1]) {
		t.Errorf("two accounts share slots: %q and %q", other, own)
	}
	if one := slots(Adapter, "user@office.test", "http://adapter-a:80", "http://ADAPTER-A/", "http://adapter-a/"); !slices.Equal(one, own[:1]) {
		t.Errorf("an address in three spellings has the slots %q", one)
	}
	three := slots(Adapter, "user@office.test", "http://adapter-a:7777", "http://adapter-b:7777", "http://adapter-c:7777")
	if two := slots(Adapter, "user@office.test", "http://balancer:7777", "http://balancer:7777/", "http://adapter-c:7777"); !slices.Equal(two, []string{three[0], three[2]}) {
		t.Errorf("behind one address for two adapters the slots are %q, and %q without", two, three)
	}
	if cloud := slots(Cloud, "user@office.test"); len(cloud) != 1 || slices.Contains(own, cloud[0]) {
		t.Errorf("the cloud has the slots %q", cloud)
	}
}

func TestSerialWithoutItsPictureIsNotReadyWhereItCannotBeHadAgain(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	o := b.driverOptions(Adapter)
	serial := emeteraitest.BuySerial(t, b.openDriver(o), "a")
	o.Dir = t.TempDir()
	if err := b.openDriver(o).CheckAffixable(context.Background(), serial); err != nil {
		t.Errorf("it can be fetched again: %v", err)
	}
	o.Dir, o.Picture = t.TempDir(), ""
	if err := b.openDriver(o).CheckAffixable(context.Background(), serial); emeterai.ClassOf(err) != emeterai.NeedsPerson {
		t.Error(err)
	}
}

func TestLostPictureIsForAPersonWhereItCannotBeHadAgain(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{Rules: []sandbox.Rule{onceRule(sandbox.CallBuy, sandbox.FaultLost, "")}})
	o := b.driverOptions(Adapter)
	o.Picture = ""
	problems, done := b.runOrder(b.openDriver(o), "a", false)
	if last := problems[len(problems)-1]; done || last.Class != emeterai.NeedsPerson || last.Code != emeterai.CodePicture {
		t.Errorf("%v", problems)
	}
}

func TestLeftoversInTheSharedFolderAreSweptOnceTheyAreOld(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	dir := filepath.Join(b.dir, "shared")
	old := time.Now().Add(-3 * time.Hour)
	for name, at := range map[string]time.Time{"segel-old.pdf": old, "segel-new.pdf": time.Now(), "theirs.pdf": old} {
		requireNoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		requireNoError(t, os.Chtimes(filepath.Join(dir, name), at, at))
	}
	b.openDriver(b.driverOptions(Adapter))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	requireNoError(t, err)
	if got := strings.Join(left, " "); len(left) != 2 || strings.Contains(got, "segel-old") {
		t.Errorf("left are %s", got)
	}
}

func TestKindTheOfficeDoesNotHaveSpendsNothing(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	order := emeteraitest.NewOrder("a")
	order.Kind = "poem"
	_, err := b.openDriver(b.driverOptions(Adapter)).BuySerial(context.Background(), order)
	if emeterai.ClassOf(err) != emeterai.Config || !strings.Contains(err.Error(), "4b (Surat Perjanjian)") {
		t.Errorf("%v", err)
	}
	b.requireSpent(0)
}

func TestOtherBytesThanThoseBoundAreNotSent(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Adapter, Cloud} {
		b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
		d := b.openDriver(b.driverOptions(form))
		r := emeteraitest.NewRequest(t, emeteraitest.BuySerial(t, d, "a"), pdftest.Table(1))
		r.Digest[0] ^= 1
		if _, err := d.Stamp(context.Background(), r); emeterai.ClassOf(err) != emeterai.Permanent {
			t.Errorf("%s: %v", form, err)
		}
		if got, err := d.SerialStatus(context.Background(), r.Serial); err != nil || got != emeterai.Unused {
			t.Errorf("%s: %s, %v", form, got, err)
		}
	}
}

func TestNeitherTokenNorPasswordIsShown(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	d := b.openDriver(b.driverOptions(Adapter))
	_, err := d.Balance(context.Background())
	requireNoError(t, err)
	token := d.session.currentToken().token
	if got := d.redactText("jwToken " + token + "\npassword " + secret + "\x00"); got != "jwToken *** password ***" {
		t.Errorf("%q", got)
	}
}

func TestStampedFileIsFetchedFromTheOfficeAlone(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	d := b.openDriver(b.driverOptions(Cloud))
	at := &address{url: b.http.URL}
	if got, err := d.resolveFileURL(at, "/files/a"); err != nil || got != b.http.URL+"/files/a" {
		t.Errorf("%q, %v", got, err)
	}
	for _, where := range []string{"", "https://evil.example/a", "//evil.example/a", "http://u:p@" + strings.TrimPrefix(b.http.URL, "http://"), "file:///etc/passwd", ":"} {
		if got, err := d.resolveFileURL(at, where); err == nil {
			t.Errorf("%q leads to %s", where, got)
		}
	}
}
