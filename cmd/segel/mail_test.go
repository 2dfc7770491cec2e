package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"segel/internal/config"
	"segel/internal/contract"
)

// mailServer is a mail server in this process, and the mails that it accepted.
type mailServer struct {
	address string

	mu       sync.Mutex
	received []receivedMail
	arrived  chan struct{} // closed and replaced with each mail
	holding  chan struct{} // until it is closed, mails are received and not answered; nil: they are answered at once
	held     []string      // Message-IDs of mails that were received since holding began
	hello    string        // how the last client introduced itself
	busy     string        // a mailbox that takes no mail for now; empty: none
}

// hold has the server answer no mail until answer is called.
func (m *mailServer) hold() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holding, m.held = make(chan struct{}), nil
}

// answer has the server accept the mails that it holds and those that follow.
func (m *mailServer) answer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holding != nil {
		close(m.holding)
		m.holding = nil
	}
}

// heldMails returns the Message-IDs of mails that were received since holding began, and a channel that is closed with the next mail.
func (m *mailServer) heldMails() (ids []string, arrived <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.held), m.arrived
}

// awaitMail waits for a mail with that identifier.
func (m *mailServer) awaitMail(t *testing.T, id string) {
	t.Helper()
	for deadline := time.After(nodeWait); ; {
		m.mu.Lock()
		found, arrived := slices.ContainsFunc(m.received, func(r receivedMail) bool { return r.id == id }), m.arrived
		m.mu.Unlock()
		if found {
			return
		}
		select {
		case <-arrived:
		case <-deadline:
			t.Fatalf("mail %s did not arrive", id)
		}
	}
}

type receivedMail struct{ to, id, subject, body, raw, from string } // raw: the body before it is decoded; from: the envelope sender

// startMailServer starts a mail server and returns it with the settings of a service that uses it.
func startMailServer(t *testing.T) (*mailServer, []string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailServer{address: l.Addr().String(), arrived: make(chan struct{})}
	server := gosmtp.NewServer(gosmtp.BackendFunc(func(c *gosmtp.Conn) (gosmtp.Session, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.hello = c.Hostname()
		return &mailSession{server: m}, nil
	}))
	server.Domain = "mail.example.test"
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // ends with an error when it is closed
	}()
	t.Cleanup(func() {
		m.answer()
		_ = server.Close()
		_ = l.Close() // which the server does not know yet if it has just begun
		<-ended
	})
	return m, []string{
		"SEGEL_MAIL_SERVERS", "smtp://" + m.address + "?tls=none", "SEGEL_MAIL_FROM", "segel@example.test", "SEGEL_MAIL_LANGUAGE", "en",
		"SEGEL_OUTBOUND_PRIVATE", "127.0.0.0/8",
	}
}

type mailSession struct {
	server *mailServer
	to     string
	from   string
}

func (s *mailSession) Mail(from string, _ *gosmtp.MailOptions) error { s.from = from; return nil }
func (s *mailSession) Reset()                                        {}
func (s *mailSession) Logout() error                                 { return nil }

func (s *mailSession) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	if strings.HasPrefix(to, "unknown@") {
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		s.server.note(receivedMail{to: to})
		return &gosmtp.SMTPError{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if to == s.server.busy {
		return &gosmtp.SMTPError{Code: 452, EnhancedCode: gosmtp.EnhancedCode{4, 2, 2}, Message: "mailbox full"}
	}
	s.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(m.Body)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(raw)))
	if err != nil { // it has parts in Base64
		body = bytes.ReplaceAll(raw, []byte("=\r\n"), nil)
	}
	s.server.mu.Lock()
	holding := s.server.holding
	if holding != nil {
		s.server.held = append(s.server.held, m.Header.Get("Message-Id"))
	}
	s.server.note(receivedMail{s.to, m.Header.Get("Message-Id"), m.Header.Get("Subject"), string(body), string(raw), s.from})
	s.server.mu.Unlock()
	if holding != nil {
		<-holding
	}
	return nil
}

// note keeps a mail, or a refused address, and wakes those who wait. The caller holds mu.
func (m *mailServer) note(r receivedMail) {
	m.received = append(m.received, r)
	close(m.arrived)
	m.arrived = make(chan struct{})
}

