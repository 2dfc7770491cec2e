package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/mail"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// letter is a document that a guest is invited to sign, and that is canceled later.
type letter struct {
	mailbox string
	id      int64 // once uploaded
}

// ordersPerLetter is how many orders there are for each letter.
const ordersPerLetter = 4

// sendLetter uploads a letter and finalizes it, which invites the guest. It repeats what was not answered.
func (c *client) sendLetter(ctx context.Context, l *letter) (err error) {
	if l.id, _, err = c.uploadFile(ctx, "surat.pdf", pdftest.PDFA(1), guest{l.mailbox, "signer"}); err != nil {
		return err
	}
	_, err = c.postUntilAnswered(ctx, running.SignPath+"finalize-docs", object{"document_id": l.id}, nil)
	return err
}

// cancelLetter cancels a letter, unless it is nil.
func (c *client) cancelLetter(ctx context.Context, l *letter) error {
	if l == nil {
		return nil
	}
	_, err := c.postUntilAnswered(ctx, running.SignPath+"cancel-docs", object{"document_id": l.id, "reason": "Batal"}, nil)
	return err
}

// disturbances are the times at which the service was killed, and at which an outage began or ended.
type disturbances struct {
	mu  sync.Mutex // guards all
	all []time.Time
}

func (d *disturbances) addNow() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, time.Now())
}

func (d *disturbances) copyTimes() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.all)
}

// receipt is one mail that the mail server accepted.
type receipt struct {
	id, to string // of the notice, and the mailbox
	at     time.Time
}

// mailServer accepts mails. It refuses one mail in ten when it first arrives, for the time being: the pauses after several tries are long.
type mailServer struct {
	address  string
	accepted func() // called after a mail was accepted, before the answer; set before the first mail
	server   *smtp.Server

	mu       sync.Mutex // guards the rest
	random   *rand.Rand
	receipts []receipt
	known    map[string]bool // mails that arrived before
	refused  int
	broken   []string // mails that cannot be read
}

// startMailServer starts a mail server on a free port.
func startMailServer(seed uint64) (*mailServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mailServer{address: l.Addr().String(), random: rand.New(rand.NewPCG(seed, 4)), known: map[string]bool{}}
	m.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{server: m}, nil }))
	m.server.Domain, m.server.ErrorLog = "localhost", discardedErrors{}
	go func() { _ = m.server.Serve(l) }() // ends with an error when it is closed
	return m, nil
}

func (m *mailServer) close() error { return m.server.Close() }

// discardedErrors discards what the mail server reports of connections that are cut: the service dies often.
type discardedErrors struct{}

func (discardedErrors) Printf(string, ...any) {}
func (discardedErrors) Println(...any)        {}

type mailSession struct {
	server *mailServer
	to     string
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error      { return nil }
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error { s.to = to; return nil }
func (s *mailSession) Reset()                                    {}
func (s *mailSession) Logout() error                             { return nil }

// Data takes one mail.
func (s *mailSession) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err // the service died while it sent
	}
	parsed, err := mail.ReadMessage(strings.NewReader(string(b)))
	id := ""
	if err == nil {
		id, _, _ = strings.Cut(strings.Trim(parsed.Header.Get("Message-Id"), "<>"), "@")
	}
	if !s.server.take(id, s.to, err) {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "try again later"}
	}
	s.server.accepted()
	return nil
}

// take takes a mail, and reports whether it accepts it.
func (m *mailServer) take(id, to string, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil || id == "" {
		m.broken = append(m.broken, fmt.Sprintf("to %s: %v", to, err))
	}
	first := !m.known[id]
	m.known[id] = true
	if first && m.random.Float64() < lose {
		m.refused++
		return false
	}
	m.receipts = append(m.receipts, receipt{id, to, time.Now()})
	return true
}

