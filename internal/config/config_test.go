package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestDefaultsPassTheirOwnChecksAndAreTheContractsLimits(t *testing.T) {
	t.Parallel()
	c := Default()
	if want := (contract.Limits{}).Defaults(); c.Limits() != want {
		t.Errorf("limits are %+v, the contract's are %+v", c.Limits(), want)
	}
	if c.BaseURL() != "http://127.0.0.1:8080" {
		t.Errorf("base URL is %q", c.BaseURL())
	}
}

func TestEveryMemberHasAVariableAndAManual(t *testing.T) {
	t.Parallel()
	doc, err := readManual()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range listSettings() {
		if m.name == envPrefix || seen[m.name] {
			t.Errorf("%s has no variable, or shares one: %q", m.field, m.name)
		}
		seen[m.name] = true
		if c := doc.comments[m.field]; len(c) < 20 || !strings.HasSuffix(c, ".") {
			t.Errorf("%s has no comment: %q", m.field, c)
		}
	}
	if len(doc.titles) != 12 || doc.titles["DataDir"] != "Service" {
		t.Errorf("parts of the manual: %v", doc.titles)
	}
}

func TestFlagsWinOverTheEnvironmentAndItOverDefaults(t *testing.T) {
	t.Parallel()
	environ := []string{
		"SEGEL_LISTEN=:9000", "SEGEL_MAX_FILE=2MiB", "SEGEL_MAX_PAGES=", "PATH=/bin", "SEGEL_LOG_LEVEL=debug",
		"SEGEL_TRUSTED_PROXIES=10.1.2.3/8,::1", "SEGEL_PATHS=/status/{document_id}=/v1/econtract/web_app/document/status/{document_id},/up=/v1/econtract/{service}/sign/upload-docs", "SEGEL_ACCESS_LIFETIME=90m",
		"SEGEL_CORS_ORIGINS=https://a.example,https://b.example:8443",
	}
	c, err := Load(environ, map[string]string{"SEGEL_LISTEN": "0.0.0.0:9001"})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Listen, want.MaxFile, want.LogLevel, want.AccessLifetime = "0.0.0.0:9001", 2<<20, slog.LevelDebug, 90*time.Minute
	want.TrustedProxies = []Network{{netip.MustParsePrefix("10.0.0.0/8")}, {netip.MustParsePrefix("::1/128")}}
	want.Paths = map[string]string{
		"/status/{document_id}": "/v1/econtract/web_app/document/status/{document_id}",
		"/up":                   "/v1/econtract/{service}/sign/upload-docs",
	}
	want.CORSOrigins = []string{"https://a.example", "https://b.example:8443"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got\n%s\nwant\n%s", c, want)
	}
	if c.BaseURL() != "http://localhost:9001" {
		t.Errorf("base URL of every network is %q", c.BaseURL())
	}
}

func TestSettingsOfAnS3ServerAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set  []string
		want string // empty: none
	}{
		{nil, ""},
		{[]string{"SEGEL_S3_ENDPOINT=http://10.1.2.3:9000", "SEGEL_OUTBOUND_PRIVATE=10.0.0.0/8", "SEGEL_S3_PREFIX=a/b.c/"}, ""},
		{[]string{"SEGEL_S3_ENDPOINT=http://s3.example.com"}, "SEGEL_S3_ENDPOINT: must be https"},
		{[]string{"SEGEL_S3_ENDPOINT=https://u:geheim@s3.example.com"}, "SEGEL_S3_ENDPOINT: must be an address"},
		{[]string{"SEGEL_S3_ENDPOINT=https://s3.example.com/bucket"}, "SEGEL_S3_ENDPOINT: must be an address"},
		{[]string{"SEGEL_S3_BUCKET=Segel_"}, "SEGEL_S3_BUCKET: must be"},
		{[]string{"SEGEL_S3_PREFIX=segel"}, "SEGEL_S3_PREFIX: must be"},
		{[]string{"SEGEL_S3_PREFIX=../"}, "SEGEL_S3_PREFIX: must be"},
	} {
		set := append([]string{"SEGEL_BLOBS=s3", "SEGEL_S3_ENDPOINT=https://s3.example.com", "SEGEL_S3_BUCKET=segel", "SEGEL_S3_ACCESS_KEY=geheim1", "SEGEL_S3_SECRET_KEY=geheim2"}, c.set...)
		conf, err := Load(set, nil)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "geheim")) {
			t.Errorf("%q: %v, want %q", c.set, err, c.want)
		}
		if strings.Contains(conf.String(), "geheim") {
			t.Errorf("%q: a key is printed", c.set)
		}
	}
}

