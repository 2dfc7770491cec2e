package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"segel/internal/config"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// TestTheLogAtTheLevelDebugHasNoSecret plants secrets in the settings, lets every kind of secret be made and used, and lets what needs them fail: errors
// of libraries often repeat addresses with their passwords.
func TestTheLogAtTheLevelDebugHasNoSecret(t *testing.T) {
	t.Parallel()
	dsn, err := url.Parse(pgtest.Database(t, sqlstore.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	dsn.User = url.UserPassword(dsn.User.Username(), "planted-database-1")
	log := &lockedBuffer{}
	s := starting{log: log, set: []string{
		"SEGEL_DATABASE", dsn.String(), "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1", "SEGEL_ORGANISATION_PRIVATE_NETWORKS", "127.0.0.1", "SEGEL_METRICS_TOKEN", "planted-metrics-1",
		"SEGEL_MAIL_SERVERS", "smtp://planted-user:planted-mail-1@127.0.0.1:9", "SEGEL_MAIL_FROM", "segel@example.test",
		"SEGEL_PHONE_WHATSAPP_URL", "http://127.0.0.1:9/messages?key=planted-phone-1", "SEGEL_PHONE_WHATSAPP_HEADERS", `{"Authorization": "Bearer planted-phone-2"}`,
		"SEGEL_PHONE_WHATSAPP_BODY", `{"to": {{json .Number}}, "text": {{json .Text}}, "key": "planted-phone-3"}`,
		"SEGEL_STAMP_OFFICE", "cloud", "SEGEL_STAMP_LOGIN_URL", "http://127.0.0.1:9", "SEGEL_STAMP_USER", "u", "SEGEL_STAMP_PASSWORD", "planted-office-1", "SEGEL_STAMP_NETWORKS", "127.0.0.0/8",
		"SEGEL_TRACE_ENDPOINT", "http://127.0.0.1:9/v1/traces", "SEGEL_TRACE_NETWORKS", "127.0.0.0/8", "SEGEL_TRACE_HEADERS", `{"Authorization": "Bearer planted-trace-1"}`,
	}}.start(t)
	secrets := map[string]string{
		"password of a person": password, "setting": "planted-database-1", "another password": "planted-wrong-1",
	}
	for _, n := range []string{"metrics-1", "mail-1", "phone-1", "phone-2", "phone-3", "office-1", "trace-1"} {
		secrets["setting "+n] = "planted-" + n
	}

	admin := s.administrator(t, "Admin", "PT Sari")
	anyone := &client{service: s, t: t}
	anyone.do("POST", "/v1/auth/login", object{"email": admin.email, "password": "planted-wrong-1"})
	in := anyone.do("POST", "/v1/auth/login", object{"email": admin.email, "password": password}).ok().object("data")
	secrets["access token"], secrets["another access token"], secrets["refresh token"], secrets["device token"] = admin.token, in["token"].(string), in["refresh_token"].(string), in["device_token"].(string)
	anyone.do("GET", "/v1/auth/me?token="+admin.token, nil, "Authorization", "Bearer "+admin.token, "Cookie", "segel_session="+admin.token)
	secrets["refreshed token"] = anyone.do("POST", "/v1/auth/refresh", object{"refresh_token": in["refresh_token"]}).ok().object("data")["token"].(string)
	secrets["API key"] = admin.do("POST", "/v1/auth/keys", object{"name": "ERP", "scopes": []string{"documents:read"}, "password": password}).ok().object("response", "data")["secret"].(string)
	hook := admin.do("POST", "/v1/admin/webhooks", object{"url": "http://127.0.0.1:9/hook?key=planted-hook-1"}).ok().object("response", "data")["secret"].(string)
	secrets["webhook"], secrets["address of the webhook"] = strings.TrimPrefix(hook, "whsec_"), "planted-hook-1"
	secrets["SCIM"] = admin.do("PUT", "/v1/admin/scim/secret", object{}).ok().object("response", "data")["secret"].(string)
	anyone.do("GET", "/scim/v2/Users", nil, "Authorization", "Bearer "+secrets["SCIM"])

	owner := s.person(t, "Sari Wulandari", "PT Sari")
	totp, codes := owner.addTOTP()
	secrets["authenticator app"], secrets["recovery code"] = totp, codes[0].(string)
	id := owner.uploadWith(object{"guest": object{"name": "Budi", "email": budi, "role": "signer", "number": 1}}, simple())
	owner.verb("finalize-docs", id).ok()
	person := owner.get("signers", id).ok().object("data")["signer"].([]any)[0].(object)["user_id"].(string)
	link := owner.verb("guest-link-docs", id, "user_id", person).ok().object("response", "data")["url"].(string)
	_, secrets["link"], _ = strings.Cut(link, "#")
	secrets["token of a guest"] = anyone.do("POST", "/v1/auth/guest", object{"link": link}).ok().object("data")["token"].(string)
	stamped := owner.upload(simple())
	owner.place(stamped, owner.at("emet", 100, 100, 160, 160)).ok()
	owner.verb("finalize-docs", stamped).ok()

	if err := s.notices.Resume(t.Context()); err != nil {
		t.Log(err)
	}
	_ = s.traces.Flush(t.Context())
	s.stop()

	logged := log.String()
	for _, want := range []string{"operation=login", "operation=create-key", "traces cannot be sent", "level=WARN"} {
		if !strings.Contains(logged, want) {
			t.Errorf("the log lacks %s, so something else was looked at", want)
		}
	}
	for what, secret := range secrets {
		quoted, err := json.Marshal(secret)
		if err != nil || len(secret) < 8 {
			t.Fatalf("%s is %q: %v", what, secret, err)
		}
		for _, written := range []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), fmt.Sprintf("%x", secret)} {
			if i := strings.Index(logged, written); i >= 0 {
				t.Errorf("the log has the %s: %s", what, logged[max(0, i-300):min(len(logged), i+100)])
			}
		}
	}
}

func TestTheLogAndTheErrorsOfABucketThatRefusesHaveNoKey(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `<Error><Code>SignatureDoesNotMatch</Code><Message>%s</Message></Error>`, r.Header.Get("Authorization"))
	}))
	t.Cleanup(refusing.Close)
	conf, err := config.Load(nil, map[string]string{
		"SEGEL_DATA_DIR": newDataFolder(t), "SEGEL_BLOBS": "s3", "SEGEL_S3_ENDPOINT": refusing.URL, "SEGEL_S3_BUCKET": "segel", "SEGEL_OUTBOUND_PRIVATE": "127.0.0.1",
		"SEGEL_S3_ACCESS_KEY": "planted-access-1", "SEGEL_S3_SECRET_KEY": "planted-secret-1", "SEGEL_S3_TIMEOUT": "1s",
	})
	if err != nil {
		t.Fatal(err)
	}
	log := &lockedBuffer{}
	a, err := openApp(t.Context(), conf, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), creating)
	if err == nil {
		a.close()
		t.Fatal("a bucket that refuses everything was opened")
	}
	if said := err.Error() + log.String(); strings.Contains(said, "planted-secret-1") {
		t.Errorf("the key is told: %s", said)
	}
}
