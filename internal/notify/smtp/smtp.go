// Package smtp sends messages through mail servers (RFC 5321).
package smtp

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"time"

	client "github.com/wneessen/go-mail/smtp"

	"segel/internal/notify"
)

// Options are the settings of a Sender.
type Options struct {
	Servers []Server // in the order in which they are tried; at least one
	// Dial connects to a server. It is required, so that the caller decides which networks are reached.
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Roots   *x509.CertPool   // of the servers' certificates; nil: those of the system
	Timeout time.Duration    // of a try with one server, from connecting to its last answer; 0 is one minute
	Name    string           // how this host introduces itself (EHLO); empty: localhost
	Clock   func() time.Time // for the header Date; nil: time.Now
}

const defaultTimeout = time.Minute

// maxReason bounds the words of a server that are kept, in bytes.
const maxReason = 300

// maxAnswers bounds what a server says in one delivery, TLS included, in bytes.
const maxAnswers = 1 << 20

// Errors.
var (
	errTooLong     = errors.New("the answers of the mail server are too long")
	errAddress     = errors.New("malformed mail address")
	errNoUTF8      = errors.New("the mail server does not accept addresses with characters beyond ASCII (SMTPUTF8)")
	ErrNoTLS       = errors.New("the mail server does not offer STARTTLS, which is required")
	ErrNoAuth      = errors.New("the mail server does not offer authentication with PLAIN or LOGIN")
	ErrCredentials = errors.New("the mail server does not accept the user or the password")
	ErrOptions     = errors.New("smtp: Servers and Dial are required")
)

// limitedConn ends a connection on which the server says too much.
type limitedConn struct {
	net.Conn
	left int
}

func (c *limitedConn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLong
	}
	n, err := c.Conn.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}

// Sender sends messages. It opens one connection for each message, and is safe for concurrent use.
type Sender struct{ o Options }

var _ notify.Sender = (*Sender)(nil)

// New returns a Sender.
func New(o Options) (*Sender, error) {
	if len(o.Servers) == 0 || o.Dial == nil {
		return nil, ErrOptions
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Name = cmp.Or(o.Name, "localhost")
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Sender{o}, nil
}

// Send gives a message to the first server that accepts it. If a server refuses it for good, no other one is asked.
func (s *Sender) Send(ctx context.Context, m notify.Message) error {
	from, err := asciiAddress(m.From.Address)
	if err != nil {
		return &notify.Refusal{Reason: "sender: " + err.Error(), Err: err}
	}
	to, err := asciiAddress(m.To.Address)
	if err != nil {
		return &notify.Refusal{Recipient: true, Reason: err.Error(), Err: err}
	}
	envelope := from
	if m.Envelope != "" {
		if envelope, err = asciiAddress(m.Envelope); err != nil {
			return &notify.Refusal{Reason: "envelope sender: " + err.Error(), Err: err}
		}
	}
	utf8 := !isASCII(from) || !isASCII(to) || !isASCII(envelope)
	body, err := encodeMessage(m, from, to, s.o.Clock())
	if err != nil {
		return &notify.Refusal{Reason: err.Error(), Err: err}
	}
	var failed []error
	var noUTF8 *notify.Refusal
	for _, server := range s.o.Servers {
		err := s.sendThrough(ctx, server, envelope, to, body, utf8)
		if err == nil {
			return nil
		}
		var refused *notify.Refusal
		switch {
		case errors.Is(err, errNoUTF8) && errors.As(err, &refused):
			noUTF8 = refused // another server may accept it
			continue
		case errors.As(err, &refused):
			return refused
		}
		failed = append(failed, fmt.Errorf("%s: %w", server, err))
		if ctx.Err() != nil {
			break
		}
	}
	if len(failed) == 0 {
		return noUTF8
	}
	var said []string
	for _, err := range failed {
		said = append(said, boundReason(cleanHeader(err.Error())))
	}
	return &notify.Unsent{Said: boundReason(strings.Join(said, "; ")), Err: errors.Join(failed...)}
}

// sendThrough gives a message to one server.
func (s *Sender) sendThrough(ctx context.Context, server Server, from, to string, body []byte, utf8 bool) error {
	return s.withConnection(ctx, server, func(conn net.Conn) error {
		return s.converse(conn, server, from, to, body, utf8)
	})
}

// CheckServer connects to a server, starts TLS and logs in as [Sender.Send] does, and ends the connection. It sends nothing.
func (s *Sender) CheckServer(ctx context.Context, server Server) error {
	return s.withConnection(ctx, server, func(conn net.Conn) error {
		c, err := s.openSession(conn, server)
		if err != nil {
			return err
		}
		return c.Quit()
	})
}

// withConnection runs do on a connection to a server, within the time of a try.
func (s *Sender) withConnection(ctx context.Context, server Server, do func(net.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	conn, err := s.o.Dial(ctx, "tcp", server.String())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }() // not closed by the client after an error
	conn = &limitedConn{Conn: conn, left: maxAnswers}
	// Ends whatever the client waits for.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	err = do(conn)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w (%w)", ctx.Err(), err)
	}
	return err
}

