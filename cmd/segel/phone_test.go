package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/config"
	"segel/internal/contract"
)

// phoneProvider is a provider of text messages in this process, and the messages that it accepted.
type phoneProvider struct {
	url string

	mu       sync.Mutex
	received []receivedText
	refuses  string        // number that it refuses for good
	arrived  chan struct{} // closed and replaced with each message
}

// receivedText is the body of a request, as the template of [startPhoneProvider] makes it.
type receivedText struct {
	ID   string `json:"id"`
	To   string `json:"to"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// startPhoneProvider starts a provider and returns it with the settings of a service that sends WhatsApp messages through it.
func startPhoneProvider(t *testing.T) (*phoneProvider, []string) {
	t.Helper()
	p := &phoneProvider{arrived: make(chan struct{})}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p, []string{
		"SEGEL_PHONE_WHATSAPP_URL", server.URL + "/send?key=query-secret-1234567", "SEGEL_PHONE_WHATSAPP_HEADERS", `{"Authorization": "Bearer provider-secret-1234567"}`,
		"SEGEL_PHONE_WHATSAPP_BODY", `{"id": {{json .ID}}, "to": "{{digits .Number}}", "kind": {{json .Kind}}, "text": {{json .Text}}}`,
		"SEGEL_PHONE_WHATSAPP_ACCEPTED", `"status": ?true`, "SEGEL_MAIL_LANGUAGE", "en", "SEGEL_OUTBOUND_PRIVATE", "127.0.0.0/8",
	}
}

func (p *phoneProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m receivedText
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &m) != nil || r.Header.Get("Authorization") != "Bearer provider-secret-1234567" || r.Header.Get("Idempotency-Key") != m.ID {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.To == p.refuses {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"status":false,"reason":"not on WhatsApp","you_sent":%q}`, body)
		return
	}
	p.received = append(p.received, m)
	close(p.arrived)
	p.arrived = make(chan struct{})
	fmt.Fprint(w, `{"status":true}`)
}

// textTo waits for message number n to a number, counted from 1.
func (p *phoneProvider) textTo(t *testing.T, number string, n int) receivedText {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		p.mu.Lock()
		all, arrived := p.to(number), p.arrived
		p.mu.Unlock()
		if len(all) >= n {
			return all[n-1]
		}
		select {
		case <-arrived:
		case <-deadline:
			t.Fatalf("%s got %d messages, want %d", number, len(all), n)
		}
	}
}

func (p *phoneProvider) to(number string) (all []receivedText) {
	for _, m := range p.received {
		if m.To == number {
			all = append(all, m)
		}
	}
	return all
}

// guestLink returns the link of a guest in a message.
func (m receivedText) guestLink(t *testing.T) string {
	t.Helper()
	link := mailedLink.FindString(m.Text)
	if link == "" {
		t.Fatalf("no link of a guest in %s", m.Text)
	}
	return link
}

// code returns the code in a message.
func (m receivedText) code(t *testing.T) string {
	t.Helper()
	code := mailedCode.FindString(strings.ReplaceAll(m.Text, "127.0.0.1", ""))
	if code == "" || m.Kind != "code" {
		t.Fatalf("no code in %s", m.Text)
	}
	return code
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

const (
	budiPhone = "+628123456789"
	budiTo    = "628123456789"
)

// textedGuest is a guest without a mailbox.
func textedGuest() object {
	return object{"name": "Budi Santoso", "phone": "0812-3456-789", "channel": "whatsapp", "role": "signer", "number": 1}
}

// firstPerson returns the first participant, as the owner sees them.
func (c *client) firstPerson(id int64) object {
	c.t.Helper()
	return c.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)
}

