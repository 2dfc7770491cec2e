package config

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// contradictory has a configuration for each contradiction, by the name and the text of its error.
var contradictory = map[string][]string{
	"TLS_CERT: and ACME_DIRECTORY are two sources of one certificate; use one":                                                              {"TLS_CERT=cert.pem", "TLS_KEY=key.pem", "ACME_DIRECTORY=https://acme.example.com/dir", "PUBLIC_URL=https://segel.example.com"},
	"ACME_DIRECTORY: needs a PUBLIC_URL with https and a name, for which it issues the certificate":                                         {"ACME_DIRECTORY=https://acme.example.com/dir", "PUBLIC_URL=https://192.0.2.1"},
	"ACME_DIRECTORY: is required with ACME_EMAIL, ACME_HOSTS, ACME_CA and ACME_BINDING_ID":                                                  {"ACME_HOSTS=www.example.com"},
	"ACME_BINDING_ID: and ACME_BINDING_KEY belong together":                                                                                 {"ACME_BINDING_ID=kid", "ACME_DIRECTORY=https://acme.example.com/dir", "PUBLIC_URL=https://segel.example.com"},
	"TLS_CERT: and TLS_KEY belong together":                                                                                                 {"TLS_CERT=cert.pem"},
	"PUBLIC_URL: must be https with TLS_CERT":                                                                                               {"TLS_CERT=cert.pem", "TLS_KEY=key.pem", "PUBLIC_URL=http://segel.example.com"},
	"LISTEN_HTTP: needs a PUBLIC_URL with https, to which it redirects":                                                                     {"LISTEN_HTTP=:80", "PUBLIC_URL=http://segel.example.com"},
	"LISTEN_HTTP: must be another address than LISTEN":                                                                                      {"LISTEN_HTTP=:443", "LISTEN=:443", "PUBLIC_URL=https://segel.example.com"},
	"MASTER_KEY: and MASTER_KEY_FILE and MASTER_KEY_COMMAND are several sources of one key; use one":                                        {"MASTER_KEY_FILE=master.key", "MASTER_KEY_COMMAND=/usr/bin/key"},
	"FORMER_MASTER_KEY: and FORMER_MASTER_KEY_FILE and FORMER_MASTER_KEY_COMMAND are several sources of one key; use one":                   {"FORMER_MASTER_KEY_FILE=former.key", "FORMER_MASTER_KEY_COMMAND=/usr/bin/key"},
	"STATE: database needs MASTER_KEY, MASTER_KEY_FILE or MASTER_KEY_COMMAND: the data folder has nothing to keep then":                     {"STATE=database"},
	"BLOBS_WRITE: former needs BLOBS_FROM":                                                                                                  {"BLOBS_WRITE=former"},
	"BLOBS_FROM: must be another place than BLOBS: with files set BLOBS_FOLDER and BLOBS_FROM_FOLDER, with s3 S3_PREFIX and S3_FROM_PREFIX": {"BLOBS_FROM=files"},
	"S3_BUCKET: and S3_ENDPOINT need BLOBS=s3":                                                                                              {"S3_BUCKET=segel"},
	"S3_ACCESS_KEY: and S3_SECRET_KEY are required with BLOBS=s3":                                                                           {"BLOBS=s3", "S3_ENDPOINT=https://s3.example.com", "S3_BUCKET=segel", "S3_ACCESS_KEY=a"},
	"S3_ENDPOINT: must be https, except for a server in a network of OUTBOUND_PRIVATE":                                                      {"BLOBS_FROM=s3", "S3_ENDPOINT=http://s3.example.com", "S3_BUCKET=segel", "S3_ACCESS_KEY=a", "S3_SECRET_KEY=b"},
	"PHONE_WHATSAPP_BODY: needs PHONE_WHATSAPP_URL":                                                                                         {"PHONE_WHATSAPP_BODY={}"},
	"PHONE_WHATSAPP_BODY: is required with PHONE_WHATSAPP_URL":                                                                              {"PHONE_WHATSAPP_URL=https://provider.example.com"},
	"PHONE_SMS_BODY: needs PHONE_SMS_URL":                                                                                                   {"PHONE_SMS_BODY={}"},
	"PHONE_SMS_BODY: is required with PHONE_SMS_URL":                                                                                        {"PHONE_SMS_URL=https://provider.example.com"},
	"TIMESTAMP_URLS: needs TRUST_DIR, the roots to which these authorities have to lead":                                                    {"TIMESTAMP_URLS=https://tsa.example.com"},
	"STAMP_ADAPTERS: must name an adapter with STAMP_OFFICE=adapter":                                                                        {"STAMP_OFFICE=adapter", "STAMP_SHARED_DIR=shared", "STAMP_LOGIN_URL=https://office.example.com", "STAMP_USER=u", "STAMP_PASSWORD=p"},
	"STAMP_SHARED_DIR: must name a folder that the adapters see with STAMP_OFFICE=adapter":                                                  {"STAMP_OFFICE=adapter", "STAMP_ADAPTERS=http://adapter:7777", "STAMP_LOGIN_URL=https://office.example.com", "STAMP_USER=u", "STAMP_PASSWORD=p"},
	"STAMP_LOGIN_URL: must name the office with STAMP_OFFICE=adapter and cloud":                                                             {"STAMP_OFFICE=cloud", "STAMP_USER=u", "STAMP_PASSWORD=p"},
	"STAMP_USER: must have an account, and STAMP_PASSWORD its password, with STAMP_OFFICE=adapter and cloud":                                {"STAMP_OFFICE=cloud", "STAMP_LOGIN_URL=https://office.example.com", "STAMP_USER=u"},
	"MAX_STORAGE: must not be smaller than MAX_FILE":                                                                                        {"MAX_STORAGE=1MiB"},
	"MAX_OPEN_UPLOAD_BYTES: must not be smaller than MAX_FILE":                                                                              {"MAX_OPEN_UPLOAD_BYTES=1MiB"},
	"MAX_OPEN_UPLOAD_BYTES_PER_PERSON: must not be smaller than MAX_FILE":                                                                   {"MAX_OPEN_UPLOAD_BYTES_PER_PERSON=1MiB"},
	"REFRESH_LIFETIME: must not be shorter than ACCESS_LIFETIME":                                                                            {"REFRESH_LIFETIME=1h"},
	"REQUESTS_AT_ONCE: needs REQUESTS_PER_SECOND":                                                                                           {"REQUESTS_AT_ONCE=5"},
}