// openSession greets the server, starts TLS and logs in.
func (s *Sender) openSession(conn net.Conn, server Server) (*client.Client, error) {
	tlsConfig := &tls.Config{ServerName: server.Host, RootCAs: s.o.Roots, MinVersion: tls.VersionTLS12}
	if server.Security == ImplicitTLS {
		conn = tls.Client(conn, tlsConfig)
	}
	c, err := client.NewClient(conn, server.Host)
	if err != nil {
		return nil, fmt.Errorf("greet: %w", err)
	}
	if err := c.Hello(s.o.Name); err != nil {
		return nil, fmt.Errorf("introduce: %w", err)
	}
	if server.Security == StartTLS {
		if offered, _ := c.Extension("STARTTLS"); !offered {
			return nil, ErrNoTLS
		}
		if err := c.StartTLS(tlsConfig); err != nil {
			return nil, fmt.Errorf("start TLS: %w", err)
		}
	}
	return c, logIn(c, server)
}

// converse sends the commands of one delivery. Utf8 says that an address of the message, also one in its header, is not ASCII.
func (s *Sender) converse(conn net.Conn, server Server, from, to string, body []byte, utf8 bool) error {
	c, err := s.openSession(conn, server)
	if err != nil {
		return err
	}
	if offered, _ := c.Extension("SMTPUTF8"); utf8 && !offered {
		return &notify.Refusal{Recipient: !isASCII(to), Reason: errNoUTF8.Error(), Err: errNoUTF8}
	}
	c.SkipSMTPUTF8(!utf8)
	if err := c.Mail("<" + from + ">"); err != nil {
		return classifyAnswer("sender", false, err)
	}
	if err := c.Rcpt("<" + to + ">"); err != nil {
		return classifyAnswer("recipient", !isPolicy(err), err)
	}
	w, err := c.Data()
	if err != nil {
		return classifyAnswer("message", false, err)
	}
	if _, err := w.Write(body); err != nil {
		return fmt.Errorf("send message: %w", err)
	}
	if err := w.Close(); err != nil {
		return classifyAnswer("message", false, err)
	}
	_ = c.Quit() // the server has accepted the message
	return nil
}

// logIn authenticates, if the server has credentials. Its errors have no words of the server, which may repeat what it was sent.
func logIn(c *client.Client, server Server) error {
	if server.User == "" {
		return nil
	}
	_, offered := c.Extension("AUTH")
	mechanisms := strings.Fields(strings.ToUpper(offered))
	unprotected := server.Security == Unprotected // the operator said so
	var auth client.Auth
	for _, m := range mechanisms {
		switch {
		case m == "PLAIN":
			auth = client.PlainAuth("", server.User, server.Password, server.Host, unprotected)
		case m == "LOGIN" && auth == nil:
			auth = client.LoginAuth(server.User, server.Password, server.Host, unprotected)
		}
	}
	if auth == nil {
		return ErrNoAuth
	}
	err := c.Auth(auth)
	var answer *textproto.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer) && answer.Code >= 500:
		return fmt.Errorf("%w (%d)", ErrCredentials, answer.Code)
	case errors.As(err, &answer):
		return fmt.Errorf("log in: the server answered %d", answer.Code)
	}
	return errors.New("log in: the connection failed")
}

// isPolicy reports whether a server refused an address for reasons of its own, such as that it does not relay (RFC 3463 §3.8).
func isPolicy(err error) bool {
	var answer *textproto.Error
	return errors.As(err, &answer) && strings.HasPrefix(answer.Msg, "5.7.")
}

// boundReason cuts what is longer than maxReason.
func boundReason(words string) string {
	if len(words) > maxReason {
		return strings.ToValidUTF8(words[:maxReason], "") + "…"
	}
	return words
}

// classifyAnswer returns a Refusal if the server refused something for good (5xx), and otherwise an error that may be tried again.
func classifyAnswer(what string, recipient bool, err error) error {
	var answer *textproto.Error
	if errors.As(err, &answer) && answer.Code >= 500 && answer.Code <= 599 && answer.Code != 530 && answer.Code != 535 {
		reason := boundReason(cleanHeader(answer.Msg))
		return &notify.Refusal{Recipient: recipient, Reason: fmt.Sprintf("%d %s", answer.Code, reason), Err: err}
	}
	if answer != nil {
		return &temporaryAnswer{what, answer}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// temporaryAnswer is the answer of a server that does not accept something for now.
type temporaryAnswer struct {
	what   string
	answer *textproto.Error
}

func (a *temporaryAnswer) Error() string {
	return fmt.Sprintf("%s: %d %s", a.what, a.answer.Code, boundReason(cleanHeader(a.answer.Msg)))
}

func (a *temporaryAnswer) Unwrap() error { return a.answer }
