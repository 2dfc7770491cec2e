package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestAWrittenFileOfSettingsIsReadAgainWithItsSecrets(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{
		"SEGEL_DATABASE=postgres://segel:geheim@db.example/segel?sslmode=verify-full", "SEGEL_ACCESS_LIFETIME=90s",
		"SEGEL_CONVERT=https://pemakai:geheim@gotenberg.example/", `SEGEL_PHONE_SMS_HEADERS={"Authorization": "Bearer geheim#1"}`, "SEGEL_PHONE_SMS_URL=https://sms.example/?key=geheim", `SEGEL_PHONE_SMS_BODY={"to": {{json .Number}}}`,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.FileText()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "segel.env")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := ReadFile(file)
	if err != nil || len(settings) != 6 {
		t.Fatalf("%q, %v", settings, err)
	}
	again, err := Load(settings, nil)
	if err != nil || !reflect.DeepEqual(c, again) {
		t.Errorf("%v: read again as\n%s", err, again)
	}
	// The environment wins, except where it is empty.
	again, err = Load(append(settings, "SEGEL_ACCESS_LIFETIME=2m", "SEGEL_DATABASE="), nil)
	if err != nil || again.AccessLifetime != 2*time.Minute || again.Database != c.Database {
		t.Errorf("%v: with the environment\n%s", err, again)
	}
	c.PhoneSMSBody += "\nsecond line"
	if _, err := c.FileText(); err == nil || !strings.Contains(err.Error(), "SEGEL_PHONE_SMS_BODY has several lines") {
		t.Errorf("a value of two lines: %v", err)
	}
}

func TestEveryProblemOfAFileOfSettingsNamesItsLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "segel.env")
	const text = "# comment\n\nSEGEL_LISTEN = :8443 \r\nSEGEL_LISEN=:1\nPATH=/geheim\nSEGEL_LISTEN=:9\nSEGEL_CONFIG=other\ngeheim\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := ReadFile(file)
	if len(settings) != 1 || settings[0] != "SEGEL_LISTEN=:8443" || err == nil {
		t.Fatalf("%q, %v", settings, err)
	}
	for _, want := range []string{
		":4: SEGEL_LISEN is not a setting; did you mean SEGEL_LISTEN?", ":5: must be a comment or SEGEL_NAME=value", ":6: SEGEL_LISTEN is set in line 3 already",
		":7: SEGEL_CONFIG is not a setting", ":8: must be a comment",
	} {
		if !strings.Contains(err.Error(), file+want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "geheim") {
		t.Errorf("the error repeats a line: %v", err)
	}
}
