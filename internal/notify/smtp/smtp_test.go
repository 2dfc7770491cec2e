package smtp

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"

	"segel/internal/notify"
)

const (
	testUser     = "segel"
	testPassword = "s3cret-Passw0rd"
)

// backend is a mail server in this process.
type backend struct {
	Server Server
	Roots  *x509.CertPool

	mail, rcpt, data error // answers
	auth             error
	authDone         bool          // whether a login is required
	cut              bool          // the connection is cut after the message
	block            chan struct{} // not nil: no answer to the message until it is closed

	mu       sync.Mutex
	sessions int
	received []delivered
}

type delivered struct {
	from, to string
	utf8     bool
	body     []byte
}

func (b *backend) deliveries() []delivered {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.received
}

func (b *backend) opened() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions
}

func (b *backend) NewSession(c *gosmtp.Conn) (gosmtp.Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions++
	return &session{b: b, c: c}, nil
}

type session struct {
	b        *backend
	c        *gosmtp.Conn
	now      delivered
	loggedIn bool
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != testUser || password != testPassword {
			return gosmtp.ErrAuthFailed
		}
		s.loggedIn = true
		return s.b.auth
	}), nil
}

func (s *session) Mail(from string, o *gosmtp.MailOptions) error {
	if s.b.authDone && !s.loggedIn {
		return gosmtp.ErrAuthRequired
	}
	s.now = delivered{from: from, utf8: o.UTF8}
	return s.b.mail
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	s.now.to = to
	return s.b.rcpt
}