func TestAGuestWithoutAMailboxSignsByWhatsAppAndThePhoneIsVerified(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		provider, phone := startPhoneProvider(t)
		log := &lockedBuffer{}
		s := starting{set: slices.Concat(set, phone, []string{"SEGEL_PAGE_PICTURES", config.PicturesOff}), log: log}.start(t)
		owner := s.person(t, "Sari Wulandari", "PT Sari")
		id := owner.uploadWith(object{"document_title": `Sewa "Ruko"`, "guest": textedGuest()}, simple())
		owner.verb("finalize-docs", id).ok()
		invitation := provider.textTo(t, budiTo, 1)
		if invitation.Kind != "invite_sign" || !strings.Contains(invitation.Text, `Sari Wulandari of PT Sari asks you to sign the document "Sewa "Ruko""`) {
			t.Errorf("the invitation: %+v", invitation)
		}
		guest := s.openLink(t, invitation.guestLink(t))
		guest.verb("sign-docs", id).is(403, "guest.code_required")
		if check := guest.get("detail", id).ok().object("data")["code"].(object); check["channel"] != "whatsapp" || check["address"] != "+62***789" || check["delivered"] != true {
			t.Errorf("what the guest has to prove: %v", check)
		}
		ordered := guest.verb("guest-code-docs", id).ok().object("response")["data"].(object)
		if ordered["channel"] != "whatsapp" || ordered["address"] != "+62***789" {
			t.Errorf("the answer about the code: %v", ordered)
		}
		code := provider.textTo(t, budiTo, 2).code(t)
		if strings.Contains(provider.textTo(t, budiTo, 2).Text, "sgl_") {
			t.Error("the message with the code has a link with a secret")
		}
		guest.verb("guest-verify-docs", id, "code", anotherCode(code)).is(422, "guest.code_wrong")
		if a := guest.verb("guest-verify-docs", id, "code", code).ok(); !strings.Contains(string(a.body), "Nomor telepon Anda telah diverifikasi") {
			t.Errorf("the answer to the right code: %s", a.body)
		}
		guest.verb("sign-docs", id).ok()
		owner.completed(id)
		if done := provider.textTo(t, budiTo, 3); done.Kind != "completed" || done.guestLink(t) != invitation.guestLink(t) {
			t.Errorf("the message about the completion: %+v", done)
		}

		if got := signer(t, verified(t, s, owner.download(id))).Identity; got.Assurance != "guest_phone_code" || strings.Join(got.Verified, " ") != "phone" ||
			got.Statement.English != "not verified; the phone number "+budiPhone+" was verified with a code; named by Sari Wulandari of PT Sari" {
			t.Errorf("the verdict: %+v", got)
		}

		// What the owner sees, the audit trail, and the evidence.
		s.stopJobs(t)
		person := owner.firstPerson(id)
		if person["channel"] != "whatsapp" || person["phone"] != budiPhone || person["email"] != nil {
			t.Errorf("the guest: %v", person)
		}
		for _, m := range person["mail"].([]any) {
			if m := m.(object); m["channel"] != "whatsapp" || m["status"] != "sent" {
				t.Errorf("a message to the guest: %v", m)
			}
		}
		trail := string(owner.get("audit-trail", id).ok().body)
		for _, want := range []string{"phone_verified", "melalui WhatsApp ke " + budiPhone, "nomor telepon " + budiPhone + " diverifikasi dengan kode melalui WhatsApp"} {
			if !strings.Contains(trail, want) {
				t.Errorf("the audit trail does not say %q: %s", want, trail)
			}
		}
		for _, wrong := range []string{"mailbox", "alamat e-mail", "surat elektronik"} {
			if strings.Contains(trail, wrong) {
				t.Errorf("the audit trail says %q", wrong)
			}
		}
		f := owner.evidenceFacts(t, id)
		signature := f.People[0].Signature
		if signature == nil || signature.Phone != budiPhone || signature.PhoneChannel != "whatsapp" || signature.PhoneAt == "" || signature.Mailbox != "" || signature.Link != "texted" {
			t.Errorf("the signature in the evidence: %+v", signature)
		}
		if i := f.People[0].Invitations; len(i) != 1 || i[0].How != "text_message" || i[0].Channel != "whatsapp" || i[0].Address != budiPhone || f.People[0].Phone != budiPhone {
			t.Errorf("the invitations in the evidence: %+v", i)
		}
		if status, said := s.command(t, "", "mail", "list"); s.conf.Database == "" && (status != 0 || strings.Count(said, "whatsapp") != 3) {
			t.Errorf("mail list: %d %s", status, said)
		}
		s.fsck(t)

		// The log at the level debug.
		s.stop()
		_, secret, _ := strings.Cut(invitation.guestLink(t), "#")
		logged := log.String()
		if logged == "" {
			t.Error("nothing was logged")
		}
		alone := regexp.MustCompile(`(^|[^0-9A-Za-z.])` + code + `([^0-9A-Za-z]|$)`)
		if strings.Contains(logged, secret) || alone.MatchString(logged) || strings.Contains(logged, "secret-1234567") {
			t.Errorf("the log has the link, the code or a key: %s", logged)
		}
	})
}

