package phone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/outbound"
	"segel/internal/text"
)

// guardedClient returns a client that reaches the servers of tests, and no other host that is not on the public internet.
func guardedClient(t *testing.T, address string, private bool) *http.Client {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	at, err := netip.ParseAddrPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	o := outbound.Options{Ports: []uint16{at.Port()}}
	if private {
		o.Allowed = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	client := outbound.NewClient(o)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(client.CloseIdleConnections)
	return client
}

const (
	jsonBody = `{"to": "{{digits .Number}}", "text": {{json .Text}}, "sender": {{json .Sender}}}`
	secret   = "sgl_ml_0123456789abcdefghijklmnopqrstuvwxyz"
)

func sampleMessage() notify.TextMessage {
	return notify.TextMessage{
		ID: "01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61", Channel: contract.ChannelWhatsApp, Number: "+628123456789", Name: "Budi", Kind: contract.NoticeInviteSigner,
		Language: text.Indonesian, Sender: "Sari", Title: "Sewa", Link: "https://segel.example.com/guest#" + secret, Text: "Halo\nhttps://segel.example.com/guest#" + secret,
	}
}

// provider starts a provider that answers with a handler, and returns a sender to it.
func provider(t *testing.T, o Options, answer http.HandlerFunc) *Sender {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	o.URL, o.Client = server.URL+"/v1/send?key=geheim", guardedClient(t, server.URL, true)
	if o.Body == "" {
		o.Body = jsonBody
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARequestIsMadeFromTheTemplate(t *testing.T) {
	t.Parallel()
	asked := make(chan *http.Request, 1)
	body := make(chan string, 1)
	s := provider(t, Options{Method: "PUT", Headers: `{"authorization": "Bearer abc", "X-App": "segel"}`}, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked <- r
		body <- string(b)
	})
	m := sampleMessage()
	m.Sender = "O\"Neil\\\n{{.Link}} </script>&to=1\u2028"
	if err := s.SendText(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	r := <-asked
	for name, want := range map[string]string{"Authorization": "Bearer abc", "X-App": "segel", "Content-Type": "application/json", "Idempotency-Key": m.ID} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if r.Method != "PUT" || r.URL.String() != "/v1/send?key=geheim" {
		t.Errorf("%s %s", r.Method, r.URL)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(<-body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got["to"] != "628123456789" || got["text"] != m.Text || got["sender"] != m.Sender {
		t.Errorf("the provider reads %q", got)
	}
}

func TestHostileNamesStayInTheirFieldOfAForm(t *testing.T) {
	t.Parallel()
	form := make(chan url.Values, 1)
	s := provider(t, Options{Headers: `{"Content-Type": "application/x-www-form-urlencoded"}`, Body: "to={{form .Number}}&from={{form .Sender}}&text={{form .Text}}"}, func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		form <- r.PostForm
	})
	m := sampleMessage()
	m.Sender = "Sari&to=+1900;\r\ntext=%00+é"
	if err := s.SendText(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := <-form
	if len(got) != 3 || got.Get("to") != m.Number || got.Get("from") != m.Sender || got.Get("text") != m.Text {
		t.Errorf("the provider reads %q", got)
	}
}

func TestTheAnswerDecidesWhetherAMessageIsAcceptedRefusedOrSentAgain(t *testing.T) {
	t.Parallel()
	const accepted, refused, again = "accepted", "refused", "sent again"
	for _, test := range []struct {
		status int
		body   string
		want   string
	}{
		{200, `{"status": true}`, accepted}, {202, `{"status":true}`, accepted}, {200, `{"status": false}`, again}, {204, "", again},
		{200, `{"status": true}` + strings.Repeat(" ", maxAnswer), again}, {302, "", again},
		{400, "bad number", refused}, {403, "", refused}, {404, "", refused}, {422, "", refused},
		{401, "", again}, {402, "no credit", again}, {407, "", again}, {408, "", again}, {425, "", again}, {429, "", again}, {500, "", again}, {503, "", again},
	} {
		t.Run(fmt.Sprint(test.status, " ", test.body[:min(len(test.body), 20)]), func(t *testing.T) {
			t.Parallel()
			s := provider(t, Options{Accepted: `"status": ?true`}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			err := s.SendText(t.Context(), sampleMessage())
			var r *notify.Refusal
			got := again
			switch {
			case err == nil:
				got = accepted
			case errors.As(err, &r):
				got = refused
			}
			if got != test.want {
				t.Errorf("it is %s: %v", got, err)
			}
		})
	}
}

func TestErrorsAndReasonsContainNoSecret(t *testing.T) {
	t.Parallel()
	echo := provider(t, Options{Headers: `{"Authorization": "Bearer provider-secret-1234567"}`}, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.WriteHeader(400)
		fmt.Fprintf(w, "not on WhatsApp: %s %s %s %s", b, url.QueryEscape(string(b)), r.Header.Get("Authorization"), r.URL)
	})
	m := sampleMessage()
	err := echo.SendText(t.Context(), m)
	if err == nil || !strings.Contains(err.Error(), "HTTP 400 not on WhatsApp") || strings.Contains(err.Error(), secret[7:20]) || strings.Contains(err.Error(), "secret-1234567") {
		t.Errorf("the reason: %v", err)
	}
	m.Code, m.Text = "482913", "Kode: 482913"
	if err := echo.SendText(t.Context(), m); err == nil || err.Error() != "refused: HTTP 400" {
		t.Errorf("the reason of a message with a code: %v", err)
	}
	down := provider(t, Options{}, nil)
	down.url = "http://127.0.0.1:1/?key=geheim"
	if err := down.SendText(t.Context(), m); err == nil || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), m.Code) {
		t.Errorf("the error: %v", err)
	}
}

func TestASlowProviderIsTriedAgain(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := provider(t, Options{Timeout: 50 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	err := s.SendText(t.Context(), sampleMessage())
	var r *notify.Refusal
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &r) {
		t.Errorf("%v", err)
	}
}

func TestAProviderInAPrivateNetworkIsNotReached(t *testing.T) {
	t.Parallel()
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	s, err := New(Options{URL: server.URL, Body: jsonBody, Client: guardedClient(t, server.URL, false)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SendText(t.Context(), sampleMessage()); !errors.Is(err, outbound.ErrRefused) || asked {
		t.Errorf("%v, asked: %t", err, asked)
	}
}

func TestWrongSettingsAreRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change func(*Options)
		want   error
	}{
		{func(o *Options) { o.URL = "ftp://geheim.example" }, ErrURL},
		{func(o *Options) { o.URL = "https://u:geheim@sms.example/" }, ErrURL},
		{func(o *Options) { o.URL = "https://" }, ErrURL},
		{func(o *Options) { o.Method = "GET" }, ErrMethod},
		{func(o *Options) { o.Headers = `geheim` }, ErrHeaders},
		{func(o *Options) { o.Headers = `{"X": "geheim\r\nY: 1"}` }, ErrHeaders},
		{func(o *Options) { o.Headers = `{"ge heim": "1"}` }, ErrHeaders},
		{func(o *Options) { o.Headers = `{"host": "geheim"}` }, ErrHeaders},
		{func(o *Options) { o.Accepted = "(geheim" }, ErrAccepted},
		{func(o *Options) { o.Client = nil }, ErrClient},
		{func(o *Options) { o.Body = "" }, ErrTemplate},
		{func(o *Options) { o.Body = `{"to": {{digits .Number}}, "text": geheim}` }, ErrNotJSON},
		{func(o *Options) { o.Body = `{"text": {{if .Code}}{{json .Code}}{{end}}}` }, ErrNotJSON},
	} {
		o := Options{URL: "https://sms.example/", Body: jsonBody, Client: http.DefaultClient}
		test.change(&o)
		if _, err := New(o); !errors.Is(err, test.want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%v, want %v", err, test.want)
		}
	}
}