func (s *session) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if s.b.block != nil {
		<-s.b.block
	}
	if s.b.cut {
		_ = s.c.Conn().Close()
		return errors.New("cut")
	}
	if s.b.data != nil {
		return s.b.data
	}
	s.now.body = body
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	s.b.received = append(s.b.received, s.now)
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// startServer runs a mail server with a certificate for localhost.
func startServer(t *testing.T, security Security, b *backend, settings ...func(*gosmtp.Server)) *backend {
	t.Helper()
	certificate, roots := makeCertificate(t)
	s := gosmtp.NewServer(b)
	s.Domain, s.ErrorLog = "localhost", quiet{}
	s.AllowInsecureAuth = security == Unprotected
	if security != Unprotected {
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	for _, set := range settings {
		set(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.Server = Server{Host: "localhost", Port: uint16(l.Addr().(*net.TCPAddr).Port), Security: security}
	b.Roots = roots
	if security == ImplicitTLS {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		_ = l.Close() // which the server does not know yet if it has just begun
		<-done
	})
	return b
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func makeCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// newSender returns a sender that knows the certificates of all the servers. It connects to 127.0.0.1.
func newSender(t *testing.T, change func(*Options), servers ...Server) *Sender {
	t.Helper()
	o := Options{
		Servers: servers, Timeout: 30 * time.Second, Name: "segel.example.id",
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
		Clock: func() time.Time { return time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC) },
	}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func trust(b *backend) func(*Options) { return func(o *Options) { o.Roots = b.Roots } }

func sampleMessage() notify.Message {
	return notify.Message{
		ID: "0199-abc@segel.example.id", From: mail.Address{Name: "PT Maju, Jaya", Address: "segel@example.id"},
		To: mail.Address{Name: "Siti Āminah", Address: "siti@example.com"}, ReplyTo: mail.Address{Name: "Budi", Address: "budi@example.id"},
		Subject: "Perjanjian “Sewa” " + strings.Repeat("panjang ", 15), Text: "Yth. Siti Āminah,\n.\n.. baris\n" + strings.Repeat("x", 2000) + "\n",
		HTML:    `<p>Yth. Siti Āminah, a=b</p><img src="cid:logo.png">`,
		Inline:  []notify.Attachment{{Name: "logo.png", Type: "image/png", Bytes: []byte("\x89PNG")}},
		Headers: map[string]string{"List-Unsubscribe": "<https://segel.example.id/u>"},
	}
}

func TestMessageIsDeliveredWithStartTLSAndLogin(t *testing.T) {
	t.Parallel()
	for _, security := range []Security{StartTLS, ImplicitTLS, Unprotected} {
		b := startServer(t, security, &backend{authDone: true})
		server := b.Server
		server.User, server.Password = testUser, testPassword
		if err := newSender(t, trust(b), server).Send(t.Context(), sampleMessage()); err != nil {
			t.Fatal(security, err)
		}
		got := b.deliveries()
		if len(got) != 1 || got[0].from != "segel@example.id" || got[0].to != "siti@example.com" {
			t.Fatalf("%v: delivered %+v", security, got)
		}
		checkDelivered(t, got[0].body)
	}
}

// checkDelivered compares a message as it arrived with the sample.
func checkDelivered(t *testing.T, body []byte) {
	t.Helper()
	want := sampleMessage()
	m, err := mail.ReadMessage(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != strings.TrimSpace(want.Subject) {
		t.Errorf("subject %q, %v", subject, err)
	}
	for name, address := range map[string]mail.Address{"From": want.From, "To": want.To, "Reply-To": want.ReplyTo} {
		if got, err := m.Header.AddressList(name); err != nil || len(got) != 1 || *got[0] != address {
			t.Errorf("%s: %v, %v", name, m.Header.Get(name), err)
		}
	}
	for name, value := range map[string]string{
		"Message-ID": "<" + want.ID + ">", "Auto-Submitted": "auto-generated", "List-Unsubscribe": "<https://segel.example.id/u>",
		"Date": "Wed, 14 Oct 2026 10:00:00 +0000", "MIME-Version": "1.0",
	} {
		if got := m.Header.Get(name); got != value {
			t.Errorf("%s: %q", name, got)
		}
	}
	for line := range bytes.SplitSeq(body, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
			t.Errorf("line of %d bytes is too long or not ASCII: %.80q", len(line), line)
		}
	}
	parts := map[string]string{}
	readParts(t, m.Header.Get("Content-Type"), m.Body, parts)
	if got := strings.ReplaceAll(parts["text/plain"], "\r\n", "\n"); got != want.Text {
		t.Errorf("text %q", got)
	}
	if parts["text/html"] != want.HTML {
		t.Errorf("HTML %q", parts["text/html"])
	}
	if _, ok := parts["image/png <logo.png>"]; !ok {
		t.Errorf("no inline picture: %.200v", parts)
	}
}

func readParts(t *testing.T, contentType string, r io.Reader, into map[string]string) {
	t.Helper()
	kind, args, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(contentType, err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		into[kind] = string(b)
		return
	}
	for parts := multipart.NewReader(r, args["boundary"]); ; {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if id := p.Header.Get("Content-ID"); id != "" {
			into[strings.Split(p.Header.Get("Content-Type"), ";")[0]+" "+id] = ""
			continue
		}
		var part io.Reader = p
		if p.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			part = quotedprintable.NewReader(p)
		}
		readParts(t, p.Header.Get("Content-Type"), part, into)
	}
}

func TestServerWithAnotherCertificateIsRefused(t *testing.T) {
	t.Parallel()
	for _, security := range []Security{StartTLS, ImplicitTLS} {
		b := startServer(t, security, &backend{})
		err := newSender(t, func(o *Options) { o.Roots = x509.NewCertPool() }, b.Server).Send(t.Context(), sampleMessage())
		var unknown x509.UnknownAuthorityError
		if !errors.As(err, &unknown) {
			t.Errorf("unknown authority: %v", err)
		}
		other := b.Server
		other.Host = "mail.example.id"
		err = newSender(t, trust(b), other).Send(t.Context(), sampleMessage())
		var name x509.HostnameError
		if !errors.As(err, &name) {
			t.Errorf("another name: %v", err)
		}
		checkRetriable(t, err)
		if got := b.deliveries(); len(got) != 0 {
			t.Errorf("delivered %v", got)
		}
	}
}

func TestServerWithoutStartTLSGetsNothing(t *testing.T) {
	t.Parallel()
	b := startServer(t, Unprotected, &backend{})
	server := b.Server
	server.Security, server.User, server.Password = StartTLS, testUser, testPassword
	err := newSender(t, trust(b), server).Send(t.Context(), sampleMessage())
	if !errors.Is(err, ErrNoTLS) {
		t.Errorf("error %v", err)
	}
	checkRetriable(t, err)
	if got := b.deliveries(); len(got) != 0 {
		t.Errorf("delivered %v", got)
	}
}

func checkRetriable(t *testing.T, err error) {
	t.Helper()
	var refused *notify.Refusal
	if err == nil || errors.As(err, &refused) {
		t.Errorf("%v is not an error that may be tried again", err)
	}
}

func TestNextServerIsTriedAfterATemporaryAnswer(t *testing.T) {
	t.Parallel()
	busy := &gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 3, 0}, Message: "try later"}
	for what, first := range map[string]*backend{"sender": {mail: busy}, "recipient": {rcpt: busy}, "message": {data: busy}, "connection": {cut: true}} {
		a, b := startServer(t, Unprotected, first), startServer(t, Unprotected, &backend{})
		if err := newSender(t, nil, a.Server, b.Server).Send(t.Context(), sampleMessage()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if len(b.deliveries()) != 1 {
			t.Errorf("%s: not delivered by the second server", what)
		}
		err := newSender(t, nil, a.Server).Send(t.Context(), sampleMessage())
		checkRetriable(t, err)
	}
}

func TestWhatServersAnswerWhileTheyAcceptNothingIsKeptWithoutSecretsAndBounded(t *testing.T) {
	t.Parallel()
	answers := func(words string) *backend {
		return startServer(t, Unprotected, &backend{rcpt: &gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 7, 1}, Message: words}})
	}
	said := func(servers ...Server) string {
		t.Helper()
		var unsent *notify.Unsent
		if err := newSender(t, nil, servers...).Send(t.Context(), sampleMessage()); !errors.As(err, &unsent) {
			t.Fatalf("%v", err)
		}
		return unsent.Said
	}
	a, b := answers("greylisted\x1b[31m,\ttry later"), answers("mailbox busy")
	want := fmt.Sprintf("%s: recipient: 451 4.7.1 greylisted [31m, try later; %s: recipient: 451 4.7.1 mailbox busy", a.Server, b.Server)
	if got := said(a.Server, b.Server); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := said(answers(strings.Repeat("Ä", 400)).Server); len(got) > maxReason+len("…") || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
		t.Errorf("a long answer: %d bytes, %q", len(got), got)
	}
	refuses := startServer(t, Unprotected, &backend{authDone: true})
	server := refuses.Server
	server.User, server.Password = testUser, "another-password"
	if got := said(server); strings.Contains(got, server.Password) || !strings.Contains(got, "535") {
		t.Errorf("a refused login: %q", got)
	}
}

