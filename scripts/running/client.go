package running

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// The paths of the interface that several programs use.
const (
	LoginPath    = "/v1/auth/login"
	SignPath     = "/v1/econtract/scripts/sign/"
	UploadPath   = SignPath + "upload-docs-base64"
	DocumentPath = "/v1/econtract/web_app/document/"
)

// The answers of the interface, as far as the programs read them.
type (
	LoginAnswer struct {
		Data struct {
			Token   string
			Device  string `json:"device_token"`
			Account struct{ ID string }
		}
	}
	UploadAnswer struct {
		Response struct {
			Data struct {
				ID   int64  `json:"document_id"`
				Name string `json:"document_name"`
			}
		}
	}
	StatusAnswer struct{ Data Status }
	// Status is the state of a document, as its status and its events report it.
	Status struct {
		Status   string
		Serials  []string `json:"serial_number"`
		Progress struct {
			Steps []struct{ Step, State string }
		}
	}
)

// httpClient keeps a connection for each request that is made at the same time.
var httpClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}

// CloseIdleConnections closes the connections that no request uses, so that the next requests connect again.
func CloseIdleConnections() { httpClient.CloseIdleConnections() }

// Client makes the requests of one person.
type Client struct {
	URL     string
	Token   string // empty: without an account
	Secret  string // of a directory, for its requests (SCIM); empty: none
	ID      string // of the person
	Address string // of the person, as a proxy reports it; empty: none

	// RetryFor is for how long a request is repeated every second while the service is busy (503), unless its body is an io.Reader. Zero: once.
	RetryFor time.Duration
}

// Request is one request of a client.
type Request struct {
	Method, Path string
	Key          string // Idempotency-Key; empty: none
	Type         string // Content-Type; empty: JSON
	Body         any    // an io.Reader is sent as it is, anything else as JSON
}

// Refusal is an answer other than 200.
type Refusal struct {
	Request    string // method and path
	Status     int
	Text       []byte
	RetryAfter string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: status %d: %.600s", r.Request, r.Status, r.Text)
}

// Send sends a request, and returns an answer of 200, or else a *Refusal. The caller closes its body.
func (c *Client) Send(ctx context.Context, q Request) (*http.Response, error) {
	_, once := q.Body.(io.Reader)
	for began := time.Now(); ; time.Sleep(time.Second) {
		a, err := c.sendOnce(ctx, q)
		var refused *Refusal
		if once || !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || time.Since(began) >= c.RetryFor {
			return a, err
		}
	}
}

func (c *Client) sendOnce(ctx context.Context, q Request) (*http.Response, error) {
	body, ok := q.Body.(io.Reader)
	if !ok && q.Body != nil {
		b, err := json.Marshal(q.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, q.Method, c.URL+q.Path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.Secret)
	}
	for name, value := range map[string]string{"Content-Type": q.Type, "Idempotency-Key": q.Key, "X-Access-Token": c.Token, "X-Forwarded-For": c.Address} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	a, err := httpClient.Do(r)
	if err != nil || a.StatusCode == http.StatusOK {
		return a, err
	}
	text, err := io.ReadAll(a.Body)
	if err := errors.Join(err, a.Body.Close()); err != nil {
		return nil, err
	}
	return nil, &Refusal{q.Method + " " + q.Path, a.StatusCode, text, a.Header.Get("Retry-After")}
}

// Read sends a request and reads the answer to its end.
func (c *Client) Read(ctx context.Context, q Request) ([]byte, error) {
	a, err := c.Send(ctx, q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	return io.ReadAll(a.Body)
}

// Call sends a request and decodes the answer, unless answer is nil.
func (c *Client) Call(q Request, answer any) error {
	b, err := c.Read(context.Background(), q)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(b, answer)
}

// Get calls a path with GET.
func (c *Client) Get(path string, answer any) error {
	return c.Call(Request{Method: http.MethodGet, Path: path}, answer)
}

// Post calls a path with POST.
func (c *Client) Post(path string, body, answer any) error {
	return c.Call(Request{Method: http.MethodPost, Path: path, Body: body}, answer)
}

// PostVerb calls a verb of a document that needs nothing else, such as finalize-docs.
func (c *Client) PostVerb(verb string, document int64) error {
	return c.Post(SignPath+verb, Object{"document_id": document}, nil)
}

// Upload uploads a document, and returns its number.
func (c *Client) Upload(body any) (int64, error) {
	var a UploadAnswer
	err := c.Post(UploadPath, body, &a)
	return a.Response.Data.ID, err
}

// StampEntry returns the entry of a placement request for a duty stamp. Box is llx, lly, urx, ury in points.
func (c *Client) StampEntry(page int, box [4]int) Object {
	return Object{
		"page": page, "type": "emet", "user": Object{"userid": c.ID},
		"emet": Object{"llx": box[0], "lly": box[1], "urx": box[2], "ury": box[3]},
	}
}

// WaitCompleted polls the status until the document is completed, as clients do.
func (c *Client) WaitCompleted(document int64) (Status, error) {
	for began := time.Now(); time.Since(began) < max(time.Minute, c.RetryFor); time.Sleep(10 * time.Millisecond) {
		var a StatusAnswer
		if err := c.Get(fmt.Sprint(DocumentPath, "status/", document), &a); err != nil || a.Data.Status == "completed" {
			return a.Data, err
		}
	}
	return Status{}, fmt.Errorf("document %d was not completed in %s", document, max(time.Minute, c.RetryFor))
}

// StepState returns the state of a step: waiting, active, done or stopped.
func (s Status) StepState(name string) string {
	for _, p := range s.Progress.Steps {
		if p.Step == name {
			return p.State
		}
	}
	return ""
}

// FollowEvents reads the events of a document until it is completed, and calls each, if not nil, with every state that they report.
func (c *Client) FollowEvents(ctx context.Context, document int64, each func(Status)) error {
	ctx, cancel := context.WithTimeout(ctx, max(time.Minute, c.RetryFor))
	defer cancel()
	a, err := c.Send(ctx, Request{Method: http.MethodGet, Path: fmt.Sprint(DocumentPath, "events/", document)})
	if err != nil {
		return err
	}
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var now Status
		if err := json.Unmarshal([]byte(data), &now); err != nil {
			return err
		}
		if each != nil {
			each(now)
		}
		switch now.Status {
		case "completed":
			_, err := io.Copy(io.Discard, a.Body) // to the end, so that the connection is used again
			return err
		case "processing":
		default:
			return fmt.Errorf("document %d is %s", document, now.Status)
		}
	}
	return cmp.Or(lines.Err(), fmt.Errorf("document %d: its events ended before it was completed", document))
}

// Password is the password of the people that AddPerson adds.
const Password = "kata sandi bangku uji"

// AddPerson adds a user to an organisation of the running service and logs in. Organisation is a name; empty: the first one.
func (s *Service) AddPerson(organisation, email, name string) (*Client, error) {
	file := filepath.Join(s.Data, ".password")
	if err := os.WriteFile(file, []byte(Password), 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(file)
	cmd := exec.Command(s.Binary, "user", "add", "--data", s.Data, "--email", email, "--name", name, "--password-file", file)
	if organisation != "" {
		cmd.Args = append(cmd.Args, "--org", organisation)
	}
	cmd.Env = append(Environ(), s.Env...)
	if b, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("add %s: %w: %s", email, err, b)
	}
	c := &Client{URL: s.URL, RetryFor: s.RetryFor}
	var a LoginAnswer
	err := c.Post(LoginPath, Object{"email": email, "password": Password}, &a)
	c.Token, c.ID = a.Data.Token, a.Data.Account.ID
	return c, err
}
