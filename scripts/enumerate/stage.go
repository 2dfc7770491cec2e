package main

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
	_ "modernc.org/sqlite" // registers the driver sqlite

	"segel/internal/passkey/passkeytest"
	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// The public address allows passkeys; the requests go to the address of the listener.
const publicURL, rpID, origin = "https://segel.example.test", "segel.example.test", "https://erp.contoh.id"

// stage has the people who ask, and what they ask about. The owner, the outsider and the guarded account, which has second factors, are of the first
// organisation; PT Dalam has all that administration names, and PT Luar asks about it.
type stage struct {
	anybody, outsider, guarded, guest, reader, adminElsewhere, directoryElsewhere caller

	exists, missing map[string]string // by the name in paths
	passkey         *passkeytest.Authenticator

	// Secrets that were used, revoked or replaced.
	formerRefresh, formerReset, formerInvitation, formerLink, formerAddress string
}

const none = "3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"

// made is the answer to a request that creates something.
type made struct {
	Response struct {
		Data struct {
			Secret, URL                                         string
			Key, Invitation, Label, Team, Hold, Webhook, Folder struct{ ID string }
		}
	}
}

func newStage(s *running.Service, provider string) (*stage, error) {
	owner, err := s.AddPerson("", "owner@example.test", "owner")
	if err != nil {
		return nil, err
	}
	outsider, err := s.AddPerson("", "outsider@example.test", "outsider")
	if err != nil {
		return nil, err
	}
	operator, err := addAdmin(s, "", "operator@example.test")
	if err != nil {
		return nil, err
	}
	st := &stage{anybody: caller{&running.Client{URL: s.URL}}, outsider: caller{outsider}}
	// A document with much to read, so that reading it before refusing would show.
	guests := []object{}
	for i := range 90 {
		guests = append(guests, object{"name": fmt.Sprintf("Tamu %d", i), "email": fmt.Sprintf("tamu%d@example.test", i), "role": "signer", "number": 1})
	}
	send := func() (int64, error) {
		id, err := owner.Upload(object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(1)), "guest": guests})
		if err != nil {
			return 0, err
		}
		return id, owner.PostVerb("finalize-docs", id)
	}
	id, err := send()
	if err != nil {
		return nil, err
	}
	other, err := send()
	if err != nil {
		return nil, err
	}
	guest, _, _, err := openAsGuest(owner, other)
	if err != nil {
		return nil, err
	}
	st.guest = caller{guest}
	_, person, link, err := openAsGuest(owner, id)
	if err == nil {
		st.formerLink = link
		err = owner.Post(running.SignPath+"guest-revoke-docs", object{"document_id": id, "user_id": person}, nil)
	}
	if err != nil {
		return nil, err
	}
	reader, err := s.AddPerson("", "pembaca@example.test", "reader")
	if err == nil {
		err = verifyMailbox(s.Data, reader.ID, "pembaca@example.test")
	}
	if err != nil {
		return nil, err
	}
	st.reader = caller{reader}
	guarded, err := s.AddPerson("", "guarded@example.test", "guarded")
	if err == nil {
		err = addAuthenticator(guarded)
	}
	if err == nil {
		st.passkey, err = addPasskey(guarded)
	}
	if err != nil {
		return nil, err
	}
	st.guarded = caller{guarded}
	// An organisation with a provider for dalam.test and a directory, and an admin of another one with a directory.
	inside, err := addAdmin(s, "PT Dalam", "dalam@example.test")
	if err != nil {
		return nil, err
	}
	elsewhere, err := addAdmin(s, "PT Luar", "luar@example.test")
	if err != nil {
		return nil, err
	}
	st.adminElsewhere = caller{elsewhere}
	if err := setProvider(s, "PT Dalam", provider, "dalam.test"); err != nil {
		return nil, err
	}
	if _, err := s.AddPerson("PT Dalam", "ada@dalam.test", "ada"); err != nil {
		return nil, err
	}
	directory, err := newDirectory(inside)
	if err != nil {
		return nil, err
	}
	directoryElsewhere, err := newDirectory(elsewhere)
	if err != nil {
		return nil, err
	}
	st.directoryElsewhere = caller{directoryElsewhere}
	group, err := addGroup(directory)
	if err != nil {
		return nil, err
	}
	var me struct {
		Data struct {
			Business string `json:"business_id"`
		}
	}
	if err := inside.Get("/v1/auth/me", &me); err != nil {
		return nil, err
	}
	var sessions struct {
		Data struct{ Sessions []struct{ ID string } }
	}
	if err := owner.Get("/v1/auth/sessions", &sessions); err != nil {
		return nil, err
	}
	st.exists = map[string]string{
		"document_id": fmt.Sprint(id), "organisation": me.Data.Business, "organisation_id": me.Data.Business, "person_id": inside.ID, "email": "dalam@example.test", "session_id": sessions.Data.Sessions[0].ID,
		"domain": "dalam.test", "group": group, "group_name": groupName,
	}
	st.missing = map[string]string{
		"document_id": "999999999", "organisation": none, "organisation_id": none, "person_id": none, "email": "nobody@example.test", "session_id": none, "domain": "nol.test", "group": none, "group_name": "tidak ada",
		"key_id": none, "invitation_id": none, "label_id": none, "team_id": none, "hold_id": none, "webhook_id": none, "folder_id": none, "notice_id": none,
	}
	for name, create := range map[string]struct {
		by     *running.Client
		method string
		path   string
		body   object
		read   func(made) string
	}{
		"key_id":        {owner, http.MethodPost, "/v1/auth/keys", object{"name": "ERP", "scopes": []string{"documents:read"}}, func(m made) string { return m.Response.Data.Key.ID }},
		"invitation_id": {inside, http.MethodPost, "/v1/admin/invitations", object{"email": "undangan@example.test"}, func(m made) string { return m.Response.Data.Invitation.ID }},
		"label_id":      {inside, http.MethodPost, "/v1/admin/labels", object{"name": "Rahasia", "colour": "teal"}, func(m made) string { return m.Response.Data.Label.ID }},
		"team_id":       {inside, http.MethodPost, "/v1/admin/teams", object{"name": "Hukum"}, func(m made) string { return m.Response.Data.Team.ID }},
		"hold_id":       {inside, http.MethodPost, "/v1/admin/holds", object{"reason": "Perkara 1"}, func(m made) string { return m.Response.Data.Hold.ID }},
		"webhook_id":    {inside, http.MethodPost, "/v1/admin/webhooks", object{"url": "https://hook.example.test/"}, func(m made) string { return m.Response.Data.Webhook.ID }},
		"folder_id":     {owner, http.MethodPut, running.DocumentPath + "folders", object{"name": "Rahasia"}, func(m made) string { return m.Response.Data.Folder.ID }},
	} {
		var m made
		if err := create.by.Call(running.Request{Method: create.method, Path: create.path, Body: create.body}, &m); err != nil {
			return nil, err
		}
		if st.exists[name] = create.read(m); st.exists[name] == "" {
			return nil, fmt.Errorf("the answer of %s has no %s", create.path, name)
		}
	}
	if st.exists["notice_id"], err = keptMail(operator, "invitation"); err != nil {
		return nil, err
	}
	return st, st.addFormer(s, owner, operator, inside, id)
}

