package notify_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/notify/compose"
	"segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/text"
)

// delivery is a service on a database, with the mails that its server accepted.
type delivery struct {
	*notify.Service
	store *flakyStore
	now   time.Time
	down  bool // no server answers

	sending func() // runs while a mail is sent; nil: nothing

	sent []notify.Message
	id   contract.DocumentID
}

// flakyStore is a store that can fail to record results.
type flakyStore struct {
	*sqlstore.Store
	failEnd error
}

func (s *flakyStore) EndTry(ctx context.Context, n contract.Notice, events ...contract.Event) error {
	if err := s.failEnd; err != nil {
		s.failEnd = nil
		return err
	}
	return s.Store.EndTry(ctx, n, events...)
}

func (d *delivery) Send(_ context.Context, m notify.Message) error {
	if d.down {
		return errors.New("connection refused")
	}
	d.sent = append(d.sent, m)
	if d.sending != nil {
		d.sending()
	}
	return nil
}

func (d *delivery) MailedLink(context.Context, contract.DocumentID, contract.PersonID) (string, error) {
	return "https://segel.example.test/guest#secret", nil
}

func (d *delivery) MailedCode(context.Context, *contract.Document, contract.PersonID, time.Time) (string, time.Time, error) {
	return "", time.Time{}, contract.ErrCodeEnded
}

// newDelivery returns a service with a document that has notices to two signers. Change adjusts the document first.
func newDelivery(t *testing.T, change ...func(*contract.Document)) *delivery {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), storetest.SQLite(t, sqlstore.Migrate), sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &delivery{store: &flakyStore{Store: s}, now: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)}
	if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: "org", Name: "PT Contoh", CreatedAt: d.now}); err != nil {
		t.Fatal(err)
	}
	person := func(id string) contract.Person {
		return contract.Person{ID: contract.PersonID(id), Name: id, Email: id + "@example.test"}
	}
	owner := contract.Actor{Person: person("owner"), Organisation: "org"}
	draft := contract.Document{
		Organisation: "org", Owner: owner.Person, Name: "sewa", Title: "Sewa", State: contract.Processing, Mode: contract.Signing, Parallel: true, Pages: 2,
		CreatedAt: d.now, FinalizedAt: d.now,
		Participants: []contract.Participant{
			{Person: person("siti"), Role: contract.Signer, Number: 1}, {Person: person("budi"), Role: contract.Signer, Number: 2, Guest: true},
		},
	}
	for _, f := range change {
		f(&draft)
	}
	made, err := s.Commit(t.Context(), contract.Change{After: draft, At: d.now})
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Remind(&made, owner, d.now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	d.id = made.ID
	d.Service = &notify.Service{
		Store: d.store, Composer: compose.Composer{}, Links: d, Sender: d, PublicURL: "https://segel.example.test", Language: text.English,
		Clock: func() time.Time { return d.now }, Log: slog.New(slog.DiscardHandler),
	}
	d.From.Address = "segel@example.test"
	return d
}

// run delivers until nothing is left, and moves the clock to each time at which it wants to go on.
func (d *delivery) run(t *testing.T) (calls int) {
	t.Helper()
	for calls = 1; calls < 200; calls++ {
		err := d.Deliver(t.Context(), d.id)
		var later *contract.Later
		switch {
		case err == nil:
			return calls
		case errors.As(err, &later):
			d.now = d.now.Add(later.After)
			if d.down && d.now.Hour() >= 9 {
				d.down = false
			}
		}
	}
	t.Fatal("it never ends")
	return calls
}

func (d *delivery) recipients() (all []string) {
	for _, m := range d.sent {
		all = append(all, m.To.Address)
	}
	return all
}

