// Command enumerate measures whether response times reveal what responses hide: whether an account or a document exists. It
// sends pairs of requests alternately, one about something that exists and one about something that does not, and prints the
// median and the 99th percentile of both. The tests assert that both do the same work; this shows the rest on a real machine.
package main

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"
	_ "modernc.org/sqlite" // registers the driver sqlite

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

func main() {
	binary := flag.String("binary", "", "the segel to measure")
	n := flag.Int("n", 300, "questions of each kind")
	flag.Parse()
	if err := run(*binary, *n); err != nil {
		fmt.Fprintln(os.Stderr, "enumerate:", err)
		os.Exit(1)
	}
}

type object = running.Object

func run(binary string, n int) (err error) {
	data, err := os.MkdirTemp("", "segel-enumerate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	provider, err := startProvider()
	if err != nil {
		return err
	}
	defer provider.Close()
	s, err := running.Start(binary, filepath.Join(data, "data"), "SEGEL_ORGANISATION_PRIVATE_NETWORKS=127.0.0.0/8", "SEGEL_OUTBOUND_PORTS="+provider.Addr[strings.LastIndexByte(provider.Addr, ':')+1:],
		"SEGEL_LOGIN_TRIES=1000000", "SEGEL_LOGIN_TRIES_PER_ADDRESS=1000000", "SEGEL_LOGIN_TRIES_PER_ACCOUNT=1000000", "SEGEL_LOG_LEVEL=error")
	if err != nil {
		return err
	}
	defer s.Stop()
	owner, err := s.AddPerson("", "owner@example.test", "owner")
	if err != nil {
		return err
	}
	outsider, err := s.AddPerson("", "outsider@example.test", "outsider")
	if err != nil {
		return err
	}
	// A document with much to read, so that reading it before refusing would show.
	guests := []object{}
	for i := range 90 {
		guests = append(guests, object{"name": fmt.Sprintf("Tamu %d", i), "email": fmt.Sprintf("tamu%d@example.test", i), "role": "signer", "number": 1})
	}
	id, err := owner.Upload(object{
		"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(1)), "guest": guests,
	})
	if err != nil {
		return err
	}
	if err := owner.PostVerb("finalize-docs", id); err != nil {
		return err
	}
	const missing = 999_999_999
	get := func(what string, id int64) func() error {
		return func() error { return outsider.Get(fmt.Sprint(running.DocumentPath, what, "/", id), nil) }
	}
	verb := func(name string, id int64) func() error {
		body := object{
			"document_id": id, "user_id": "3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61", "name": "Orang Lain", "email": "lain@example.test", "code": "123456", "reason": "x",
		}
		return func() error { return outsider.Post(running.SignPath+name, body, nil) }
	}
	caller := &running.Client{URL: s.URL}
	guest, err := openAsGuest(owner, id)
	if err != nil {
		return err
	}
	other, err := owner.Upload(object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(pdftest.Table(1)), "guest": guests})
	if err == nil {
		err = owner.PostVerb("finalize-docs", other)
	}
	if err != nil {
		return err
	}
	reader, err := s.AddPerson("", "pembaca@example.test", "reader")
	if err == nil {
		err = verifyMailbox(s.Data, reader.ID, "pembaca@example.test")
	}
	if err != nil {
		return err
	}
	as := func(c *running.Client, path string, body object) func() error {
		return func() error { return c.Post(path, body, nil) }
	}
	// A key of the owner, and the token endpoint with the number of that key, and with another one, each with a secret that is of no key.
	var made struct {
		Response struct {
			Data struct{ Key struct{ ID string } }
		}
	}
	if err := owner.Post("/v1/auth/keys", object{"name": "ERP", "scopes": []string{"documents:read"}}, &made); err != nil {
		return err
	}
	key := made.Response.Data.Key.ID
	const noKey, noSecret = "3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61", "sgl_ak_00000000000000000000000000000000000000000000QVGQ2"
	revoke := func(id string) func() error {
		return func() error {
			return outsider.Call(running.Request{Method: http.MethodDelete, Path: "/v1/auth/keys/" + id}, nil)
		}
	}
	token := func(id string) func() error {
		return func() error {
			form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {noSecret}}
			return caller.Call(running.Request{Method: http.MethodPost, Path: "/v1/auth/token", Type: "application/x-www-form-urlencoded", Body: strings.NewReader(form.Encode())}, nil)
		}
	}
	// An invitation to one organisation, and the admin of another one.
	inviter, err := addAdmin(s, "PT Dalam", "dalam@example.test")
	if err != nil {
		return err
	}
	uninviter, err := addAdmin(s, "PT Luar", "luar@example.test")
	if err != nil {
		return err
	}
	var sent struct {
		Response struct {
			Data struct{ Invitation struct{ ID string } }
		}
	}
	if err := inviter.Post("/v1/admin/invitations", object{"email": "undangan@example.test"}, &sent); err != nil {
		return err
	}
	invited := sent.Response.Data.Invitation.ID
	uninvite := func(id string) func() error {
		return func() error {
			return uninviter.Call(running.Request{Method: http.MethodDelete, Path: "/v1/admin/invitations/" + id}, nil)
		}
	}
	var me struct {
		Data struct {
			Business string `json:"business_id"`
		}
	}
	if err := inviter.Get("/v1/auth/me", &me); err != nil {
		return err
	}
	switchTo := func(of string) func() error {
		return func() error { return uninviter.Post("/v1/auth/switch", object{"business_id": of}, nil) }
	}
	// The organisation of the invitation has an identity provider for dalam.test, and a directory with a group; the other one has a directory too.
	if err := setProvider(s, "PT Dalam", "http://"+provider.Addr, "dalam.test"); err != nil {
		return err
	}
	if _, err := s.AddPerson("PT Dalam", "ada@dalam.test", "ada"); err != nil {
		return err
	}
	inside, err := newDirectory(inviter)
	if err != nil {
		return err
	}
	outside, err := newDirectory(uninviter)
	if err != nil {
		return err
	}
	group, err := addGroup(inside)
	if err != nil {
		return err
	}
	provision := func(method, path string) func() error {
		return func() error {
			return outside.Call(running.Request{Method: method, Path: "/scim/v2/" + path, Type: "application/scim+json"}, nil)
		}
	}
	callback := func(of string) func() error {
		return func() error { return caller.Get("/v1/auth/sso/"+of+"/callback?state=x&code=y", nil) }
	}
	logout := func(of string) func() error {
		return func() error {
			return caller.Call(running.Request{Method: http.MethodPost, Path: "/v1/auth/sso/" + of + "/logout", Type: "application/x-www-form-urlencoded", Body: strings.NewReader("logout_token=a.b.c")}, nil)
		}
	}
	// A session of the owner, and the routes by which a thief of another account's session would ask about factors.
	var sessions struct {
		Data struct{ Sessions []struct{ ID string } }
	}
	if err := owner.Get("/v1/auth/sessions", &sessions); err != nil {
		return err
	}
	endSession := func(id string) func() error {
		return func() error {
			return outsider.Call(running.Request{Method: http.MethodDelete, Path: "/v1/auth/sessions/" + id}, nil)
		}
	}
	// The owner has no second factor, the guarded account has one: a wrong password must not tell.
	guarded, err := s.AddPerson("", "guarded@example.test", "guarded")
	if err != nil {
		return err
	}
	if err := addAuthenticator(guarded); err != nil {
		return err
	}
	post := func(path string, body object) func() error {
		return func() error { return caller.Post(path, body, nil) }
	}
	fmt.Printf("%-18s %12s %12s %12s %12s %14s %14s\n", "question", "p50 exists", "p50 none", "p99 exists", "p99 none", "p50 difference", "p99 difference")
	for _, q := range []struct {
		name          string
		exists, other func() error
	}{
		{"login", post(running.LoginPath, object{"email": "owner@example.test", "password": "salah"}), post(running.LoginPath, object{"email": "nobody@example.test", "password": "salah"})},
		{"forgot-password", post("/v1/auth/forgot-password", object{"email": "owner@example.test"}), post("/v1/auth/forgot-password", object{"email": "nobody@example.test"})},
		{"login with otp", post(running.LoginPath, object{"email": "guarded@example.test", "password": "salah", "otp": "123456"}), post(running.LoginPath, object{"email": "nobody@example.test", "password": "salah", "otp": "123456"})},
		{"factor or none", post(running.LoginPath, object{"email": "guarded@example.test", "password": "salah"}), post(running.LoginPath, object{"email": "owner@example.test", "password": "salah"})},
		{"sso", post("/v1/auth/sso", object{"email": "owner@example.test"}), post("/v1/auth/sso", object{"email": "nobody@example.test"})},
		{"sso at provider", post("/v1/auth/sso", object{"email": "ada@dalam.test"}), post("/v1/auth/sso", object{"email": "tidak.ada@dalam.test"})},
		{"sso callback", callback(me.Data.Business), callback(noKey)},
		{"sso logout", logout(me.Data.Business), logout(noKey)},
		{"scim user", provision(http.MethodGet, "Users/"+inviter.ID), provision(http.MethodGet, "Users/"+noKey)},
		{"scim user by mail", provision(http.MethodGet, "Users?filter="+url.QueryEscape(`userName eq "dalam@example.test"`)), provision(http.MethodGet, "Users?filter="+url.QueryEscape(`userName eq "nobody@example.test"`))},
		{"scim delete user", provision(http.MethodDelete, "Users/"+inviter.ID), provision(http.MethodDelete, "Users/"+noKey)},
		{"scim group", provision(http.MethodGet, "Groups/"+group), provision(http.MethodGet, "Groups/"+noKey)},
		{"scim delete group", provision(http.MethodDelete, "Groups/"+group), provision(http.MethodDelete, "Groups/"+noKey)},
		{"reset-link", post("/v1/auth/reset-link", object{"link": "sgl_pr_00000000000000000000000000000000000000000000QVGQ2"}), post("/v1/auth/reset-link", object{"link": "sgl_pr_11111111111111111111111111111111111111111111QVGQ2"})},
		{"invitation", post("/v1/auth/invitation", object{"link": "sgl_iv_00000000000000000000000000000000000000000000QVGQ2"}), post("/v1/auth/invitation", object{"link": "sgl_iv_11111111111111111111111111111111111111111111QVGQ2"})},
		{"embedded", post("/v1/auth/embedded", object{"address": "sgl_ea_00000000000000000000000000000000000000000000QVGQ2", "origin": "https://erp.contoh.id"}), post("/v1/auth/embedded", object{"address": "sgl_ea_11111111111111111111111111111111111111111111QVGQ2", "origin": "https://erp.contoh.id"})},
		{"embed-docs", verb("embed-docs", id), verb("embed-docs", missing)},
		{"revoke-invitation", uninvite(invited), uninvite(noKey)},
		{"switch", switchTo(me.Data.Business), switchTo(noKey)},
		{"reauthenticate", func() error {
			return guarded.Post("/v1/auth/reauthenticate", object{"otp": "123456"}, nil)
		}, func() error {
			return outsider.Post("/v1/auth/reauthenticate", object{"otp": "123456"}, nil)
		}},
		{"end-session", endSession(sessions.Data.Sessions[0].ID), endSession(noKey)},
		{"revoke-key", revoke(key), revoke(noKey)},
		{"token", token(key), token(noKey)},
		{"detail", get("detail", id), get("detail", missing)},
		{"consent", get("consent", id), get("consent", missing)},
		{"evidence", get("evidence", id), get("evidence", missing)},
		{"approve-docs", verb("approve-docs", id), verb("approve-docs", missing)},
		{"cancel-docs", verb("cancel-docs", id), verb("cancel-docs", missing)},
		{"correct-guest-docs", verb("correct-guest-docs", id), verb("correct-guest-docs", missing)},
		{"delegate-docs", verb("delegate-docs", id), verb("delegate-docs", missing)},
		{"guest-code-docs", verb("guest-code-docs", id), verb("guest-code-docs", missing)},
		{"guest-verify-docs", verb("guest-verify-docs", id), verb("guest-verify-docs", missing)},
		{"guest-link-docs", verb("guest-link-docs", id), verb("guest-link-docs", missing)},
		{"guest-revoke-docs", verb("guest-revoke-docs", id), verb("guest-revoke-docs", missing)},
		// A guest of one document asks about another one, and an account of a mailbox about one that does not name it.
		{"guest: code", as(guest, running.SignPath+"guest-code-docs", object{"document_id": other}), as(guest, running.SignPath+"guest-code-docs", object{"document_id": missing})},
		{"guest: verify", as(guest, running.SignPath+"guest-verify-docs", object{"document_id": other, "code": "123456"}), as(guest, running.SignPath+"guest-verify-docs", object{"document_id": missing, "code": "123456"})},
		{"guest-document", as(reader, "/v1/auth/guest/document", object{"document_id": other}), as(reader, "/v1/auth/guest/document", object{"document_id": missing})},
	} {
		var took [2][]time.Duration
		for i := range 2 * n {
			try := q.exists
			if i%2 == 1 {
				try = q.other
			}
			began := time.Now()
			_ = try() // refusals are what is measured
			took[i%2] = append(took[i%2], time.Since(began))
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		at := func(k, percent int) time.Duration { return took[k][(n-1)*percent/100].Round(time.Microsecond) }
		fmt.Printf("%-18s %12v %12v %12v %12v %14v %14v\n", q.name, at(0, 50), at(1, 50), at(0, 99), at(1, 99), at(0, 50)-at(1, 50), at(0, 99)-at(1, 99))
	}
	return nil
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
	var made struct {
		Response struct{ Data struct{ Secret string } }
	}
	err := admin.Call(running.Request{Method: http.MethodPut, Path: "/v1/admin/scim/secret", Body: object{}}, &made)
	return &running.Client{URL: admin.URL, Secret: made.Response.Data.Secret}, err
}