// addFormer makes secrets that open nothing any more.
func (st *stage) addFormer(s *running.Service, owner, operator, inside *running.Client, document int64) error {
	var session struct {
		Data struct {
			Token   string
			Refresh string `json:"refresh_token"`
		}
	}
	if err := st.anybody.Post(running.LoginPath, object{"email": "owner@example.test", "password": running.Password}, &session); err != nil {
		return err
	}
	st.formerRefresh = session.Data.Refresh
	if err := (&running.Client{URL: s.URL, Token: session.Data.Token}).Post("/v1/auth/logout", object{}, nil); err != nil {
		return err
	}

	var invited made
	if err := inside.Post("/v1/admin/invitations", object{"email": "bekas@example.test"}, &invited); err != nil {
		return err
	}
	var err error
	if st.formerInvitation, err = mailedLink(operator, "invitation"); err != nil {
		return err
	}
	if err := inside.Call(running.Request{Method: http.MethodDelete, Path: "/v1/admin/invitations/" + invited.Response.Data.Invitation.ID}, nil); err != nil {
		return err
	}

	if _, err := s.AddPerson("", "lupa@example.test", "lupa"); err != nil {
		return err
	}
	if err := st.anybody.Post("/v1/auth/forgot-password", object{"email": "lupa@example.test"}, nil); err != nil {
		return err
	}
	if st.formerReset, err = mailedLink(operator, "password_reset"); err != nil {
		return err
	}
	if err := st.anybody.Post("/v1/auth/reset-password", object{"link": st.formerReset, "new": "lampu taman biru 42"}, nil); err != nil {
		return err
	}

	if err := operator.Call(running.Request{Method: http.MethodPut, Path: "/v1/admin/embedding", Body: object{"origins": []string{origin}}}, nil); err != nil {
		return err
	}
	var page made
	if err := owner.Post(running.SignPath+"embed-docs", object{"document_id": document, "purpose": "view"}, &page); err != nil {
		return err
	}
	st.formerAddress = page.Response.Data.URL
	return st.anybody.Post("/v1/auth/embedded", object{"address": st.formerAddress, "origin": origin}, nil)
}

