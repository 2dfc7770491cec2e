package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strings"

	"segel/internal/api"
	"segel/internal/passkey/passkeytest"
	"segel/scripts/running"
)

// entryPoint is a question about an operation, whose requests are made when its turn comes.
type entryPoint struct {
	operation string
	name      string
	anonymous bool // the caller has no token, so 401 is an answer
	ask       func(*stage) (exists, other ask, err error)
}

// secretOfNoOne returns a secret that was never made. Its checksum is right (docs/formats/secret.md): with a wrong one, the database would not be asked.
func secretOfNoOne(prefix string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	body := prefix + strings.Repeat("0", 43)
	var sum [6]byte
	n := crc32.ChecksumIEEE([]byte(body))
	for i := range sum {
		sum[len(sum)-1-i] = digits[n%62]
		n /= 62
	}
	return body + string(sum[:])
}

// entryPoints returns all questions: those that are written by hand, and one for each operation that names something of others in its path, or in its
// body and query as all operations do.
func entryPoints() []entryPoint {
	all := writtenQuestions()
	written := map[string]bool{}
	for _, e := range all {
		written[e.operation] = true
	}
	for _, op := range api.Operations() {
		if !written[op.ID] && exceptions()[op.ID] == "" && namesOthers(op) {
			all = append(all, entryPoint{operation: op.ID, ask: func(s *stage) (exists, other ask, err error) {
				return s.nameThing(op, s.exists), s.nameThing(op, s.missing), nil
			}})
		}
	}
	return all
}

// namesOthers reports whether the requests of an operation name a document, an organisation or another thing in the way of all operations.
func namesOthers(op api.Operation) bool {
	return op.Document != "" || op.Admin != "" || strings.Contains(strings.Replace(op.Path, "{service}", "", 1), "{")
}

// exceptions are the operations that are not asked about, by their identifiers, with the reason.
func exceptions() map[string]string {
	by := map[string]string{}
	for reason, ids := range map[string]string{
		"the answer is the same for everybody":                                        "oauth-metadata docs docs-script health ready openapi verify-limits scim-config scim-types scim-type scim-schemas scim-schema passkey-login-options",
		"anyone may ask about it":                                                     "avatar logo verify-serial", // publicByDesign in cmd/segel
		"it reads the file in the request":                                            "verify verify-report",
		"it is for operators and the monitor":                                         "metrics",
		"it is about the caller and their organisation alone":                         "me logout sessions end-other-sessions organisations keys create-key factors export-own-data erase-own-account list-users suggest-guests balance specimen put-specimen delete-specimen passkey-sign-options",
		"its filters select among what the caller may see":                            "list-inbound list-sent list-counts list-contacts list-labels list-folders list-templates",
		"it takes the password or a code of the caller":                               "password begin-totp confirm-totp remove-totp recovery-codes passkey-options add-passkey",
		"a passkey is sought among those of the caller":                               "rename-passkey remove-passkey",
		"it brings in something of the caller":                                        "upload upload-multipart begin-upload add-folder",
		"an upload is named by 256 random bits":                                       "upload-progress continue-upload end-upload",
		"a guest creates an account for their own mailbox":                            "guest-account",
		"the account is in a sealed cookie, which only a login at the provider gives": "sso-factor",
		"it adds what is asked about; the statements are compared by TestEveryOperationAnswersForAnotherOrganisationAsForNothing":                       "admin-add-person scim-add-user scim-add-group admin-claim-domain",
		"only the stamp office makes what is asked about; the statements are compared by TestEveryOperationOfAdministrationAnswersEveryActorAsItShould": "admin-evidence",
		"it names nothing": "admin-organisations admin-add-organisation admin-reconciliation admin-reconcile",
	} {
		for _, id := range strings.Fields(ids) {
			by[id] = reason
		}
	}
	return by
}