// mailTo waits for the mail number n to a mailbox, counted from 1.
func (m *mailServer) mailTo(t *testing.T, mailbox string, n int) receivedMail {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		m.mu.Lock()
		all, arrived := m.to(mailbox), m.arrived
		m.mu.Unlock()
		if len(all) >= n {
			return all[n-1]
		}
		select {
		case <-arrived:
		case <-deadline:
			t.Fatalf("%s got %d mails, want %d", mailbox, len(all), n)
		}
	}
}

func (m *mailServer) to(mailbox string) (all []receivedMail) {
	for _, r := range m.received {
		if r.to == mailbox {
			all = append(all, r)
		}
	}
	return all
}

var mailedLink = regexp.MustCompile(`http://\S+/guest#sgl_ml_[0-9A-Za-z]+`)

func (m receivedMail) guestLink(t *testing.T) string {
	t.Helper()
	link := mailedLink.FindString(m.body)
	if link == "" {
		t.Fatalf("no link of a guest in %.2000s", m.body)
	}
	return link
}

// openLink logs a guest in with a link.
func (s *service) openLink(t *testing.T, link string) *client {
	t.Helper()
	c := &client{service: s, t: t}
	c.token = c.do("POST", "/v1/auth/guest", object{"link": link}).ok().object("data")["token"].(string)
	return c
}

// TestMailServersAreGreetedWithTheHostOfThePublicAddress checks what servers compare that refuse clients who call themselves localhost.
func TestMailServersAreGreetedWithTheHostOfThePublicAddress(t *testing.T) {
	t.Parallel()
	mails, set := startMailServer(t)
	for public, want := range map[string]string{
		"https://segel.example.com": "segel.example.com", "https://example.com:8443/segel": "example.com",
		"http://192.0.2.7:8080": "[192.0.2.7]", "http://[2001:db8::7]": "[IPv6:2001:db8::7]", "": "localhost",
	} {
		env := []string{"SEGEL_PUBLIC_URL=" + public}
		for pair := range slices.Chunk(set, 2) {
			env = append(env, pair[0]+"="+pair[1])
		}
		conf, err := config.Load(env, nil)
		if err != nil {
			t.Fatal(err)
		}
		sender, servers, err := newMailSender(conf)
		if err != nil {
			t.Fatal(err)
		}
		if err := sender.CheckServer(t.Context(), servers[0]); err != nil {
			t.Fatalf("%s: %v", public, err)
		}
		mails.mu.Lock()
		if mails.hello != want {
			t.Errorf("%q: the server was greeted by %q, want %q", public, mails.hello, want)
		}
		mails.mu.Unlock()
	}
}

func TestConfigReportsEveryMailServerThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	env := []string{
		"SEGEL_MAIL_FROM=segel@example.test", "SEGEL_LISTEN=127.0.0.1:0",
		"SEGEL_MAIL_SERVERS=smtp://u:s3cret@mail.example.com/path,smtp://mail.example.com:587,smtp://u:s3cret@mail.example.com?starttls=no,smtps://mail.example.com?tls=none",
	}
	status, _, stderr := runHere(t, env, "config")
	for _, want := range []string{"SEGEL_MAIL_SERVERS: number 1: mail server: path", "number 3: mail server: the only parameter is tls", "number 4: mail server: tls is"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if status == 0 || strings.Contains(stderr, "number 2") || strings.Contains(stderr, "s3cret") {
		t.Errorf("status %d, %s", status, stderr)
	}
	data := filepath.Join(t.TempDir(), "data")
	if status, _, stderr := runHere(t, env, "serve", "--data", data); status == 0 || !strings.Contains(stderr, "number 1: mail server") {
		t.Errorf("serve: status %d, %s", status, stderr)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a start that fails created the data folder: %v", err)
	}
}

// noticeKinds returns the messages to a person on a document, as "kind status".
func (c *client) noticeKinds(id int64, email string) (all []string) {
	c.t.Helper()
	for _, s := range c.get("signers", id).ok().object("data")["signer"].([]any) {
		if s := s.(object); s["email"] == email {
			for _, n := range s["mail"].([]any) {
				all = append(all, n.(object)["kind"].(string)+" "+n.(object)["status"].(string))
			}
		}
	}
	slices.Sort(all)
	return all
}

