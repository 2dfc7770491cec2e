// Package phone sends text messages through a provider of WhatsApp or SMS messages that takes an HTTP request for each. The form of the
// request is a template of the operator, so one adapter fits many providers.
package phone

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/text"
)

// Errors of [New]. They never show the address, the headers or the template, which have credentials.
var (
	ErrURL      = errors.New("address of the provider: must be such as https://provider.example.com/send, without a user and a fragment")
	ErrMethod   = errors.New("method: must be POST or PUT")
	ErrHeaders  = errors.New(`headers: must be a JSON object of texts, such as {"Authorization": "Bearer abc"}`)
	ErrAccepted = errors.New("pattern of accepted answers: must be a regular expression")
	ErrNotJSON  = fmt.Errorf("%w: the result is not JSON, which the header Content-Type announces", ErrTemplate)
	ErrClient   = errors.New("phone: Client is required")
)

// Errors of a try.
var (
	errUnavailable = errors.New("the provider cannot be reached")
	errAnswer      = errors.New("the provider did not accept the message")
)

// maxAnswer bounds the body of an answer that is read, in bytes. A longer one is an error.
const maxAnswer = 64 << 10

// maxReason bounds the words of a provider that are kept, in bytes.
const maxReason = 200

const defaultTimeout = 30 * time.Second

// Options are the settings of a Sender for one channel.
type Options struct {
	URL      string // of the provider, with a path and a query
	Method   string // POST or PUT; empty: POST
	Headers  string // a JSON object of header fields; empty: none. Content-Type is application/json if it is missing
	Body     string // see [ParseTemplate]
	Accepted string // regular expression that the body of an accepted answer matches; empty: any

	Client  *http.Client  // decides which networks are reached; it follows no redirects
	Timeout time.Duration // of a try; 0 is 30 seconds
}

// Sender sends messages by one channel. It is safe for concurrent use.
type Sender struct {
	url, method string
	headers     map[string]string
	body        *Template
	accepted    *regexp.Regexp
	client      *http.Client
	timeout     time.Duration
}

var _ notify.TextSender = (*Sender)(nil)

// New returns a Sender, or an error that says which setting is wrong.
func New(o Options) (*Sender, error) {
	s := &Sender{url: o.URL, method: cmp.Or(o.Method, http.MethodPost), client: o.Client, timeout: cmp.Or(o.Timeout, defaultTimeout)}
	if o.Client == nil {
		return nil, ErrClient
	}
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return nil, ErrURL
	}
	if s.method != http.MethodPost && s.method != http.MethodPut {
		return nil, ErrMethod
	}
	if s.headers, err = parseHeaders(o.Headers); err != nil {
		return nil, err
	}
	if s.accepted, err = regexp.Compile(o.Accepted); err != nil {
		return nil, ErrAccepted
	}
	if s.body, err = ParseTemplate(o.Body); err != nil {
		return nil, err
	}
	return s, s.checkJSON()
}

var headerName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$") })

// reserved are the header fields that the connection or this package sets.
var reserved = map[string]bool{
	"Connection": true, "Content-Length": true, "Host": true, "Idempotency-Key": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// parseHeaders parses the header fields of a request.
func parseHeaders(s string) (map[string]string, error) {
	given := map[string]string{}
	if strings.TrimSpace(s) != "" {
		if err := json.Unmarshal([]byte(s), &given); err != nil {
			return nil, ErrHeaders
		}
	}
	headers := map[string]string{"Content-Type": "application/json"}
	for name, value := range given {
		name = http.CanonicalHeaderKey(name)
		if !headerName().MatchString(name) || reserved[name] || strings.ContainsFunc(value, unicode.IsControl) {
			return nil, ErrHeaders
		}
		headers[name] = value
	}
	return headers, nil
}

// checkJSON checks that the template makes JSON of messages with and without a code, if JSON is announced.
func (s *Sender) checkJSON() error {
	if t, _, err := mime.ParseMediaType(s.headers["Content-Type"]); err != nil || t != "application/json" && !strings.HasSuffix(t, "+json") {
		return nil
	}
	odd := `"\` + "\n<&>"
	for _, kind := range contract.NoticeKinds {
		m := notify.TextMessage{ID: "1", Number: "+628123456789", Name: odd, Kind: kind, Language: text.Indonesian, Sender: odd, Organisation: odd, Title: odd, Link: "https://segel.example.com/", Text: odd}
		if kind == contract.NoticeCode {
			m.Code = "123456"
		}
		body, err := s.body.render(m)
		if err != nil {
			return err
		}
		if !json.Valid(body) {
			return ErrNotJSON
		}
	}
	return nil
}

// SendText sends one message. An answer with status 2xx accepts it, if its body is as configured. Any other status of 400 to 499 refuses it for good,
// except those that concern the operator's account or the moment: 401, 402, 407, 408, 425 and 429. After everything else the message
// may be sent again, with the same identifier: the provider may have accepted it although no answer arrived.
func (s *Sender) SendText(ctx context.Context, m notify.TextMessage) error {
	body, err := s.body.render(m)
	if err != nil {
		return &notify.Refusal{Reason: err.Error(), Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, s.method, s.url, bytes.NewReader(body))
	if err != nil {
		return ErrURL
	}
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Idempotency-Key", m.ID)
	r.Header.Set("User-Agent", "Segel")
	a, err := s.client.Do(r)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnavailable, withoutURL(err))
	}
	defer func() { _ = a.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer+1))
	switch {
	case a.StatusCode >= 200 && a.StatusCode < 300:
		if err != nil || len(answer) > maxAnswer {
			return fmt.Errorf("%w: status %d, and the answer is too long or broken off", errAnswer, a.StatusCode)
		}
		if !s.accepted.Match(answer) {
			return fmt.Errorf("%w: status %d, and the answer is not one of an accepted message", errAnswer, a.StatusCode)
		}
		return nil
	case isRefusal(a.StatusCode):
		reason := fmt.Sprintf("HTTP %d%s", a.StatusCode, quoteAnswer(m, answer))
		return &notify.Refusal{Recipient: true, Reason: reason, Err: errAnswer}
	}
	return fmt.Errorf("%w: status %d", errAnswer, a.StatusCode)
}

// isRefusal reports whether another try with the same message is useless.
func isRefusal(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status <= 499
}

// secretWord is a word of an answer that may be a part of the link, or a credential, which a provider repeats.
var secretWord = regexp.MustCompile(`[A-Za-z0-9_\-+/=%#.:\\]{16,}`)

// quoteAnswer returns the beginning of an answer for the owner and the operator. It leaves out long words, and everything if the message has a
// code: the reason is stored, and a copy of the database must contain neither a link nor a code.
func quoteAnswer(m notify.TextMessage, answer []byte) string {
	if m.Code != "" {
		return ""
	}
	s := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(answer[:min(len(answer), maxAnswer)]), ""))
	s = strings.Join(strings.Fields(secretWord.ReplaceAllString(s, "…")), " ")
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "…"
	}
	if s == "" {
		return ""
	}
	return " " + s
}

// withoutURL returns an error of an http.Client without the address, whose query may have a key.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