func TestNextServerIsTriedIfOneCannotBeReached(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := Server{Host: "localhost", Port: uint16(l.Addr().(*net.TCPAddr).Port), Security: Unprotected}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b := startServer(t, Unprotected, &backend{})
	if err := newSender(t, nil, dead, b.Server).Send(t.Context(), sampleMessage()); err != nil || len(b.deliveries()) != 1 {
		t.Errorf("%d deliveries, %v", len(b.deliveries()), err)
	}
	checkRetriable(t, newSender(t, nil, dead).Send(t.Context(), sampleMessage()))
}

func TestFinalAnswerIsARefusalAndAsksNoOtherServer(t *testing.T) {
	t.Parallel()
	refuse := func(code int, enhanced gosmtp.EnhancedCode) error {
		return &gosmtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "not here"}
	}
	for what, c := range map[string]struct {
		backend   *backend
		recipient bool
	}{
		"address":  {&backend{rcpt: refuse(550, gosmtp.EnhancedCode{5, 1, 1})}, true},
		"relaying": {&backend{rcpt: refuse(554, gosmtp.EnhancedCode{5, 7, 1})}, false},
		"sender":   {&backend{mail: refuse(550, gosmtp.EnhancedCode{5, 1, 8})}, false},
		"message":  {&backend{data: refuse(554, gosmtp.EnhancedCode{5, 6, 0})}, false},
	} {
		a, b := startServer(t, Unprotected, c.backend), startServer(t, Unprotected, &backend{})
		err := newSender(t, nil, a.Server, b.Server).Send(t.Context(), sampleMessage())
		var refused *notify.Refusal
		if !errors.As(err, &refused) || refused.Recipient != c.recipient || !strings.Contains(refused.Reason, "not here") {
			t.Errorf("%s: %#v", what, err)
		}
		if b.opened() != 0 {
			t.Errorf("%s: another server was asked", what)
		}
	}
}

func TestConnectionCutAfterTheMessageMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	b := startServer(t, StartTLS, &backend{cut: true})
	checkRetriable(t, newSender(t, trust(b), b.Server).Send(t.Context(), sampleMessage()))
}

func TestServerThatDoesNotAnswerIsLeftAfterTheTimeout(t *testing.T) {
	t.Parallel()
	silent := &backend{block: make(chan struct{})}
	startServer(t, Unprotected, silent)
	t.Cleanup(func() { close(silent.block) })
	err := newSender(t, func(o *Options) { o.Timeout = 200 * time.Millisecond }, silent.Server).Send(t.Context(), sampleMessage())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	checkRetriable(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newSender(t, nil, silent.Server).Send(ctx, sampleMessage()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsNeverShowCredentials(t *testing.T) {
	t.Parallel()
	echo := &gosmtp.SMTPError{Code: 535, EnhancedCode: gosmtp.EnhancedCode{5, 7, 8}, Message: "bad: " + testPassword}
	for what, b := range map[string]*backend{"wrong password": {authDone: true}, "echo": {authDone: true, auth: echo}} {
		startServer(t, StartTLS, b)
		server := b.Server
		server.User, server.Password = testUser, testPassword
		if what == "wrong password" {
			server.Password += "-wrong"
		}
		err := newSender(t, trust(b), server).Send(t.Context(), sampleMessage())
		if !errors.Is(err, ErrCredentials) {
			t.Errorf("%s: %v", what, err)
		}
		checkRetriable(t, err)
		if strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), testUser+":") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestNamesAndSubjectsCannotBeginAnotherHeader(t *testing.T) {
	t.Parallel()
	b := startServer(t, Unprotected, &backend{})
	m := sampleMessage()
	const hostile = "x\r\nBcc: evil@example.com\r\n\r\nbody\u2028Bcc: y"
	m.Subject, m.From.Name, m.To.Name, m.ReplyTo.Name = hostile, hostile, hostile, hostile
	m.Headers = map[string]string{"X-Note": hostile}
	s := newSender(t, nil, b.Server)
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got, err := mail.ReadMessage(bytes.NewReader(b.deliveries()[0].body))
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Header.Get("Bcc"); v != "" {
		t.Errorf("Bcc: %s", v)
	}
	for what, change := range map[string]func(*notify.Message){
		"ID":             func(m *notify.Message) { m.ID = "a@b>\r\nBcc: <x@y" },
		"header name":    func(m *notify.Message) { m.Headers = map[string]string{"X:\r\nBcc": "x"} },
		"own header":     func(m *notify.Message) { m.Headers = map[string]string{"bcc": "x@example.com"} },
		"recipient":      func(m *notify.Message) { m.To.Address = "a@b.id>\r\nRCPT TO:<x@example.com" },
		"two recipients": func(m *notify.Message) { m.To.Address = "a@b.id,x@example.com" },
		"sender":         func(m *notify.Message) { m.From.Address = "a b@c.id" },
		"reply address":  func(m *notify.Message) { m.ReplyTo.Address = "a@b\r\n.id" },
		"picture":        func(m *notify.Message) { m.Inline = []notify.Attachment{{Name: "a\r\nb", Type: "image/png"}} },
		"file type":      func(m *notify.Message) { m.Attachments = []notify.Attachment{{Name: "a", Type: "a/b\r\nx"}} },
	} {
		m := sampleMessage()
		change(&m)
		var refused *notify.Refusal
		if err := s.Send(t.Context(), m); !errors.As(err, &refused) || refused.Recipient != strings.Contains(what, "recipient") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n := len(b.deliveries()); n != 1 {
		t.Errorf("%d deliveries", n)
	}
}

func TestAddressBeyondASCIINeedsAServerThatAcceptsIt(t *testing.T) {
	t.Parallel()
	old := startServer(t, Unprotected, &backend{})
	current := startServer(t, Unprotected, &backend{}, func(s *gosmtp.Server) { s.EnableSMTPUTF8 = true })
	m := sampleMessage()
	m.To.Address = "用户@bücher.example"
	var refused *notify.Refusal
	if err := newSender(t, nil, old.Server).Send(t.Context(), m); !errors.As(err, &refused) || !refused.Recipient {
		t.Errorf("old server: %v", err)
	}
	if err := newSender(t, nil, old.Server, current.Server).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := current.deliveries(); len(got) != 1 || got[0].to != "用户@xn--bcher-kva.example" || !got[0].utf8 {
		t.Errorf("delivered %+v", got)
	}
	m.To.Address = "siti@bücher.example" // the domain has an ASCII form
	if err := newSender(t, nil, old.Server).Send(t.Context(), m); err != nil {
		t.Error(err)
	}
}

func TestServerThatSaysTooMuchIsLeft(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		for err == nil {
			_, err = c.Write(bytes.Repeat([]byte("220-hello\r\n"), 1000))
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	server := Server{Host: "localhost", Port: uint16(l.Addr().(*net.TCPAddr).Port), Security: Unprotected}
	if err := newSender(t, nil, server).Send(t.Context(), sampleMessage()); !errors.Is(err, errTooLong) {
		t.Errorf("error %.200v", err)
	}
}

func TestSenderNeedsServersAndADialer(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{Servers: []Server{{Host: "localhost"}}}); !errors.Is(err, ErrOptions) {
		t.Errorf("no dialer: %v", err)
	}
	if _, err := New(Options{Dial: (&net.Dialer{}).DialContext}); !errors.Is(err, ErrOptions) {
		t.Errorf("no servers: %v", err)
	}
}

func TestServerIsCheckedWithoutAMail(t *testing.T) {
	t.Parallel()
	for _, security := range []Security{StartTLS, ImplicitTLS, Unprotected} {
		b := startServer(t, security, &backend{authDone: true})
		server := b.Server
		server.User, server.Password = testUser, testPassword
		s := newSender(t, trust(b), server)
		if err := s.CheckServer(t.Context(), server); err != nil {
			t.Errorf("%v: %v", security, err)
		}
		wrong := server
		wrong.Password = "another"
		if err := s.CheckServer(t.Context(), wrong); !errors.Is(err, ErrCredentials) || strings.Contains(err.Error(), "another") {
			t.Errorf("%v, with another password: %v", security, err)
		}
		if got := b.deliveries(); len(got) > 0 {
			t.Errorf("%v: a mail was sent: %+v", security, got)
		}
	}
	plain := startServer(t, Unprotected, &backend{}).Server
	plain.Security = StartTLS
	if err := newSender(t, nil, plain).CheckServer(t.Context(), plain); !errors.Is(err, ErrNoTLS) {
		t.Errorf("a server without TLS: %v", err)
	}
}