func TestSourcesOfTheMasterKeyAreCheckedAndNotRepeated(t *testing.T) {
	t.Parallel()
	const key = "Z2VoZWltLWdlaGVpbS1nZWhlaW0tZ2VoZWltLTAwMDE="
	for _, c := range []struct {
		set  []string
		want string // empty: none
	}{
		{[]string{"SEGEL_MASTER_KEY=" + key}, ""},
		{[]string{"SEGEL_MASTER_KEY=" + key, "SEGEL_STATE=database"}, ""},
		{[]string{"SEGEL_MASTER_KEY_COMMAND=/usr/bin/age -d -i id master.age", "SEGEL_STATE=database"}, ""},
		{[]string{"SEGEL_MASTER_KEY_FILE=/does/not/exist", "SEGEL_STATE=database"}, ""},
		{[]string{"SEGEL_MASTER_KEY=" + key + key}, "SEGEL_MASTER_KEY: must be base64 of 32 bytes"},
		{[]string{"SEGEL_MASTER_KEY=" + key[:40]}, "SEGEL_MASTER_KEY: must be base64 of 32 bytes"},
		{[]string{"SEGEL_MASTER_KEY=" + key, "SEGEL_MASTER_KEY_FILE=master.key"}, "SEGEL_MASTER_KEY: and MASTER_KEY_FILE"},
		{[]string{"SEGEL_MASTER_KEY=" + key, "SEGEL_FORMER_MASTER_KEY=" + key}, ""},
		{[]string{"SEGEL_FORMER_MASTER_KEY=" + key + key}, "SEGEL_FORMER_MASTER_KEY: must be base64 of 32 bytes"},
		{[]string{"SEGEL_FORMER_MASTER_KEY=" + key, "SEGEL_FORMER_MASTER_KEY_FILE=former.key"}, "SEGEL_FORMER_MASTER_KEY: and FORMER_MASTER_KEY_FILE"},
	} {
		conf, err := Load(c.set, nil)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key[:20])) {
			t.Errorf("%q: %v, want %q", c.set, err, c.want)
		}
		if strings.Contains(conf.String(), key) || err == nil && len(c.set) == 1 && !strings.Contains(conf.String(), "SEGEL_MASTER_KEY=********\n") {
			t.Errorf("%q: the key is printed", c.set)
		}
	}
}