func TestEachContradictionIsTheOnlyErrorOfItsConfiguration(t *testing.T) {
	t.Parallel()
	if len(contradictory) != len(contradictions) {
		t.Errorf("%d configurations for %d contradictions", len(contradictory), len(contradictions))
	}
	for _, row := range contradictions {
		var set []string
		for _, s := range contradictory[row.name+": "+row.what] {
			set = append(set, envPrefix+s)
		}
		_, err := Load(set, nil)
		if err == nil || err.Error() != envPrefix+row.name+": "+row.what {
			t.Errorf("%s: %s: %q is answered %v", row.name, row.what, set, err)
		}
	}
}

func TestAContradictionNamesSettingsThatExist(t *testing.T) {
	t.Parallel()
	for _, row := range contradictions {
		for _, word := range append(strings.FieldsFunc(row.what, func(r rune) bool { return strings.ContainsRune(" ,;:", r) }), row.name) {
			word, _, _ = strings.Cut(word, "=")
			if strings.ToUpper(word) == word && strings.Contains(word, "_") && !isSetting(envPrefix+word) {
				t.Errorf("%s: there is no setting %s", row.name, word)
			}
		}
	}
}

func TestAnUnknownNameIsAnErrorThatNamesTheNearestSetting(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"SEGEL_LISEN":                    "SEGEL_LISEN is not a setting; did you mean SEGEL_LISTEN?",
		"SEGEL_DATABASE_FIEL":            "SEGEL_DATABASE_FIEL is not a setting; did you mean SEGEL_DATABASE_FILE?",
		"SEGEL_LISTEN_FILE":              "SEGEL_LISTEN_FILE is not a setting; did you mean SEGEL_LISTEN_HTTP?",
		"SEGEL_PUBLICURL":                "SEGEL_PUBLICURL is not a setting; did you mean SEGEL_PUBLIC_URL?",
		"SEGEL_QWERTZUIOP":               "SEGEL_QWERTZUIOP is not a setting; segel config prints them all",
		"SEGEL_CONFIG":                   "",
		"SEGEL_DATABASE_FILE":            "",
		"SEGELX":                         "",
		"SEGEL_SERVICE_HOST":             "", // of Kubernetes, for a service called segel
		"SEGEL_SERVICE_PORT_HTTP":        "",
		"SEGEL_PORT=tcp://10.0.0.1:8080": "",
		"SEGEL_PORT_8080_TCP":            "",
		"SEGEL_PORT_8080_TCP_ADDR":       "",
		"SEGEL_WEB_SERVICE_PORT":         "", // for one called segel-web
		"SEGEL_WEB_PORT_443_TCP_PORT":    "",
		"SEGEL_MAIL_PORT=587":            "SEGEL_MAIL_PORT is not a setting; did you mean SEGEL_MAIL_FROM?",
		"SEGEL_PORTS":                    "SEGEL_PORTS is not a setting; segel config prints them all",
	} {
		name, value, _ := strings.Cut(line, "=")
		unknown := unknownNames([]string{name + "=" + cmp.Or(value, "x"), name + "=", "HOME=/"})
		if (len(unknown) > 0) != (want != "") {
			t.Errorf("%s: unknown are %v", line, unknown)
		} else if want != "" && unknownError(name).Error() != want {
			t.Errorf("%s: %v, want %s", line, unknownError(name), want)
		}
	}
	_, err := Load([]string{"SEGEL_LISEN=:1", "SEGEL_MAX_PAGE=2"}, nil)
	if err == nil || !strings.Contains(err.Error(), "SEGEL_LISTEN?") || !strings.Contains(err.Error(), "SEGEL_MAX_PAGES?") {
		t.Errorf("two unknown names: %v", err)
	}
}

func TestTheEditDistanceCountsInsertionsRemovalsAndReplacements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestKnownNamesAreDistinct(t *testing.T) {
	t.Parallel()
	names := knownNames()
	slices.Sort(names)
	if n := len(names); n != len(slices.Compact(names)) {
		t.Error("a name is used twice")
	}
}