func TestARefusedPhoneNumberIsShownToTheOwnerWhoCorrectsIt(t *testing.T) {
	t.Parallel()
	provider, set := startPhoneProvider(t)
	provider.refuses = budiTo
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": textedGuest()}, simple())
	owner.verb("finalize-docs", id).ok()
	var message object
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		message = owner.firstPerson(id)["mail"].([]any)[0].(object)
		if message["status"] != "ordered" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the message is not refused")
		}
	}
	admin := s.administrator(t, "Admin", "PT Sari")
	for kind, want := range map[string]int{"text.refused": 1, "mail.bounced": 0} {
		events := admin.do("GET", "/v1/events?types="+kind, nil).ok().object("data")["events"].([]any)
		if len(events) != want {
			t.Errorf("%d events are %s, want %d: %v", len(events), kind, want, events)
		}
	}
	problem := fmt.Sprint(message["problem"])
	if message["status"] != "failed" || !strings.Contains(problem, "HTTP 400") || !strings.Contains(problem, "not on WhatsApp") || strings.Contains(problem, "sgl_") {
		t.Errorf("the refused message: %v", message)
	}
	person := owner.firstPerson(id)["user_id"].(string)
	correct := func(more ...any) *answer {
		return owner.verb("correct-guest-docs", id, append([]any{"user_id", person}, more...)...)
	}
	correct("phone", "12345").is(422, "phone.malformed")
	correct("phone", "").is(422, "phone.missing")
	correct("channel", "sms").is(422, "channel.not_configured")
	correct("channel", "mail").is(422, "text.missing")
	correct("phone", "+62 811 1111 111").ok()
	link := provider.textTo(t, "628111111111", 1).guestLink(t)
	guest := s.openLink(t, link)
	guest.verb("guest-code-docs", id).ok()
	guest.verb("guest-verify-docs", id, "code", provider.textTo(t, "628111111111", 2).code(t)).ok()

	// With another number, the proof and the link end.
	correct("phone", "+62 822 2222 222").ok()
	guest.get("detail", id).is(401)
	link = provider.textTo(t, "628222222222", 1).guestLink(t)

	// By mail, for which this service has no server: the message is kept.
	correct("channel", "mail", "email", "budi").is(422, "email.malformed")
	correct("channel", "mail", "email", budi).ok()
	(&client{service: s, t: t}).do("POST", "/v1/auth/guest", object{"link": link}).is(404, "guest.link_revoked")
	if after := owner.firstPerson(id); after["channel"] != "mail" || fmt.Sprint(owner.noticeKinds(id, budi)) != "[code sent invite_sign kept]" {
		t.Errorf("the guest by mail: %v", after)
	}
	if trail := string(owner.get("audit-trail", id).ok().body); !strings.Contains(trail, "Pesan tidak dapat dikirim melalui WhatsApp ke "+budiPhone) {
		t.Errorf("the audit trail: %s", trail)
	}
}