func TestEveryProblemNamesItsVariable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ set, want string }{
		{"SEGEL_LISTEN=8080", `SEGEL_LISTEN: "8080" is not an address`},
		{"SEGEL_LISTEN_HTTP=80", `SEGEL_LISTEN_HTTP: "80" is not an address`},
		{"SEGEL_LISTEN_HTTP=:80", "SEGEL_LISTEN_HTTP: needs a PUBLIC_URL with https"},
		{"SEGEL_ACME_DIRECTORY=http://acme.example.com/dir", "SEGEL_ACME_DIRECTORY: must be an address with https"},
		{"SEGEL_ACME_DIRECTORY=https://u:geheim@acme.example.com/dir", "SEGEL_ACME_DIRECTORY: must be an address with https"},
		{"SEGEL_TLS_CERT=cert.pem", "SEGEL_TLS_CERT: and TLS_KEY belong together"},
		{"SEGEL_TLS_KEY=key.pem", "SEGEL_TLS_CERT: and TLS_KEY belong together"},
		{"SEGEL_PUBLIC_URL=segel.example.com", "SEGEL_PUBLIC_URL: must be an address"},
		{"SEGEL_PUBLIC_URL=https://segel.example.com/", "SEGEL_PUBLIC_URL: must not end in a slash"},
		{"SEGEL_PUBLIC_URL=https://kontrak.exämple.com", `SEGEL_PUBLIC_URL: must be in ASCII, because certificates and mails state it; the host is "kontrak.xn--exmple-cua.com" then`},
		{"SEGEL_PUBLIC_URL=https://example.com/é", `SEGEL_PUBLIC_URL: must be in ASCII`},
		{"SEGEL_PUBLIC_URL=https://u:p@segel.example.com", "SEGEL_PUBLIC_URL: must not hold a password"},
		{"SEGEL_DATABASE=mysql://u:geheim@h/db", "SEGEL_DATABASE: must be a PostgreSQL URL"},
		{"SEGEL_DATABASE=postgres://u:ge%heim@h/db", "SEGEL_DATABASE: must be a PostgreSQL URL"},
		{"SEGEL_BLOBS=tape", "SEGEL_BLOBS: must be files or s3"},
		{"SEGEL_BLOBS=s3", "SEGEL_S3_BUCKET: must be the name of a bucket"},
		{"SEGEL_BLOBS=s3", "SEGEL_S3_ACCESS_KEY: and S3_SECRET_KEY are required"},
		{"SEGEL_S3_BUCKET=segel", "SEGEL_S3_BUCKET: and S3_ENDPOINT need BLOBS=s3"},
		{"SEGEL_STATE=tape", "SEGEL_STATE: must be folder or database"},
		{"SEGEL_STATE=database", "SEGEL_STATE: database needs MASTER_KEY"},
		{"SEGEL_MASTER_KEY=Z2VoZWlt", "SEGEL_MASTER_KEY: must be base64 of 32 bytes"},
		{"SEGEL_FORMER_MASTER_KEY_COMMAND=cat key", "SEGEL_FORMER_MASTER_KEY_COMMAND: must begin with the whole path"},
		{"SEGEL_MASTER_KEY_COMMAND=cat key", "SEGEL_MASTER_KEY_COMMAND: must begin with the whole path"},
		{"SEGEL_BLOBS_FROM=tape", "SEGEL_BLOBS_FROM: must be empty, files or s3"},
		{"SEGEL_BLOBS_FROM=files", "SEGEL_BLOBS_FROM: must be another place than BLOBS"},
		{"SEGEL_BLOBS_WRITE=both", "SEGEL_BLOBS_WRITE: must be new or former"},
		{"SEGEL_BLOBS_FROM=s3", "SEGEL_S3_BUCKET: must be the name of a bucket"},
		{"SEGEL_CORS_ORIGINS=a.example", "SEGEL_CORS_ORIGINS"},
		{"SEGEL_CORS_ORIGINS=https://a.example/", "SEGEL_CORS_ORIGINS"},
		{"SEGEL_SERVICE_SEGMENT=a/b", "SEGEL_SERVICE_SEGMENT: must be one path segment"},
		{"SEGEL_PATHS=status=/v1/status", "SEGEL_PATHS"},
		{"SEGEL_PATHS=/status=status", "SEGEL_PATHS"},
		{"SEGEL_LOG_FORMAT=xml", "SEGEL_LOG_FORMAT: must be text or json"},
		{"SEGEL_LOG_LEVEL=loud", "SEGEL_LOG_LEVEL"},
		{"SEGEL_MAX_FILE=many", "SEGEL_MAX_FILE"},
		{"SEGEL_MAX_PAGES=many", "SEGEL_MAX_PAGES"},
		{"SEGEL_MAX_PAGES=0", "SEGEL_MAX_PAGES: 0 is too small; at least 1"},
		{"SEGEL_MAX_BOX_AREA=101", "SEGEL_MAX_BOX_AREA: 101 is too large; at most 100"},
		{"SEGEL_TRACE_PERCENT=101", "SEGEL_TRACE_PERCENT: 101 is too large; at most 100"},
		{"SEGEL_RETENTION_LEAST_YEARS=101", "SEGEL_RETENTION_LEAST_YEARS: 101 is too large; at most 100"},
		{"SEGEL_MIN_PASSWORD=4", "SEGEL_MIN_PASSWORD: 4 is too small"},
		{"SEGEL_ACCESS_LIFETIME=1s", "SEGEL_ACCESS_LIFETIME: 1s is too short"},
		{"SEGEL_REFRESH_LIFETIME=1h", "SEGEL_REFRESH_LIFETIME: must not be shorter"},
		{"SEGEL_TRUSTED_PROXIES=proxy", "SEGEL_TRUSTED_PROXIES"},
		{"SEGEL_STAMP_OFFICE=post", "SEGEL_STAMP_OFFICE: must be sandbox, adapter or cloud"},
		{"SEGEL_STAMP_OFFICE=cloud", "SEGEL_STAMP_LOGIN_URL"},
		{"SEGEL_STAMP_OFFICE=adapter", "SEGEL_STAMP_SHARED_DIR"},
		{"SEGEL_STAMP_ADAPTERS=adapter:7777", "SEGEL_STAMP_ADAPTERS"},
		{"SEGEL_STAMP_IDENTITY=SIM", "SEGEL_STAMP_IDENTITY"},
		{"SEGEL_STAMP_ENCRYPTED=some", "SEGEL_STAMP_ENCRYPTED: must be any, unrestricted or none"},
		{"SEGEL_STAMP_SLOTS=0", "SEGEL_STAMP_SLOTS: 0 is too small"},
		{"SEGEL_TIMESTAMP_URLS=https://tsa.example/", "SEGEL_TIMESTAMP_URLS: needs TRUST_DIR"},
		{"SEGEL_TIMESTAMP_URLS=https://tsa.example/,ftp://u:geheim@tsa.example/", "SEGEL_TIMESTAMP_URLS: number 2 is not an address"},
		{"SEGEL_TIMESTAMP_URLS=https://u:geheim@tsa .example/", "SEGEL_TIMESTAMP_URLS: number 1 is not an address"},
		{"SEGEL_TIMESTAMP_TIMEOUT=1ms", "SEGEL_TIMESTAMP_TIMEOUT: 1ms is too short"},
		{"SEGEL_CLOCK_TOLERANCE=10ms", "SEGEL_CLOCK_TOLERANCE: 10ms is not between 1s and 5m0s"},
		{"SEGEL_CLOCK_TOLERANCE=6m", "SEGEL_CLOCK_TOLERANCE: 6m0s is not between 1s and 5m0s"},
		{"SEGEL_PHONE_SMS_URL=https://u:geheim@sms.example/", "SEGEL_PHONE_SMS_URL: must be an address"},
		{"SEGEL_PHONE_SMS_URL=https://sms.example/?key=geheim", "SEGEL_PHONE_SMS_BODY: is required"},
		{"SEGEL_PHONE_WHATSAPP_BODY=geheim", "SEGEL_PHONE_WHATSAPP_BODY: needs PHONE_WHATSAPP_URL"},
		{"SEGEL_OUTBOUND_PORTS=443,0", "SEGEL_OUTBOUND_PORTS: must be ports"},
		{"SEGEL_OUTBOUND_PORTS=65536", "SEGEL_OUTBOUND_PORTS"},
		{"SEGEL_OUTBOUND_PRIVATE=intranet", "SEGEL_OUTBOUND_PRIVATE"},
		{"SEGEL_ORGANISATION_PRIVATE_NETWORKS=intranet", "SEGEL_ORGANISATION_PRIVATE_NETWORKS"},
	} {
		_, err := Load([]string{test.set}, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.set, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "heim") {
			t.Errorf("%s: the error repeats the password: %v", test.set, err)
		}
	}
	_, err := Load([]string{"SEGEL_MAX_PAGES=0", "SEGEL_LOG_FORMAT=xml"}, nil)
	if err == nil || strings.Count(err.Error(), envPrefix) != 2 {
		t.Errorf("two problems are reported as %v", err)
	}
}