func TestAContractIsSignedByMailAlone(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	second := s.person(t, "Dewi Lestari", "PT Sari")
	id := owner.uploadWith(object{
		"document_title": "Sewa Ruko",
		"guest":          object{"name": "Budi Santoso", "email": "budi@example.test", "role": "signer", "number": 1},
		"signer":         []any{second.as("signer", 2)},
	}, simple())
	owner.verb("finalize-docs", id).ok()
	invitation := server.mailTo(t, "budi@example.test", 1)
	if !strings.Contains(invitation.subject, "Sewa Ruko") || !strings.Contains(invitation.body, "Sari Wulandari") {
		t.Errorf("the invitation: %s\n%.1500s", invitation.subject, invitation.body)
	}
	owner.verb("remind-docs", id).ok()
	reminder := server.mailTo(t, "budi@example.test", 2)
	if reminder.guestLink(t) != invitation.guestLink(t) || reminder.id == invitation.id {
		t.Error("the reminder has another link, or the identifier of the invitation")
	}
	if len(server.to(second.email)) != 0 {
		t.Error("the second signer is invited before their turn")
	}
	guest := s.openLink(t, invitation.guestLink(t))
	guest.verb("sign-docs", id).is(403, "guest.code_required")
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", server.mailTo(t, "budi@example.test", 3).code(t)).ok()
	guest.verb("sign-docs", id).ok()
	server.mailTo(t, second.email, 1)
	second.verb("sign-docs", id).ok()
	owner.completed(id)
	for mailbox, n := range map[string]int{owner.email: 1, second.email: 2, "budi@example.test": 4} {
		if done := server.mailTo(t, mailbox, n); !strings.Contains(done.subject, "Sewa Ruko") {
			t.Errorf("to %s: %s", mailbox, done.subject)
		}
	}
	s.stopJobs(t) // with their results
	if got := fmt.Sprint(owner.noticeKinds(id, "budi@example.test")); got != "[code sent completed sent invite_sign sent reminder sent]" {
		t.Errorf("messages to the guest: %s", got)
	}
	sent := 0
	events, err := s.store.Events(context.Background(), contract.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == contract.EventNoticeSent {
			sent++
		}
	}
	if sent != 7 {
		t.Errorf("the audit trail has %d messages, want 7", sent)
	}
	if status, said := s.command(t, "", "mail", "list"); status != 0 || strings.Count(said, " sent ") != 7 {
		t.Errorf("mail list: %d %s", status, said)
	}
}

func TestARefusedMailboxIsShownToTheOwner(t *testing.T) {
	t.Parallel()
	server, set := startMailServer(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": object{"name": "Budi", "email": "unknown@example.test", "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", id).ok()
	server.mailTo(t, "unknown@example.test", 1)
	s.stopJobs(t) // with their results
	if got := fmt.Sprint(owner.noticeKinds(id, "unknown@example.test")); got != "[invite_sign failed]" {
		t.Errorf("messages: %s", got)
	}
	admin := s.firstAdmin(t)
	lines := admin.do("GET", "/v1/admin/mail?status=failed", nil).ok().object("data")["mail"].([]any)
	if len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0].(object)["notice"]), "no such mailbox") {
		t.Errorf("failed messages: %v", lines)
	}
}