// addGroup adds a group and returns its identifier.
func addGroup(directory *running.Client) (string, error) {
	_, err := directory.Read(context.Background(), running.Request{
		Method: http.MethodPost, Path: "/scim/v2/Groups", Type: "application/scim+json", Body: object{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Group"}, "displayName": "hukum"},
	})
	var made *running.Refusal // any answer but 200 is one, and this one is 201
	if !errors.As(err, &made) || made.Status != http.StatusCreated {
		return "", fmt.Errorf("add a group: %w", err)
	}
	var group struct{ ID string }
	err = json.Unmarshal(made.Text, &group)
	return group.ID, err
}

// openAsGuest returns the first guest of a document, who came by a link that the owner handed out.
func openAsGuest(owner *running.Client, id int64) (*running.Client, error) {
	var people struct {
		Data struct {
			Signer []struct {
				ID string `json:"user_id"`
			}
		}
	}
	if err := owner.Get(fmt.Sprint(running.DocumentPath, "signers/", id), &people); err != nil {
		return nil, err
	}
	if len(people.Data.Signer) == 0 {
		return nil, errors.New("the document has no guest")
	}
	var link struct {
		Response struct{ Data struct{ URL string } }
	}
	if err := owner.Post(running.SignPath+"guest-link-docs", object{"document_id": id, "user_id": people.Data.Signer[0].ID}, &link); err != nil {
		return nil, err
	}
	guest := &running.Client{URL: owner.URL}
	var session running.LoginAnswer
	err := guest.Post("/v1/auth/guest", object{"link": link.Response.Data.URL}, &session)
	guest.Token = session.Data.Token
	return guest, err
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