func TestRestrictedFilesGoToAnotherStampOfficeOnlyIfConfigured(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		office, told string
		want         contract.EncryptedFiles
	}{
		{"sandbox", "", contract.EncryptedAny}, {"adapter", "", contract.EncryptedUnrestricted}, {"cloud", "", contract.EncryptedUnrestricted},
		{"sandbox", "none", contract.EncryptedNone}, {"cloud", "any", contract.EncryptedAny},
	} {
		if got := (Config{StampOffice: test.office, StampEncrypted: test.told}).Limits().StampEncrypted; got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestSecretsCanComeFromFilesAndAreNeverPrinted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte("postgres://segel:geheim@db.example/segel?password=geheim\r\nmore"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load([]string{
		"SEGEL_DATABASE_FILE=" + file, "SEGEL_METRICS_TOKEN=geheim", "SEGEL_CONVERT=https://pemakai:geheim@gotenberg.example/",
		"SEGEL_TIMESTAMP_URLS=https://tsa.example/,https://pemakai:geheim@tsa.example/b?key=geheim", "SEGEL_TRUST_DIR=roots",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Database != "postgres://segel:geheim@db.example/segel?password=geheim" {
		t.Errorf("database is %q", c.Database)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		printed := fmt.Sprintf(verb, c)
		if strings.Contains(printed, "geheim") {
			t.Errorf("%s shows a secret:\n%s", verb, printed)
		}
		if !strings.Contains(printed, "SEGEL_DATABASE=postgres://********@db.example/segel\n") || !strings.Contains(printed, "SEGEL_METRICS_TOKEN=********\n") ||
			!strings.Contains(printed, "SEGEL_TIMESTAMP_URLS=https://********@tsa.example/,https://********@tsa.example/b\n") {
			t.Errorf("%s does not show that secrets are set:\n%s", verb, printed)
		}
	}
	if _, err := Load([]string{"SEGEL_DATABASE_FILE=" + file, "SEGEL_DATABASE=postgres://h/d"}, nil); err == nil {
		t.Error("a secret given twice was accepted")
	}
	if _, err := Load([]string{"SEGEL_DATABASE_FILE=" + file + ".gone"}, nil); err == nil {
		t.Error("a missing file of a secret was accepted")
	}
}

func TestWhatIsPrintedIsReadAgain(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{
		"SEGEL_PATHS=/a=/v1/a,/b/{x}=/v1/b/{x}", "SEGEL_TRUSTED_PROXIES=10.0.0.0/8", "SEGEL_MAX_FILE=1500000",
		"SEGEL_ACCESS_LIFETIME=90s", "SEGEL_GUEST_LIFETIME=48h", "SEGEL_LOG_LEVEL=warn", "SEGEL_STAMP_ONLY=true",
		"SEGEL_MAIL_FROM_BY_ORGANISATION=5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00:kontrak@contoh.example,8f14e45f-93d2-4d0b-9a5e-7f6d3c2b1a00:segel@lain.example",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	var environ []string
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#"+envPrefix) {
			line = line[1:] // a default, written out, has the same effect
		}
		if strings.HasPrefix(line, envPrefix) {
			environ = append(environ, line)
		}
	}
	if len(environ) != len(listSettings()) {
		t.Errorf("%d of %d members are printed", len(environ), len(listSettings()))
	}
	again, err := Load(environ, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, again) {
		t.Errorf("printed\n%s\nread again as\n%s", c, again)
	}
	for _, want := range []string{"\nSEGEL_GUEST_LIFETIME=48h\n", "\nSEGEL_ACCESS_LIFETIME=1m30s\n", "\n#SEGEL_SHUTDOWN_WAIT=20s\n", "\nSEGEL_LOG_LEVEL=warn\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func TestSizesAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Size{"0": 0, "17": 17, "1KiB": 1024, "50 MiB": 50 << 20, "2MB": 2_000_000, "3GiB": 3 << 30, "9B": 9} {
		var s, again Size
		if err := s.UnmarshalText([]byte(in)); err != nil || s != want {
			t.Errorf("%q is %d, %v, want %d", in, s, err, want)
		}
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%d is written %s and read as %d, %v", s, s, again, err)
		}
	}
	for _, in := range []string{"", "MiB", "-1", "1.5MiB", "99999999999GiB", "1TiB"} {
		var s Size
		if err := s.UnmarshalText([]byte(in)); err == nil {
			t.Errorf("%q was read as %d", in, s)
		}
	}
}

func TestTheBasePathIsThatOfThePublicAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"": "", "https://segel.example": "", "https://segel.example/": "", "https://example.com/segel": "/segel", "https://example.com/a/b/": "/a/b",
	} {
		if got := (Config{PublicURL: address, Listen: "127.0.0.1:8080"}).BasePath(); got != want {
			t.Errorf("%q: base path %q, want %q", address, got, want)
		}
	}
}

