package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"segel/cms"
	"segel/internal/api"
	"segel/internal/authority/signtest"
	"segel/internal/authstatement"
	"segel/internal/contract"
	"segel/internal/evidence"
	"segel/internal/passkey/passkeytest"
	"segel/pades"
	"segel/pdf"
)

// otpOf returns the code that an authenticator app shows a time from now.
func (c *client) otpOf(secret string, from time.Duration) string {
	c.t.Helper()
	code, err := totp.GenerateCode(secret, c.clock().Add(from))
	if err != nil {
		c.t.Fatal(err)
	}
	return code
}

// addTOTP adds an authenticator app to the caller's account, and returns its secret and the recovery codes. The code of the step before
// now is used up.
func (c *client) addTOTP() (secret string, codes []any) {
	c.t.Helper()
	begun := c.do("POST", "/v1/auth/factors/totp", object{"current": password}).ok().object("data")
	secret = begun["secret"].(string)
	confirmed := c.do("POST", "/v1/auth/factors/totp/confirm", object{"ticket": begun["ticket"], "otp": c.otpOf(secret, -30*time.Second)}).ok().object("data")
	return secret, confirmed["recovery_codes"].([]any)
}

// optionsOf returns the options for a passkey in an answer.
func optionsOf(a *answer) []byte {
	a.t.Helper()
	b, err := json.Marshal(a.object("data")["options"])
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

// demandFactors changes what the organisation of an admin demands.
func (c *client) demandFactors(policy object) {
	c.t.Helper()
	c.do("PUT", "/v1/admin/account-policy", policy).ok()
}

// TestEveryOperationRefusesThoseWhoMissAFactor runs each operation as two more actors: a session that was opened with a password alone, of an account
// with a factor where one is required (the factor is missing), and one of an account without a factor (it must enrol).
func TestEveryOperationRefusesThoseWhoMissAFactor(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	admin, missing, enrol := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Missing", "PT Satu"), s.person(t, "Enrol", "PT Satu")
	chooses := s.administrator(t, "Other Admin", "PT Satu")
	missing.addTOTP()
	if _, err := s.identity.Authenticate(t.Context(), missing.token); err != nil {
		t.Fatal(err)
	}
	by, err := s.identity.Authenticate(t.Context(), missing.token)
	if err != nil {
		t.Fatal(err)
	}
	// As a session from before the factor was added.
	if err := s.store.RaiseSession(t.Context(), by.Session, contract.FactorPassword, time.Now()); err != nil {
		t.Fatal(err)
	}
	admin.addTOTP()
	admin.demandFactors(object{"login_factor": "everyone"})
	initial := s.givenPassword(t, chooses)

	open := []string{"logout", "password", "me"}
	enrolling := append(slices.Clone(open), "organisations", "leave-organisation", "switch", "factors", "begin-totp", "confirm-totp", "passkey-options", "add-passkey")
	checked := 0
	for _, op := range api.Operations() {
		if op.Open || op.ID == "metrics" || op.ID == "logout" {
			continue
		}
		path := strings.NewReplacer("{service}", "layanan", "{document_id}", "1", "{person_id}", enrol.id, "{serial}", "x", "{passkey_id}", "x", "{upload_id}", "x",
			"{notice_id}", "x", "{webhook_id}", "x", "{id}", "x", "{logo}", "x").Replace(op.Path)
		missing.do(op.Method, path, nil).is(http.StatusUnauthorized, "auth.required")
		a := enrol.do(op.Method, path, nil)
		if want := http.StatusForbidden; slices.Contains(enrolling, op.ID) == (a.status == want && strings.Contains(string(a.body), "auth.must_enrol")) {
			t.Errorf("%s %s by one who must enrol: %d: %.200s", op.Method, op.Path, a.status, a.body)
		}
		// A password that an admin knows adds no factor: the admin could add their own.
		a = initial.do(op.Method, path, nil)
		if slices.Contains(open, op.ID) == (a.status == http.StatusForbidden && strings.Contains(string(a.body), "auth.choose_password")) {
			t.Errorf("%s %s with an initial password: %d: %.200s", op.Method, op.Path, a.status, a.body)
		}
		checked++
	}
	if checked < 90 {
		t.Errorf("only %d operations were checked", checked)
	}
	if me := enrol.do("GET", "/v1/auth/me", nil).ok().object("data"); me["must_enrol"] != true {
		t.Errorf("%v", me)
	}
	enrol.addTOTP()
	enrol.do("GET", "/v1/auth/list_user", nil).ok()
}

// givenPassword gives an account an initial password, and logs in with it.
func (s *service) givenPassword(t *testing.T, c *client) *client {
	t.Helper()
	given, err := s.identity.ResetPersonPassword(context.Background(), commandLineActor("user reset-password"), contract.PersonID(c.id))
	if err != nil {
		t.Fatal(err)
	}
	in := c.do("POST", "/v1/auth/login", object{"email": c.email, "password": given.Password}).ok().object("data")
	return &client{service: s, t: t, name: c.name, email: c.email, id: c.id, token: in["token"].(string)}
}

func TestALoginSaysWhichFactorsItAcceptsAndGrantsNothingBefore(t *testing.T) {
	t.Parallel()
	s := starting{idle: true, set: []string{"SEGEL_PUBLIC_URL", "https://segel.example.test"}}.start(t)
	c := s.person(t, "Siti", "")
	secret, codes := c.addTOTP()
	login := func(more object) *answer {
		body := object{"email": c.email, "password": password}
		for k, v := range more {
			body[k] = v
		}
		return c.do("POST", "/v1/auth/login", body)
	}
	a := login(nil).is(http.StatusForbidden, "auth.factor_required")
	if e := a.object("error"); fmt.Sprint(e["factors"]) != "[totp recovery_code]" || strings.Contains(string(a.body), "sgl_") || a.header.Get("Set-Cookie") != "" {
		t.Errorf("%s", a.body)
	}
	c.do("POST", "/v1/auth/session", object{"email": c.email, "password": password}).is(http.StatusForbidden, "auth.factor_required")
	login(object{"otp": "abcde-fghij"}).is(http.StatusBadRequest, "auth.otp_wrong")
	login(object{"otp": c.otpOf(secret, 0)}).ok()
	login(object{"otp": c.otpOf(secret, 0)}).is(http.StatusBadRequest, "auth.otp_wrong")
	login(object{"otp": codes[0]}).ok()

	// A passkey, registered and used through the interface.
	key := passkeytest.New("segel.example.test", "https://segel.example.test")
	o := c.do("POST", "/v1/auth/factors/passkey-options", object{"current": password}).ok()
	made := key.Create(optionsOf(o))
	c.do("POST", "/v1/auth/factors/passkeys", object{"ticket": o.object("data")["ticket"], "credential": made, "name": "Laptop"}).ok()
	o = c.do("POST", "/v1/auth/passkey-login-options", object{}).ok()
	answer := object{"ticket": o.object("data")["ticket"], "credential": key.Get(optionsOf(o))}
	in := c.do("POST", "/v1/auth/login", object{"passkey": answer}).ok().object("data")
	if in["account"].(object)["id"] != c.id {
		t.Errorf("%v", in)
	}
	c.do("POST", "/v1/auth/login", object{"passkey": answer}).is(http.StatusBadRequest, "auth.passkey_wrong")
	c.do("POST", "/v1/auth/login", object{"passkey": object{"ticket": "x"}}).is(http.StatusUnprocessableEntity)
	if f := c.do("GET", "/v1/auth/factors", nil).ok().object("data"); f["totp"] != true || f["recovery_codes"] != 9.0 || len(f["passkeys"].([]any)) != 1 {
		t.Errorf("%v", f)
	}
}

func TestPasskeysAreRefusedUnderAnAddressThatDoesNotAllowThem(t *testing.T) {
	t.Parallel()
	c := starting{idle: true}.start(t).person(t, "Siti", "")
	c.do("POST", "/v1/auth/factors/passkey-options", object{"current": password}).is(http.StatusConflict, "passkey.address")
	c.do("POST", "/v1/auth/passkey-login-options", object{}).is(http.StatusConflict, "passkey.address")
}

func TestEachSignatureTakesAFactorWhereItIsRequiredAndARepeatNeedsNoOther(t *testing.T) {
	t.Parallel()
	s := starting{set: []string{"SEGEL_PUBLIC_URL", "https://segel.example.test"}}.start(t)
	owner, signer := s.administrator(t, "Pemilik", "PT Satu"), s.person(t, "Penanda", "PT Satu")
	ids := sendMany(owner, signer, 6)
	stamping := owner.upload(simple())
	owner.place(stamping, owner.at("emet", 100, 100, 160, 160)).ok()
	owner.demandFactors(object{"sign_factor": 1})
	signer.verb("sign-docs", ids[0]).is(http.StatusForbidden, "sign.factor_required")
	signer.verb("sign-docs", ids[0], "otp", "123456").is(http.StatusForbidden, "sign.factor_required") // the account has none
	owner.verb("finalize-docs", stamping).ok()                                                         // a stamping order is no signature
	secret, _ := signer.addTOTP()

	signer.verb("sign-docs", ids[0], "otp", "abc").is(http.StatusBadRequest, "auth.otp_wrong")
	one := signer.toSign(t, ids[0])[0]
	code := signer.otpOf(secret, 0)
	body := object{"document_id": ids[0], "digest": one["digest"], "otp": code}
	path := "/v1/econtract/layanan/sign/sign-docs"
	signer.do("POST", path, object{"document_id": ids[0], "digest": one["digest"]}, "Idempotency-Key", "satu").is(http.StatusForbidden, "sign.factor_required")
	first := signer.do("POST", path, body, "Idempotency-Key", "satu").ok()
	if again := signer.do("POST", path, body, "Idempotency-Key", "satu").ok(); string(again.body) != string(first.body) {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	signer.verb("sign-docs", ids[1], "otp", code).is(http.StatusBadRequest, "auth.otp_wrong") // for another document

	// One code for a list of which several requests sign parts.
	list := signer.toSign(t, ids[1], ids[2])
	code = signer.otpOf(secret, 30*time.Second)
	for i := range list {
		got := signer.do("POST", "/v1/econtract/layanan/sign/sign-many-docs", object{"documents": list[i : i+1], "consent": list, "otp": code}).results()
		if want := fmt.Sprint(ids[1+i], " 200"); len(got) != 1 || got[0] != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	got := signer.do("POST", "/v1/econtract/layanan/sign/sign-many-docs", object{"documents": signer.toSign(t, ids[3]), "otp": code}).results()
	if want := fmt.Sprint(ids[3], " 400 auth.otp_wrong"); len(got) != 1 || got[0] != want {
		t.Errorf("the code for another list: %v, want %s", got, want)
	}

	// A passkey whose challenge covers the digest.
	key := passkeytest.New("segel.example.test", "https://segel.example.test")
	o := signer.do("POST", "/v1/auth/factors/passkey-options", object{"current": password}).ok()
	signer.do("POST", "/v1/auth/factors/passkeys", object{"ticket": o.object("data")["ticket"], "credential": key.Create(optionsOf(o)), "name": "Laptop"}).ok()
	answerFor := func(documents []object) object {
		o := signer.do("POST", "/v1/auth/passkey-sign-options", object{"documents": documents}).ok()
		return object{"ticket": o.object("data")["ticket"], "credential": key.Get(optionsOf(o))}
	}
	three, four := signer.toSign(t, ids[3]), signer.toSign(t, ids[4])
	answer := answerFor(three)
	signer.verb("sign-docs", ids[4], "digest", four[0]["digest"], "passkey", answer).is(http.StatusBadRequest, "auth.passkey_wrong")
	signer.verb("sign-docs", ids[3], "digest", three[0]["digest"], "passkey", answer).ok()
	signer.verb("sign-docs", ids[4], "passkey", answerFor(four)).ok() // without the digest: for the current revision

	trail := string(owner.get("audit-trail", ids[0]).ok().body)
	if !strings.Contains(trail, "autentikasi untuk tanda tangan ini: kata sandi dan aplikasi autentikator") {
		t.Errorf("the audit trail names no factor: %s", trail)
	}
	owner.completed(ids[3])
	if stated := authenticationIn(t, owner, owner.download(ids[3])); stated["factor"] != "passkey" || stated["for_signature"] != true || stated["stated_by"] != "service" {
		t.Errorf("the signature states %v", stated)
	}
	requireClaimOfAnotherSigner(t, owner)
	file := owner.evidenceOf(ids[3])
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := evidence.ReadAttachments(d)
	if err != nil {
		t.Fatal(err)
	}
	if sig := a.Facts.People[0].Signature; sig.Factor != "passkey" || sig.FactorFor != "signature" {
		t.Errorf("the evidence certificate says %+v", sig)
	}
	if _, _, err := a.VerifyProof(); err != nil {
		t.Error(err)
	}

	// A guest has no factors: the owner asks them for a code, or trusts the link.
	guest := object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}
	id := owner.uploadWith(object{"guest": guest}, simple())
	owner.verb("finalize-docs", id).ok()
	owner.guest(id, guestOf(owner, id)).verb("sign-docs", id).ok()
}

func TestAnOperatorResetsFactorsOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := starting{idle: true}.start(t)
	c := s.person(t, "Siti", "")
	c.addTOTP()
	s.stop()
	got := runProgram(t, nil, "user", "reset-factors", "--email", c.email, "--data", s.conf.DataDir)
	if got.status != 0 || !strings.Contains(got.text, "removed the second factors of Siti") {
		t.Fatalf("%d, %s", got.status, got.text)
	}
	if got := runProgram(t, nil, "user", "reset-factors", "--email", "nobody@example.test", "--data", s.conf.DataDir); got.status == 0 {
		t.Errorf("%s", got.text)
	}
}

// authenticationIn returns how the first signature of a file states that its signer was authenticated, as the service reports it.
func authenticationIn(t *testing.T, c *client, file []byte) object {
	t.Helper()
	r := c.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(file)}).ok().object("data")
	stated, _ := r["signatures"].([]any)[0].(object)["authentication"].(object)
	return stated
}

// requireClaimOfAnotherSigner signs a file with a certificate of another installation of the same program, which states what only the service
// can state about its accounts.
func requireClaimOfAnotherSigner(t *testing.T, c *client) {
	t.Helper()
	a, err := authstatement.Statement{Factor: "passkey", ForSignature: true}.Attribute()
	if err != nil {
		t.Fatal(err)
	}
	f := &signtest.File{Bytes: simple()}
	o := signtest.NewSigner(t, "Budi").Options(t, "")
	o.NewField, o.Attributes = &pades.FieldSpec{Name: "A"}, []cms.Attribute{a}
	f.Sign(t, o)
	if stated := authenticationIn(t, c, f.Bytes); stated["factor"] != "passkey" || stated["stated_by"] != "signature" {
		t.Errorf("a signature of another signer: %v", stated)
	}
}