func TestAChannelNeedsAPhoneNumberAndAProvider(t *testing.T) {
	t.Parallel()
	_, set := startPhoneProvider(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	second := s.person(t, "Dewi Lestari", "PT Sari")
	draft := owner.uploadWith(object{}, simple())
	member := func(more object) []any {
		p := second.as("signer", 1)
		for name, v := range more {
			p[name] = v
		}
		return []any{p}
	}
	for _, test := range []struct {
		kind       string
		people     any
		code, name string
	}{
		{"guest", object{"name": "Budi", "role": "signer", "channel": "whatsapp"}, "phone.missing", "guest[0].phone"},
		{"guest", object{"name": "Budi", "role": "signer", "channel": "whatsapp", "phone": "rumah"}, "phone.malformed", "guest[0].phone"},
		{"guest", object{"name": "Budi", "role": "signer", "channel": "sms", "phone": budiPhone}, "channel.not_configured", "guest[0].channel"},
		{"guest", object{"name": "Budi", "role": "signer", "channel": "fax", "phone": budiPhone}, "value.not_one_of", "guest[0].channel"},
		{"guest", object{"name": "Budi", "role": "signer", "phone": budiPhone}, "text.missing", "guest[0].email"},
		{"guest", []any{textedGuest(), textedGuest()}, "participant.twice", "guest[1].phone"},
		{"signer", member(object{"channel": "whatsapp"}), "phone.missing", "signer[0].phone"},
		{"signer", member(object{"channel": "sms", "phone": budiPhone}), "channel.not_configured", "signer[0].channel"},
	} {
		a := owner.verb("participants-docs", draft, test.kind, test.people).is(422, test.code)
		if !strings.Contains(string(a.body), test.name) {
			t.Errorf("%v: %s", test.people, a.body)
		}
	}
	owner.verb("participants-docs", draft, "guest", textedGuest(), "signer", member(object{"channel": "whatsapp", "phone": "0811 222 333"})).ok()
	people := owner.get("signers", draft).ok().object("data")["signer"].([]any)
	for _, p := range people {
		if p := p.(object); p["channel"] != "whatsapp" {
			t.Errorf("the channel of %v", p)
		}
	}
	// The same guest is the same person when the list is set again, and in a copy.
	owner.verb("participants-docs", draft, "guest", textedGuest()).ok()
	before := owner.firstPerson(draft)["user_id"]
	owner.verb("participants-docs", draft, "guest", textedGuest()).ok()
	if after := owner.firstPerson(draft); after["user_id"] != before || after["phone"] != budiPhone {
		t.Errorf("the guest is %v after the same list, and was %v", after, before)
	}
	owner.verb("finalize-docs", draft).ok()
	owner.verb("cancel-docs", draft, "reason", "salah").ok()
	if copied := owner.firstPerson(owner.copyOf(draft)); copied["channel"] != "whatsapp" || copied["phone"] != budiPhone {
		t.Errorf("the guest in a copy: %v", copied)
	}
}

func TestWithoutAProviderAnOperatorReadsTheTextMessagesOfEarlierDrafts(t *testing.T) {
	t.Parallel()
	_, set := startPhoneProvider(t)
	s := start(t, set...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id := owner.uploadWith(object{"guest": textedGuest()}, simple())
	s.stop()
	s = starting{data: s.conf.DataDir}.start(t)
	owner = owner.on(s)
	owner.verb("finalize-docs", id).ok()
	message := owner.firstPerson(id)["mail"].([]any)[0].(object)
	if message["status"] != "kept" || message["channel"] != "whatsapp" {
		t.Errorf("the message: %v", message)
	}
	notices, err := s.store.NoticesOf(t.Context(), contract.DocumentID(id))
	if err != nil || len(notices) != 1 {
		t.Fatalf("%v, %v", notices, err)
	}
	status, said := s.command(t, "", "mail", "show", string(notices[0].ID))
	if status != 0 || !strings.Contains(said, "To: Budi Santoso "+budiPhone) || strings.Contains(said, "Subject") {
		t.Fatalf("mail show: %d %s", status, said)
	}
	if status, said := s.command(t, "", "mail", "retry", string(notices[0].ID)); status == 0 || !strings.Contains(said, "No provider is configured for this channel") {
		t.Errorf("mail retry: %d %s", status, said)
	}
	guest := s.openLink(t, mailedLink.FindString(said))
	guest.verb("guest-code-docs", id).is(409, "guest.no_phone")
	guest.verb("sign-docs", id).ok() // the audit trail says that the link was handed out
	if trail := string(owner.get("audit-trail", id).ok().body); !strings.Contains(trail, "tautan diserahkan langsung") {
		t.Errorf("the audit trail: %s", trail)
	}
}