// writtenQuestions are those about what is proved and not named: passwords, codes, links and tokens; and those of guests and directories.
func writtenQuestions() []entryPoint {
	open := func(operation, name, path string, exists, other object) entryPoint {
		return entryPoint{operation, name, true, func(s *stage) (ask, ask, error) {
			return s.anybody.newPost(path, exists), s.anybody.newPost(path, other), nil
		}}
	}
	login := func(operation, name, path, email, unknown string, more object) entryPoint {
		body := func(email string) object {
			b := object{"email": email, "password": "salah"}
			for k, v := range more {
				b[k] = v
			}
			return b
		}
		return open(operation, name, path, body(email), body(unknown))
	}
	const owner, guarded, unknown = "owner@example.test", "guarded@example.test", "nobody@example.test"
	all := []entryPoint{
		login("login", "", running.LoginPath, owner, unknown, nil),
		login("login", "with otp", running.LoginPath, guarded, unknown, object{"otp": "123456"}),
		login("login", "factor or none", running.LoginPath, guarded, owner, nil),
		{"login", "passkey", true, func(s *stage) (ask, ask, error) { return s.passkeyLogins() }},
		login("session", "", "/v1/auth/session", owner, unknown, nil),
		{"add-organisation", "", false, func(s *stage) (ask, ask, error) {
			body := func(email string) object { return object{"email": email, "password": "salah"} }
			return s.outsider.newPost("/v1/auth/organisations", body(owner)), s.outsider.newPost("/v1/auth/organisations", body(unknown)), nil
		}},
		open("forgot-password", "", "/v1/auth/forgot-password", object{"email": owner}, object{"email": unknown}),
		open("begin-sso", "", "/v1/auth/sso", object{"email": owner}, object{"email": unknown}),
		open("begin-sso", "at provider", "/v1/auth/sso", object{"email": "ada@dalam.test"}, object{"email": "tidak.ada@dalam.test"}),
		{"finish-sso", "", true, func(s *stage) (ask, ask, error) {
			callback := func(of string) ask { return s.anybody.newVisit("/v1/auth/sso/" + of + "/callback?state=x&code=y") }
			return callback(s.exists["organisation"]), callback(s.missing["organisation"]), nil
		}},
		{"provider-logout", "", true, func(s *stage) (ask, ask, error) {
			logout := func(of string) ask {
				return s.anybody.newForm("/v1/auth/sso/"+of+"/logout", url.Values{"logout_token": {"a.b.c"}})
			}
			return logout(s.exists["organisation"]), logout(s.missing["organisation"]), nil
		}},
		{"token", "", true, func(s *stage) (ask, ask, error) {
			token := func(id string) ask {
				return s.anybody.newForm("/v1/auth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secretOfNoOne("sgl_ak_")}})
			}
			return token(s.exists["key_id"]), token(s.missing["key_id"]), nil
		}},
		// What existed once, and a secret of no one.
		askFormer("refresh", "/v1/auth/refresh", func(s *stage) object { return object{"refresh_token": s.formerRefresh} }, object{"refresh_token": secretOfNoOne("sgl_rt_")}),
		askFormer("reset-link", "/v1/auth/reset-link", func(s *stage) object { return object{"link": s.formerReset} }, object{"link": secretOfNoOne("sgl_pr_")}),
		askFormer("reset-password", "/v1/auth/reset-password", func(s *stage) object { return object{"link": s.formerReset, "new": "lampu taman biru 42"} }, object{"link": secretOfNoOne("sgl_pr_"), "new": "lampu taman biru 42"}),
		askFormer("invitation", "/v1/auth/invitation", func(s *stage) object { return object{"link": s.formerInvitation} }, object{"link": secretOfNoOne("sgl_iv_")}),
		askFormer("accept-invitation", "/v1/auth/invitation/accept", func(s *stage) object {
			return object{"link": s.formerInvitation, "name": "X", "password": "lampu taman biru 42"}
		}, object{"link": secretOfNoOne("sgl_iv_"), "name": "X", "password": "lampu taman biru 42"}),
		askFormer("guest", "/v1/auth/guest", func(s *stage) object { return object{"link": s.formerLink} }, object{"link": secretOfNoOne("sgl_gl_")}),
		askFormer("open-embedded", "/v1/auth/embedded", func(s *stage) object { return object{"address": s.formerAddress, "origin": origin} }, object{"address": secretOfNoOne("sgl_ea_"), "origin": origin}),
		// The owner has no second factor, the guarded account has one.
		{"reauthenticate", "", false, func(s *stage) (ask, ask, error) {
			code := object{"otp": "123456"}
			return s.guarded.newPost("/v1/auth/reauthenticate", code), s.outsider.newPost("/v1/auth/reauthenticate", code), nil
		}},
		{"switch", "", false, func(s *stage) (ask, ask, error) {
			to := func(names map[string]string) ask {
				return s.adminElsewhere.newPost("/v1/auth/switch", object{"business_id": names["organisation"]})
			}
			return to(s.exists), to(s.missing), nil
		}},
		{"archive", "", false, func(s *stage) (ask, ask, error) {
			archive := func(names map[string]string) ask {
				return s.outsider.newCall(running.Request{Method: http.MethodGet, Path: running.DocumentPath + "archive?ids=" + names["document_id"]})
			}
			return archive(s.exists), archive(s.missing), nil
		}},
		// A guest of one document asks about another one, and an account of a mailbox about one that does not name it.
		{"guest-code", "as a guest", false, func(s *stage) (ask, ask, error) { return s.asGuest("guest-code-docs", nil) }},
		{"guest-verify", "as a guest", false, func(s *stage) (ask, ask, error) { return s.asGuest("guest-verify-docs", object{"code": "123456"}) }},
		{"guest-document", "", false, func(s *stage) (ask, ask, error) {
			document := func(names map[string]string) ask {
				return s.reader.newPost("/v1/auth/guest/document", object{"document_id": json.Number(names["document_id"])})
			}
			return document(s.exists), document(s.missing), nil
		}},
	}
	// A colleague asks too: the questions of guests above are about the same operations.
	for _, id := range []string{"guest-code", "guest-verify"} {
		all = append(all, entryPoint{operation: id, ask: func(s *stage) (exists, other ask, err error) {
			op, err := operationOf(id)
			return s.nameThing(op, s.exists), s.nameThing(op, s.missing), err
		}})
	}
	for _, op := range api.Operations() {
		if !strings.HasPrefix(op.Path, directoryPath) || exceptions()[op.ID] != "" {
			continue
		}
		all = append(all, entryPoint{operation: op.ID, ask: func(s *stage) (exists, other ask, err error) {
			return s.nameProvisioned(op, s.exists), s.nameProvisioned(op, s.missing), nil
		}})
	}
	return all
}

// askFormer returns a question about a secret that was used, revoked or replaced, and about one of no one.
func askFormer(operation, path string, exists func(*stage) object, other object) entryPoint {
	return entryPoint{operation, "former", true, func(s *stage) (ask, ask, error) {
		return s.anybody.newPost(path, exists(s)), s.anybody.newPost(path, other), nil
	}}
}

func operationOf(id string) (api.Operation, error) {
	for _, op := range api.Operations() {
		if op.ID == id {
			return op, nil
		}
	}
	return api.Operation{}, fmt.Errorf("no operation %s", id)
}

// fillPath replaces the names in a path.
func fillPath(path string, names map[string]string) string {
	path = strings.Replace(path, "{service}", "scripts", 1)
	for name, value := range names {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	return path
}

// nameThing returns the request of an operation that names something, by a colleague of the owner if it is a document, and else by an admin of another
// organisation.
func (s *stage) nameThing(op api.Operation, names map[string]string) ask {
	by := s.adminElsewhere
	if op.Document != "" {
		by = s.outsider
	}
	path := fillPath(op.Path, names)
	if op.Method == http.MethodGet || op.Method == http.MethodDelete {
		if op.Admin != "" {
			path += "?organisation=" + names["organisation"]
		}
		return by.newCall(running.Request{Method: op.Method, Path: path})
	}
	id := json.Number(names["document_id"])
	return by.newCall(running.Request{Method: op.Method, Path: path, Body: object{
		"document_id": id, "documents": []object{{"document_id": id, "digest": strings.Repeat("5e", 32)}}, "organisation": names["organisation"], "user_id": names["person_id"], "to": names["person_id"],
		"team": names["team_id"], "folder": names["folder_id"], "add": []string{names["label_id"]}, "name": "X", "email": "lain@example.test", "role": "sender", "reason": "x", "code": "123456", "unit": "emet", "count": 1,
		"years": 10, "remind": object{"after": 3}, "url": "https://hook.example.test/", "issuer": "https://127.0.0.1:9", "client_id": "segel", "origins": []string{origin}, "signer": []any{}, "signers": []any{},
		"purpose": "view", "since": "2026-01-01T00:00:00Z",
	}})
}

// asGuest returns the requests of a guest about another document than theirs.
func (s *stage) asGuest(verb string, more object) (exists, other ask, err error) {
	request := func(names map[string]string) ask {
		body := object{"document_id": json.Number(names["document_id"])}
		for k, v := range more {
			body[k] = v
		}
		return s.guest.newPost(running.SignPath+verb, body)
	}
	return request(s.exists), request(s.missing), nil
}

const directoryPath = "/scim/v2/"

// nameProvisioned returns the request of the directory of another organisation.
func (s *stage) nameProvisioned(op api.Operation, names map[string]string) ask {
	id, kind, filter := names["person_id"], "User", `userName eq "`+names["email"]+`"`
	if strings.Contains(op.Path, "Groups") {
		id, kind, filter = names["group"], "Group", `displayName eq "`+names["group_name"]+`"`
	}
	r := running.Request{Method: op.Method, Path: strings.Replace(op.Path, "{id}", id, 1), Type: "application/scim+json"}
	switch op.Method {
	case http.MethodGet:
		if !strings.Contains(op.Path, "{id}") {
			r.Path += "?filter=" + url.QueryEscape(filter)
		}
	case http.MethodPatch:
		r.Body = object{"schemas": []string{"urn:ietf:params:scim:api:messages:2.0:PatchOp"}, "Operations": []object{{"op": "replace", "path": "displayName", "value": "X"}}}
	case http.MethodPut:
		r.Body = object{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:" + kind}, "userName": names["email"], "displayName": "X"}
	}
	return s.directoryElsewhere.newCall(r)
}

// passkeyLogins returns logins with a signature that is wrong: with a passkey that an account has, by one who knows both its identifier and that of the
// account, and with one that no account has.
func (s *stage) passkeyLogins() (exists, other ask, err error) {
	var begun struct {
		Data struct {
			Ticket  string
			Options json.RawMessage
		}
	}
	if err := s.anybody.Post("/v1/auth/passkey-login-options", object{}, &begun); err != nil {
		return nil, nil, err
	}
	// Another key signs, which has the identifiers of the account's passkey.
	forged, unknown := passkeytest.New(rpID, publicURL), passkeytest.New(rpID, publicURL)
	forged.ID, forged.Handle, unknown.Handle = s.passkey.ID, s.passkey.Handle, s.passkey.Handle
	login := func(with *passkeytest.Authenticator) ask {
		return s.anybody.newPost(running.LoginPath, object{"passkey": object{"ticket": begun.Data.Ticket, "credential": with.Get(begun.Data.Options)}})
	}
	return login(forged), login(unknown), nil
}

// caller makes requests of one person.
type caller struct{ *running.Client }

func (c caller) newCall(r running.Request) ask { return func() error { return c.Call(r, nil) } }

func (c caller) newPost(path string, body object) ask {
	return c.newCall(running.Request{Method: http.MethodPost, Path: path, Body: body})
}

// newVisit follows no redirect: it leads to the web app at the public address.
func (c caller) newVisit(path string) ask {
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func() error {
		a, err := browser.Get(c.URL + path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, a.Body)
		return errors.Join(err, a.Body.Close(), &running.Refusal{Request: path, Status: a.StatusCode})
	}
}

func (c caller) newForm(path string, form url.Values) ask {
	return func() error {
		return c.Call(running.Request{Method: http.MethodPost, Path: path, Type: "application/x-www-form-urlencoded", Body: strings.NewReader(form.Encode())}, nil)
	}
}