// keptMail waits for a message of a kind, which operators read while there is no mail server, and returns the identifier of the newest.
func keptMail(operator *running.Client, kind string) (string, error) {
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		var list struct {
			Data struct {
				Mail []struct {
					ID     string
					Notice struct{ Kind string }
				}
			}
		}
		if err := operator.Get("/v1/admin/mail?status=kept", &list); err != nil {
			return "", err
		}
		for _, m := range list.Data.Mail {
			if m.Notice.Kind == kind {
				return m.ID, nil
			}
		}
	}
	return "", fmt.Errorf("there is no mail of the kind %s", kind)
}

// mailedLink returns the link in the newest message of a kind.
func mailedLink(operator *running.Client, kind string) (string, error) {
	id, err := keptMail(operator, kind)
	if err != nil {
		return "", err
	}
	var shown struct{ Data struct{ Link string } }
	err = operator.Get("/v1/admin/mail/"+id, &shown)
	return shown.Data.Link, err
}

// addPasskey adds a passkey to a person's account.
func addPasskey(c *running.Client) (*passkeytest.Authenticator, error) {
	var begun struct {
		Data struct {
			Ticket  string
			Options json.RawMessage
		}
	}
	if err := c.Post("/v1/auth/factors/passkey-options", object{"current": running.Password}, &begun); err != nil {
		return nil, err
	}
	key := passkeytest.New(rpID, publicURL)
	return key, c.Post("/v1/auth/factors/passkeys", object{"ticket": begun.Data.Ticket, "credential": key.Create(begun.Data.Options), "name": "Laptop"}, nil)
}

// addAdmin adds an admin of an organisation and logs in.
func addAdmin(s *running.Service, organisation, email string) (*running.Client, error) {
	c, err := s.AddPerson(organisation, email, email)
	if err != nil {
		return nil, err
	}
	return c, runSegel(s, "", "user", "role", "--email", email, "--role", "admin")
}

// runSegel runs a command on the folder of the service.
func runSegel(s *running.Service, input string, args ...string) error {
	cmd := exec.Command(s.Binary, append(args, "--data", s.Data)...)
	cmd.Env, cmd.Stdin = append(running.Environ(), s.Env...), strings.NewReader(input)
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, b)
	}
	return nil
}

