package webhook

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const examples = "../../../docs/webhooks/"

// program returns the path of a program. It skips the test without it, unless SEGEL_REQUIRE_WEBHOOK_EXAMPLES requires all.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("SEGEL_REQUIRE_WEBHOOK_EXAMPLES") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, stdin string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Stdin = strings.NewReader(stdin)
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestEachExampleAcceptsOurMessagesAndNoOthers runs the examples of docs/webhooks.md.
func TestEachExampleAcceptsOurMessagesAndNoOthers(t *testing.T) {
	t.Parallel()
	for language, prepare := range map[string]func(*testing.T) []string{
		"Go": func(t *testing.T) []string {
			built := filepath.Join(t.TempDir(), "verify")
			if out, err := run(t, "", program(t, "go"), "build", "-o", built, examples+"verify.go"); err != nil {
				t.Fatal(out, err)
			}
			return []string{built}
		},
		"Python": func(t *testing.T) []string { return []string{program(t, "python3"), examples + "verify.py"} },
		"PHP":    func(t *testing.T) []string { return []string{program(t, "php"), examples + "verify.php"} },
		"TypeScript": func(t *testing.T) []string {
			node, compiler := program(t, "node"), "../../../web/node_modules/typescript/bin/tsc"
			if _, err := os.Stat(compiler); err != nil && os.Getenv("SEGEL_REQUIRE_WEBHOOK_EXAMPLES") == "" {
				t.Skip(err)
			}
			built := t.TempDir()
			out, err := run(t, "", node, compiler, "--noCheck", "--target", "es2022", "--module", "commonjs", "--outDir", built, examples+"verify.ts")
			if err != nil {
				t.Fatal(out, err)
			}
			return []string{node, filepath.Join(built, "verify.js")}
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			command := prepare(t)
			key, former := []byte("the 32 bytes of a current secret"), []byte("the 32 bytes of a former secret.")
			secret, id, body, now := formatSecret(key), "evt_2414", `{"type":"document.signed","name":"Siti “Rahma” & <Budi>"}`, time.Now()
			at := strconv.FormatInt(now.Unix(), 10)
			old := now.Add(-time.Hour)
			signed := Sign(id, now, []byte(body), key)
			for what, c := range map[string]struct {
				id, at, signatures, body string
				ok                       bool
			}{
				"as it was sent":                 {id, at, signed, body, true},
				"while the secret is rotated":    {id, at, Sign(id, now, []byte(body), former, key), body, true},
				"signed with the former secret":  {id, at, Sign(id, now, []byte(body), former), body, false},
				"with another body":              {id, at, signed, body + " ", false},
				"with another identifier":        {"evt_2415", at, signed, body, false},
				"with another time":              {id, strconv.FormatInt(now.Unix()-1, 10), signed, body, false},
				"an hour old":                    {id, strconv.FormatInt(old.Unix(), 10), Sign(id, old, []byte(body), key), body, false},
				"with a signature of another v.": {id, at, strings.Replace(signed, "v1,", "v2,", 1), body, false},
				"without a signature":            {id, at, "", body, false},
			} {
				out, err := run(t, c.body, command[0], append(command[1:len(command):len(command)], secret, c.id, c.at, c.signatures)...)
				if (err == nil) != c.ok {
					t.Errorf("%s: %v, %s", what, err, out)
				}
			}
		})
	}
}

// TestSignatureIsThatOfStandardWebhooks compares with a value that another implementation computed.
func TestSignatureIsThatOfStandardWebhooks(t *testing.T) {
	t.Parallel()
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), secret); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, s := range []string{"", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_*"} {
		if _, err := ParseSecret(s); err == nil {
			t.Errorf("%q is a secret", s)
		}
	}
}

func TestCursorsAndIdentifiersAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "c", "7", "c-1", "c07", "cA", "c 1", "c99999999999999999999"} {
		if n, ok := ParseCursor(s); ok {
			t.Errorf("%q is read as %d", s, n)
		}
	}
	if n, ok := ParseCursor(FormatCursor(2414)); !ok || n != 2414 {
		t.Errorf("2414 is read as %d", n)
	}
}