func TestEveryNumberAndDurationHasALeastValueThatParses(t *testing.T) {
	t.Parallel()
	config := reflect.TypeFor[Config]()
	for _, m := range listSettings() {
		var err error
		switch config.Field(m.index).Type {
		case reflect.TypeFor[int]():
			_, err = strconv.Atoi(m.min)
		case reflect.TypeFor[time.Duration]():
			_, err = time.ParseDuration(m.min)
		}
		if err != nil && m.name != "SEGEL_CLOCK_TOLERANCE" { // it has a range
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

func TestHoursAreReadOrRefused(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Hours{"21-7": {21, 7}, "0-0": {}, "0-24": {0, 24}} {
		var h Hours
		if err := h.UnmarshalText([]byte(in)); err != nil || h != want || h.String() != in {
			t.Errorf("%s: %v, %v", in, h, err)
		}
	}
	for _, in := range []string{"", "21", "21-", "-7", "25-1", "1-25", "a-b", "1--2", "1-2-3"} {
		if err := new(Hours).UnmarshalText([]byte(in)); err == nil {
			t.Errorf("%q was accepted", in)
		}
	}
}

func TestFilesOfSecretsAreThoseThatSecretSettingsName(t *testing.T) {
	t.Parallel()
	got := SecretFiles([]string{"SEGEL_DATABASE_FILE=/run/database", "SEGEL_LISTEN_FILE=/run/listen", "SEGEL_MASTER_KEY_FILE=/run/key", "SEGEL_METRICS_TOKEN_FILE=", "OTHER_FILE=/x"})
	if want := []SecretFile{{"SEGEL_DATABASE_FILE", "/run/database"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
