package peruri

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"segel/internal/emeterai"
)

// Logging in.
const (
	tokenLife    = 23 * time.Hour // an hour less than the office gives
	refusalFirst = time.Minute    // how long a refused password is not tried again; doubled each time
	refusalLast  = 30 * time.Minute
)

// accessToken is a token and whose it is.
type accessToken struct {
	token, user string
	until       time.Time
}

// tokenSession keeps the token. One at a time logs in; the others wait for him.
type tokenSession struct {
	turn chan struct{} // holds one while somebody logs in

	mu      sync.Mutex // guards all below
	now     accessToken
	refused *emeterai.Problem // by the office, until then
	wait    time.Duration
	until   time.Time
}

func newTokenSession() *tokenSession { return &tokenSession{turn: make(chan struct{}, 1)} }

func (s *tokenSession) currentToken() accessToken {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// dropToken forgets a token that was not accepted, unless there is a newer one.
func (s *tokenSession) dropToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.token == token {
		s.now = accessToken{}
	}
}

// usableToken returns a token, or why there will be none for now; neither: somebody has to log in.
func (s *tokenSession) usableToken(now time.Time) (accessToken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.token != "" && now.Before(s.now.until) {
		return s.now, nil
	}
	if s.refused != nil && now.Before(s.until) {
		p := *s.refused
		p.After = s.until.Sub(now)
		return accessToken{}, &p
	}
	return accessToken{}, nil
}

func (s *tokenSession) acceptToken(l accessToken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.refused, s.wait = l, nil, 0
}

// recordRefusal holds further tries back: an office locks accounts that guess.
func (s *tokenSession) recordRefusal(p *emeterai.Problem, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = min(max(2*s.wait, refusalFirst), refusalLast)
	s.refused, s.until = p, now.Add(s.wait)
}

// requireToken returns a token, of which there is one for all.
func (d *Driver) requireToken(ctx context.Context) (accessToken, error) {
	if l, err := d.session.usableToken(d.o.Clock()); err != nil || l.token != "" {
		return l, err
	}
	if err := sendOrCancel(ctx, d.session.turn); err != nil {
		return accessToken{}, err
	}
	defer func() { <-d.session.turn }()
	if l, err := d.session.usableToken(d.o.Clock()); err != nil || l.token != "" { // somebody was faster
		return l, err
	}
	body, err := json.Marshal(map[string]string{"user": d.o.User, "password": d.o.Password})
	if err != nil {
		return accessToken{}, err
	}
	got, err := d.callJSON(ctx, call{
		name: "login", method: http.MethodPost, url: d.o.LoginURL + "/api/users/login", kind: jsonType, body: bytes.NewReader(body), size: int64(len(body)),
		breaker: d.officeBreaker, timeout: d.o.Timeout, limit: answerLimit,
	})
	if err != nil && !errors.Is(err, errTokenRefused) {
		return accessToken{}, err
	}
	token, user := "", ""
	if err == nil {
		token, user, err = parseLogin(got.body)
	}
	if errors.Is(err, errMalformedAnswer) {
		return accessToken{}, d.unreadableAnswer("login", emeterai.Transient, err)
	}
	if err != nil {
		p := &emeterai.Problem{Class: emeterai.Login, Code: emeterai.CodeLogin, Text: "login is refused: " + d.redactText(err.Error())}
		d.session.recordRefusal(p, d.o.Clock())
		d.o.Log.ErrorContext(ctx, "stamp office refuses our login", "reason", p.Text)
		return accessToken{}, p
	}
	l := accessToken{token: token, user: user, until: d.o.Clock().Add(tokenLife)}
	d.session.acceptToken(l)
	return l, nil
}

const jsonType = "application/json"

// unreadableAnswer is an answer that cannot be read.
func (d *Driver) unreadableAnswer(call string, class emeterai.Class, err error) error {
	return &emeterai.Problem{Class: class, Code: emeterai.CodeAnswer, Text: call + ": " + d.redactText(err.Error())}
}

// withToken does something that needs a token; where it is not accepted, once more with a new one. What do returns
// errToken for must not have happened.
func (d *Driver) withToken(ctx context.Context, do func(accessToken) error) error {
	for range 2 {
		l, err := d.requireToken(ctx)
		if err != nil {
			return err
		}
		if err = do(l); !errors.Is(err, errTokenRefused) {
			return err
		}
		d.session.dropToken(l.token)
	}
	return &emeterai.Problem{Class: emeterai.Login, Code: codeToken, Text: "the office does not accept the token that it just gave", After: refusalFirst}
}

// queryOffice calls something that changes nothing, with a token, and has its answer read.
func (d *Driver) queryOffice(ctx context.Context, name, method string, where func(accessToken) string, limit int64, read func([]byte) error) error {
	return d.withToken(ctx, func(l accessToken) error {
		got, err := d.callJSON(ctx, call{
			name: name, method: method, url: where(l), token: l.token, breaker: d.officeBreaker, timeout: d.o.Timeout, limit: limit,
		})
		if err != nil {
			return err
		}
		return d.classifyAnswer(name, emeterai.Transient, read(got.body), got.status)
	})
}

// classifyAnswer turns what a parser says of an answer into a problem. Unsure is the class where the office said something
// that nobody knows.
func (d *Driver) classifyAnswer(call string, unsure emeterai.Class, err error, status int) error {
	var c *codeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &c):
		if status >= 400 { // turned down before anything happened
			unsure = emeterai.Config
		}
		return d.unreadableAnswer(call, unsure, err)
	case c.code == codeToken:
		return errTokenRefused
	case c.code == codeQuota:
		return &emeterai.Problem{Class: emeterai.Quota, Code: c.code, Text: orDefault(d.redactText(c.message), "the account has no units left"), After: quotaWait}
	case status >= 400:
		return &emeterai.Problem{Class: emeterai.Config, Code: orDefault(c.code, "http"), Text: call + ": " + d.redactText(c.message), After: configWait}
	}
	return &emeterai.Problem{Class: unsure, Code: orDefault(c.code, "none"), Text: call + ": " + d.redactText(c.message)}
}

// How long to wait before asking again for what a person has to mend.
const (
	quotaWait  = 15 * time.Minute
	configWait = 15 * time.Minute
)