func TestAMailThatIsReturnedLaterIsShownToTheOwner(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		server, mailing := startMailServer(t)
		set = slices.Concat(set, mailing, []string{"SEGEL_MAIL_BOUNCES", "retur@exämple.test"})
		s := start(t, set...)
		owner := s.person(t, "Sari Wulandari", "PT Sari")
		id := owner.uploadWith(object{"guest": object{"name": "Budi", "email": budi, "role": "signer", "number": 1}}, simple())
		owner.verb("finalize-docs", id).ok()
		sent := server.mailTo(t, budi, 1)
		if !strings.HasPrefix(sent.from, "retur+") || !strings.HasSuffix(sent.from, "@xn--exmple-cua.test") {
			t.Fatalf("the envelope sender is %s", sent.from)
		}
		s.stopJobs(t) // with their results
		bounce := func(to string, args ...string) (status int, said string) {
			t.Helper()
			var out bytes.Buffer
			w := &environment{ctx: t.Context(), stdout: &out, stderr: &out}
			for i := 0; i < len(set); i += 2 {
				w.env = append(w.env, set[i]+"="+set[i+1])
			}
			w.stdin = strings.NewReader("To: " + to + "\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" +
				"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 mailbox closed\n\n--b--\n")
			return w.runCommand(append([]string{"mail", "bounce", "--data", s.conf.DataDir}, args...)), out.String()
		}
		forged := strings.Replace(sent.from, "@", "a@", 1)
		if status, said := bounce(forged); status != 0 || !strings.Contains(said, "nothing was recorded") {
			t.Errorf("a forged one: %d: %s", status, said)
		}
		if got := fmt.Sprint(owner.noticeKinds(id, budi)); got != "[invite_sign sent]" {
			t.Errorf("messages: %s", got)
		}
		if status, said := bounce("postmaster@example.test", "--to", sent.from); status != 0 || !strings.Contains(said, "is failed") {
			t.Errorf("%d: %s", status, said)
		}
		if status, said := bounce(sent.from); status != 0 || !strings.Contains(said, "is failed") {
			t.Errorf("repeated: %d: %s", status, said)
		}
		if got := fmt.Sprint(owner.noticeKinds(id, budi)); got != "[invite_sign failed]" {
			t.Errorf("messages: %s", got)
		}
		admin := s.administrator(t, "Admin", "PT Sari")
		if got := admin.do("GET", "/v1/events?types=mail.bounced", nil).ok().object("data")["events"].([]any); len(got) != 1 {
			t.Errorf("%d events", len(got))
		}
		if lines := admin.do("GET", "/v1/admin/mail?status=failed", nil).ok().object("data")["mail"].([]any); len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0]), "mailbox closed") {
			t.Errorf("failed messages: %v", lines)
		}
		fsck(t, s, 0)
	})
}

func TestWithoutAMailServerAnOperatorPassesMessagesOn(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": object{"name": "Budi", "email": "budi@example.test", "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", id).ok()
	if got := fmt.Sprint(owner.noticeKinds(id, "budi@example.test")); got != "[invite_sign kept]" {
		t.Fatalf("messages: %s", got)
	}
	admin := s.firstAdmin(t)
	list := admin.do("GET", "/v1/admin/mail", nil).ok().object("data")
	if list["mail_server"] != false || len(list["mail"].([]any)) != 1 {
		t.Fatalf("messages: %v", list)
	}
	path := "/v1/admin/mail/" + list["mail"].([]any)[0].(object)["id"].(string)
	owner.do("GET", path, nil).is(403)
	message := admin.do("GET", path, nil).ok().object("data")
	link := message["link"].(string)
	if !strings.Contains(message["text"].(string), link) || !strings.Contains(message["html"].(string), link) {
		t.Error("the message lacks its link")
	}
	admin.do("PUT", path+"/ordered", nil).is(409, "notice.no_mail_server")
	admin.do("GET", "/v1/admin/mail/01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61", nil).is(404, "notice.not_found")
	status, said := s.command(t, "", "mail", "show", strings.TrimPrefix(path, "/v1/admin/mail/"))
	if status != 0 || !strings.Contains(said, link[strings.Index(link, "#"):]) {
		t.Errorf("mail show: %d %s", status, said)
	}
	// The link works, also beside one that the owner hands out, until it is revoked.
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	owner.guest(id, person)
	guest := s.openLink(t, link)
	guest.verb("sign-docs", id).ok()
	owner.verb("guest-revoke-docs", id, "user_id", person).ok()
	(&client{service: s, t: t}).do("POST", "/v1/auth/guest", object{"link": link}).is(404, "guest.link_revoked")
	guest.get("detail", id).is(401)
	admin.do("GET", path, nil).is(404, "guest.link_revoked")
	handedOut := 0
	events, err := s.store.Events(context.Background(), contract.DocumentID(id))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == contract.EventGuestLink && e.Details["proof"] == "none: handed out by the operator" {
			handedOut++
		}
	}
	if handedOut != 2 { // by the interface and by the command
		t.Errorf("the audit trail says %d times that an operator handed out the link", handedOut)
	}
}

func TestALinkThatIsWrittenIntoTheDatabaseOpensNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": object{"name": "Budi", "email": "budi@example.test", "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", id).ok()
	person := contract.PersonID(owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string))
	link, err := s.identity.MailedLink(context.Background(), contract.DocumentID(id), person)
	if err != nil {
		t.Fatal(err)
	}
	s.openLink(t, link)
	runSQL(t, s.conf.DataDir, nil, `UPDATE mailed_link SET created_at = created_at + 1`)
	(&client{service: s, t: t}).do("POST", "/v1/auth/guest", object{"link": link}).is(404, "guest.link_invalid")
}
