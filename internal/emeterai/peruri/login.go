package peruri

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"segel/internal/emeterai"
)

// Times of logging in.
const (
	tokenLife    = 23 * time.Hour // an hour less than the office gives
	refusalFirst = time.Minute    // how long a refused password is not retried; doubled each time
	refusalLast  = 30 * time.Minute
)

// accessToken is a token of the office, with its user.
type accessToken struct {
	token, user string
	until       time.Time
}

// tokenSession holds the token. One caller at a time logs in; the others wait for it.
type tokenSession struct {
	turn *semaphore.Weighted // held by the caller that logs in

	mu      sync.Mutex // guards all below
	now     accessToken
	refused *emeterai.Problem // the office's refusal, valid until until
	wait    time.Duration
	until   time.Time
}

func (s *tokenSession) currentToken() accessToken {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// dropToken removes a token that was not accepted, unless there is a newer one.
func (s *tokenSession) dropToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.token == token {
		s.now = accessToken{}
	}
}

// usableToken returns a token, or the error that forbids logging in for now; if it returns neither, the caller has to
// log in.
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

// recordRefusal delays further tries: the office locks accounts that guess.
func (s *tokenSession) recordRefusal(p *emeterai.Problem, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = min(max(2*s.wait, refusalFirst), refusalLast)
	s.refused, s.until = p, now.Add(s.wait)
}

// requireToken returns the token that all callers share, and logs in if there is none.
func (d *Driver) requireToken(ctx context.Context) (accessToken, error) {
	if l, err := d.session.usableToken(d.o.Clock()); err != nil || l.token != "" {
		return l, err
	}
	if err := d.session.turn.Acquire(ctx, 1); err != nil {
		return accessToken{}, err
	}
	defer d.session.turn.Release(1)
	if l, err := d.session.usableToken(d.o.Clock()); err != nil || l.token != "" { // another caller was faster
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

// unreadableAnswer returns the problem of an answer that cannot be parsed.
func (d *Driver) unreadableAnswer(call string, class emeterai.Class, err error) error {
	return &emeterai.Problem{Class: class, Code: emeterai.CodeAnswer, Text: call + ": " + d.redactText(err.Error())}
}

// withToken calls do with a token, and once more with a new one if the token is not accepted. Do must have had no
// effect when it returns errTokenRefused.
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

// queryOffice makes a call without side effects, with a token, and has its answer read.
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

// classifyAnswer turns the error of a parser into a problem. Unsure is the class for an unknown code of the office.
func (d *Driver) classifyAnswer(call string, unsure emeterai.Class, err error, status int) error {
	var c *codeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &c):
		if status >= 400 { // refused before anything happened
			unsure = emeterai.Config
		}
		return d.unreadableAnswer(call, unsure, err)
	case c.code == codeToken:
		return errTokenRefused
	case c.code == codeQuota:
		return &emeterai.Problem{Class: emeterai.Quota, Code: c.code, Text: cmp.Or(d.redactText(c.message), "the account has no units left"), After: quotaWait}
	case status >= 400:
		return &emeterai.Problem{Class: emeterai.Config, Code: cmp.Or(c.code, "http"), Text: call + ": " + d.redactText(c.message), After: configWait}
	}
	return &emeterai.Problem{Class: unsure, Code: cmp.Or(c.code, "none"), Text: call + ": " + d.redactText(c.message)}
}

// How long to wait before retrying what a person has to fix.
const (
	quotaWait  = 15 * time.Minute
	configWait = 15 * time.Minute
)