// startProvider starts an identity provider that has metadata and no keys.
func startProvider() (*http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	at := "http://" + l.Addr().String()
	p := &http.Server{Addr: l.Addr().String(), ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := object{"keys": []object{}}
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			answer = object{"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "jwks_uri": at + "/keys"}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})}
	go func() { _ = p.Serve(l) }()
	return p, nil
}

// setProvider gives an organisation an identity provider, and a mail domain whose logins it gets.
func setProvider(s *running.Service, organisation, issuer, domain string) error {
	if err := runSegel(s, "rahasia\n", "sso", "set", "--org", organisation, "--issuer", issuer, "--client-id", "segel", "--secret-file", "-", "--enabled"); err != nil {
		return err
	}
	return runSegel(s, "", "sso", "grant", "--org", organisation, domain)
}

// newDirectory returns a client that calls as the directory of an administrator's organisation.
func newDirectory(admin *running.Client) (*running.Client, error) {
	var m made
	err := admin.Call(running.Request{Method: http.MethodPut, Path: "/v1/admin/scim/secret", Body: object{}}, &m)
	return &running.Client{URL: admin.URL, Secret: m.Response.Data.Secret}, err
}

const groupName = "hukum"

// addGroup adds a group and returns its identifier.
func addGroup(directory *running.Client) (string, error) {
	_, err := directory.Read(context.Background(), running.Request{
		Method: http.MethodPost, Path: "/scim/v2/Groups", Type: "application/scim+json", Body: object{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Group"}, "displayName": groupName},
	})
	var created *running.Refusal // any answer but 200 is one, and this one is 201
	if !errors.As(err, &created) || created.Status != http.StatusCreated {
		return "", fmt.Errorf("add a group: %w", err)
	}
	var group struct{ ID string }
	err = json.Unmarshal(created.Text, &group)
	return group.ID, err
}

// openAsGuest returns the first guest of a document, who came by a link that the owner handed out, with their identifier and the link.
func openAsGuest(owner *running.Client, id int64) (guest *running.Client, person, link string, err error) {
	var people struct {
		Data struct {
			Signer []struct {
				ID string `json:"user_id"`
			}
		}
	}
	if err := owner.Get(fmt.Sprint(running.DocumentPath, "signers/", id), &people); err != nil {
		return nil, "", "", err
	}
	if len(people.Data.Signer) == 0 {
		return nil, "", "", errors.New("the document has no guest")
	}
	person = people.Data.Signer[0].ID
	var m made
	if err := owner.Post(running.SignPath+"guest-link-docs", object{"document_id": id, "user_id": person}, &m); err != nil {
		return nil, "", "", err
	}
	guest = &running.Client{URL: owner.URL}
	var session running.LoginAnswer
	err = guest.Post("/v1/auth/guest", object{"link": m.Response.Data.URL}, &session)
	guest.Token = session.Data.Token
	return guest, person, m.Response.Data.URL, err
}

// verifyMailbox gives an account the mailbox that it would have if a guest had created it, which takes a code from a mail.
func verifyMailbox(data, person, mailbox string) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "segel.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	_, err = db.Exec("INSERT INTO mailbox_account (person, mailbox, proved_at) VALUES ($1, $2, 1)", person, mailbox)
	return errors.Join(err, db.Close())
}

// addAuthenticator adds an authenticator app to a person's account.
func addAuthenticator(c *running.Client) error {
	var begun struct {
		Data struct{ Secret, Ticket string }
	}
	if err := c.Post("/v1/auth/factors/totp", object{"current": running.Password}, &begun); err != nil {
		return err
	}
	code, err := totp.GenerateCode(begun.Data.Secret, time.Now())
	if err != nil {
		return err
	}
	return c.Post("/v1/auth/factors/totp/confirm", object{"ticket": begun.Data.Ticket, "otp": code}, nil)
}