func (d *delivery) states(t *testing.T) (all []contract.NoticeState) {
	t.Helper()
	p, err := d.store.ListNotices(t.Context(), store.NoticeQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range p.Notices {
		all = append(all, n.State)
	}
	return all
}

// TestANoticeThatIsHeldByTheDatabasesClockIsTriedAgainSoon has a process whose clock is ahead: by its clock the try of another one has taken too long.
func TestANoticeThatIsHeldByTheDatabasesClockIsTriedAgainSoon(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	n, err := process.JoinNodes(t.Context(), d.store, store.Node{}, nil, process.NewClock(time.Now, 0), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Leave(); err != nil {
			t.Error(err)
		}
	}()
	working, end := n.Term().Begin(t.Context())
	defer end()
	ordered, err := d.store.OrderedNotices(t.Context(), d.id)
	if err != nil || len(ordered) == 0 {
		t.Fatalf("%+v, %v", ordered, err)
	}
	for _, held := range ordered {
		if _, err := d.store.BeginTry(working, held, "siti@example.test", d.now, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	d.now = d.now.Add(time.Hour)
	var again *contract.Later
	if err := d.Deliver(t.Context(), d.id); !errors.As(err, &again) || again.After <= 0 || again.After > 10*time.Second {
		t.Errorf("while another process sends them: %v", err)
	}
	if len(d.sent) != 0 {
		t.Errorf("%d messages were sent that another process is sending", len(d.sent))
	}
	if err := d.store.EndNode(t.Context(), n.Name()); err != nil {
		t.Fatal(err)
	}
	if err := d.Deliver(t.Context(), d.id); err != nil || len(d.sent) != len(ordered) {
		t.Errorf("after the end of that process: %d messages, %v", len(d.sent), err)
	}
}

// panickingComposer panics at messages to a person.
type panickingComposer struct {
	compose.Composer
	person contract.PersonID
}

func (c panickingComposer) Compose(f notify.Facts) (notify.Message, error) {
	if f.Recipient.ID == c.person {
		panic("no text")
	}
	return c.Composer.Compose(f)
}

func TestANoticeThatPanicsIsTriedWithPausesAndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.Composer = panickingComposer{person: "siti"}
	var later *contract.Later
	if err := d.Deliver(t.Context(), d.id); !errors.As(err, &later) || later.After != time.Minute {
		t.Errorf("after the first try: %v", err)
	}
	if got := d.recipients(); !slices.Equal(got, []string{"budi@example.test"}) {
		t.Errorf("sent to %v", got)
	}
	d.run(t)
	if got := d.states(t); !slices.Equal(got, []contract.NoticeState{contract.NoticeSent, contract.NoticeFailed}) {
		t.Errorf("in the end: %v", got)
	}
}

func TestNothingIsLostWhileNoServerAnswersForAnHour(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.down = true
	if calls := d.run(t); calls < 5 || calls > 20 {
		t.Errorf("it went on %d times", calls)
	}
	if got := d.recipients(); !slices.Equal(got, []string{"siti@example.test", "budi@example.test"}) {
		t.Errorf("mails went to %v", got)
	}
	if got := d.states(t); !slices.Equal(got, []contract.NoticeState{contract.NoticeSent, contract.NoticeSent}) {
		t.Errorf("states: %v", got)
	}
}

func TestACrashBetweenSendingAndRecordingSendsTheSameMailOnceMore(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.store.failEnd = errors.New("killed")
	if err := d.Deliver(t.Context(), d.id); err == nil {
		t.Fatal("the failure was not reported")
	}
	d.run(t)
	if got := d.recipients(); !slices.Equal(got, []string{"siti@example.test", "budi@example.test", "siti@example.test"}) {
		t.Fatalf("mails went to %v", got)
	}
	if d.sent[0].ID != d.sent[2].ID || d.sent[0].ID == d.sent[1].ID {
		t.Errorf("Message-IDs: %s, %s, %s", d.sent[0].ID, d.sent[1].ID, d.sent[2].ID)
	}
}

func TestAnotherJobThatRunsMeanwhileSendsNoSecondMail(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	again := true
	d.sending = func() {
		if !again {
			return
		}
		again = false
		var later *contract.Later
		if err := d.Deliver(t.Context(), d.id); !errors.As(err, &later) {
			t.Errorf("the job that runs meanwhile: %v", err)
		}
	}
	d.run(t)
	if got := d.recipients(); len(got) != 2 {
		t.Errorf("mails went to %v", got)
	}
}

func TestWhoHasActedMeanwhileGetsNoReminder(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	doc, err := d.store.Document(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	after := doc
	after.Participants = slices.Clone(doc.Participants)
	after.Participants[0].SignedAt = d.now
	if _, err := d.store.Commit(t.Context(), contract.Change{Before: &doc, After: after, At: d.now}); err != nil {
		t.Fatal(err)
	}
	d.run(t)
	if got := d.recipients(); !slices.Equal(got, []string{"budi@example.test"}) {
		t.Errorf("mails went to %v", got)
	}
	if got := d.states(t); !slices.Contains(got, contract.NoticeDropped) {
		t.Errorf("states: %v", got)
	}
	if link := d.sent[0].Link; link != "https://segel.example.test/guest#secret" {
		t.Errorf("the guest's mail leads to %s", link)
	}
}

func TestNoticesThatNoServerTakesForThreeDaysFail(t *testing.T) {
	t.Parallel()
	d := newDelivery(t)
	d.Sender = refusing{}
	began := d.now
	d.run(t)
	if took := d.now.Sub(began); took < 71*time.Hour || took > 75*time.Hour {
		t.Errorf("it was tried for %s", took)
	}
	if got := d.states(t); !slices.Equal(got, []contract.NoticeState{contract.NoticeFailed, contract.NoticeFailed}) {
		t.Errorf("states: %v", got)
	}
	notices, err := d.store.NoticesOf(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notices {
		if n.Problem != "notice.too_long: 451 try again later" {
			t.Errorf("the problem is %q", n.Problem)
		}
	}
	events, err := d.store.Events(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, e := range events {
		if e.Type == contract.EventNoticeRefused {
			refused++
			if e.Details["reason"] != "notice.too_long" {
				t.Errorf("people of the document read %q", e.Details["reason"])
			}
		}
	}
	if refused != 2 {
		t.Errorf("%d events", refused)
	}
}

// refusing is a sender that no server takes mail from, for now.
type refusing struct{}

func (refusing) Send(context.Context, notify.Message) error {
	return &notify.Unsent{Said: "451 try again later", Err: errors.New("451 try again later")}
}

func TestMessagesOfASuspendedOrganisationWaitAndThoseOfAClosedOneAreDropped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hours int // of the suspension
		last  contract.OrganisationState
		want  contract.NoticeState
	}{
		{20, contract.OrganisationActive, contract.NoticeSent}, {20, contract.OrganisationClosed, contract.NoticeDropped},
		{25, contract.OrganisationActive, contract.NoticeDropped}, // they are reminders
	} {
		last, want := c.last, c.want
		d := newDelivery(t)
		set := func(to contract.OrganisationState) {
			t.Helper()
			if err := d.store.SetOrganisationState(t.Context(), "org", to, "", contract.Event{Type: contract.EventOrganisationSuspended, At: d.now}); err != nil {
				t.Fatal(err)
			}
		}
		set(contract.OrganisationSuspended)
		for range c.hours {
			var later *contract.Later
			if err := d.Deliver(t.Context(), d.id); !errors.As(err, &later) || later.After != time.Hour {
				t.Fatalf("a suspended organisation: %v", err)
			}
			d.now = d.now.Add(later.After)
		}
		if c.hours > 24 {
			d.run(t) // they end while the organisation is suspended
		}
		set(last)
		d.run(t)
		notices, err := d.store.NoticesOf(t.Context(), d.id)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range notices {
			if n.State != want {
				t.Errorf("then %q: a message is %s: %s", last, n.State, n.Problem)
			}
		}
		if sent := len(d.sent) > 0; sent != (want == contract.NoticeSent) {
			t.Errorf("then %q: %d mails were sent", last, len(d.sent))
		}
	}
}

// keptSender keeps the last mail.
type keptSender struct{ last notify.Message }

func (s *keptSender) Send(_ context.Context, m notify.Message) error { s.last = m; return nil }

func TestIdentifiersOfMailsAreThoseOfTheStandard(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"https://segel.example.com/kontrak": "1@segel.example.com", "http://192.0.2.7:8080": "1@192.0.2.7", "http://[2001:db8::7]:8080": "1@localhost", "": "1@localhost",
	} {
		var kept keptSender
		s := &notify.Service{Sender: &kept, PublicURL: public}
		if err := s.SendPlain(t.Context(), contract.Person{Email: "andi@example.test"}, "1", "Perihal", "Isi"); err != nil || kept.last.ID != want {
			t.Errorf("%q: %q, %v", public, kept.last.ID, err)
		}
	}
}