// waitMailed waits until no notice is still to be delivered.
func (t *trial) waitMailed(ctx context.Context) error {
	began, last, had := time.Now(), time.Now(), -1
	for {
		b, err := readRecords(t.databaseAddress())
		if err != nil {
			return err
		}
		left := 0
		for _, n := range b.notices {
			if n.state == "ordered" {
				left++
			}
		}
		if left == 0 {
			fmt.Fprintf(os.Stderr, "all mails delivered %s later\n", time.Since(began).Round(time.Second))
			return nil
		}
		if left != had {
			last, had = time.Now(), left
		}
		if time.Since(last) > undelivered {
			return nil // the rest counts as lost
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// afterDisturbance is how long after a kill or an outage the service may still lack what it needs to record a result.
const afterDisturbance = 10 * time.Second

// compareMails compares the notices with the mails that were accepted: each notice at least once, and again only if the service was
// disturbed between the two. Of several nodes one may be paused in the middle of an invitation, another one mails that the document was canceled,
// and the invitation arrives when the first goes on.
func (m *mailServer) compareMails(notices map[string]noticeRow, orders []*order, disturbed []time.Time, several bool) resultTable {
	m.mu.Lock()
	defer m.mu.Unlock()
	byID, byMailbox := map[string][]receipt{}, map[string]int{}
	for _, r := range m.receipts {
		byID[r.id] = append(byID[r.id], r)
		byMailbox[r.to]++
	}
	disturbedBetween := func(a, b time.Time) bool {
		return slices.ContainsFunc(disturbed, func(t time.Time) bool { return t.Before(b) && t.Add(afterDisturbance).After(a) })
	}
	var lost, unknown, repeated, late, unreached []string
	var ended = map[int64]time.Time{} // when the mail of a cancelation first arrived
	twice, more, dropped := 0, 0, 0
	for id, n := range notices {
		all := byID[id]
		said := fmt.Sprintf("%s (%s of document %d, %s, to %s)", id, n.kind, n.document, n.state, n.address)
		switch {
		case n.state == "dropped" && n.kind == "invite_sign":
			dropped++ // the letter was canceled before
		case n.state != "sent" || len(all) == 0:
			lost = append(lost, said)
		}
		switch len(all) {
		case 0, 1:
		case 2:
			twice++
		default:
			more++
		}
		for i, r := range all {
			if r.to != n.address {
				unknown = append(unknown, said+" arrived at "+r.to)
			}
			if i > 0 && !disturbedBetween(all[i-1].at, r.at) {
				repeated = append(repeated, said)
			}
		}
		if n.kind == "canceled" && len(all) > 0 {
			ended[n.document] = all[0].at
		}
	}
	for id, all := range byID {
		n, known := notices[id]
		if !known {
			unknown = append(unknown, id+" to "+all[0].to)
		}
		if end, ok := ended[n.document]; ok && n.kind == "invite_sign" && all[len(all)-1].at.After(end) && !(several && disturbedBetween(end, all[len(all)-1].at)) {
			late = append(late, fmt.Sprintf("document %d", n.document))
		}
	}
	for _, o := range orders {
		if o.state == "completed" && byMailbox[o.witness] == 0 {
			unreached = append(unreached, o.witness)
		}
		if o.letter != nil && byMailbox[o.letter.mailbox] == 0 {
			unreached = append(unreached, o.letter.mailbox)
		}
	}
	var p resultTable
	p.addFigure("notices; mails accepted; refused for the time being", "%d; %d; %d", len(notices), len(m.receipts), m.refused)
	p.addFigure("mails accepted twice; more often; invitations dropped because the document was canceled before", "%d; %d; %d", twice, more, dropped)
	p.addZeroCount("**notices that were not mailed**", lost)
	p.addZeroCount("**people who got no mail**", unreached)
	p.addZeroCount("**mails repeated though the service was not disturbed in between**", repeated)
	p.addZeroCount("invitations that arrived after the cancelation", late)
	p.addZeroCount("mails that no notice ordered, or at another address", unknown)
	p.addZeroCount("mails that cannot be read", m.broken)
	return p
}
