package authority

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ocsp"

	"segel/tsp"
)

func TestRequestInThePathIsReadHoweverItsSlashesAreWritten(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	chain := issueCertificate(t, a)
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	cert, text := *chain[0], ""
	for i := int64(1); !strings.Contains(text, "//"); i++ {
		// A serial that contains the bits of two slashes at any alignment.
		cert.SerialNumber = new(big.Int).SetBytes([]byte{0x3f, 0xff, 0xff, byte(i)})
		cert.SerialNumber.Lsh(cert.SerialNumber, uint(i%8))
		der, err := ocsp.CreateRequest(&cert, chain[1], &ocsp.RequestOptions{Hash: crypto.SHA1})
		if err != nil {
			t.Fatal(err)
		}
		text = base64.StdEncoding.EncodeToString(der)
	}
	for name, path := range map[string]string{"escaped": url.PathEscape(text), "as it is": text, "all of it escaped": escapeAll(text)} {
		answer := fetchBody(t, server.URL+"/authority/ocsp/"+path)
		r, err := ocsp.ParseResponseForCert(answer, &cert, chain[1])
		if err != nil || r.Status != ocsp.Unknown {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// escapeAll escapes the characters of base64 other than letters and digits, like some clients.
func escapeAll(s string) string {
	return strings.NewReplacer("/", "%2f", "+", "%2b", "=", "%3d").Replace(s)
}

func TestOpenSSLAsksTheTimeStampAuthorityOverHTTP(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	server := httptest.NewServer(a.Handler())
	defer server.Close()
	dir := t.TempDir()
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	openssl := func(args ...string) (string, error) {
		c := exec.Command("openssl", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	write("root.pem", a.RootPEM())
	write("tsa.pem", pemOf(a.keys().parts[timeStamping][0].id.cert))
	write("data", []byte("kontrak"))
	for name, c := range map[string]struct {
		query []string
		says  string // text in the reply
		fails bool
	}{
		"SHA-256":               {[]string{"-sha256", "-cert"}, "Policy OID: " + tsaPolicy.String(), false},
		"SHA-512":               {[]string{"-sha512", "-cert"}, "Hash Algorithm: sha512", false},
		"no nonce":              {[]string{"-sha384", "-cert", "-no_nonce"}, "Nonce: unspecified", false},
		"without a certificate": {[]string{"-sha256"}, "Accuracy: 0x01 seconds", false},
		"our policy":            {[]string{"-sha256", "-cert", "-tspolicy", tsaPolicy.String()}, "Ordering: no", false},
		"another policy":        {[]string{"-sha256", "-cert", "-tspolicy", "1.2.3.4"}, "policy is not supported by the TSA", true},
		"SHA-1":                 {[]string{"-sha1", "-cert"}, "unsupported algorithm", true},
	} {
		if out, err := openssl(append([]string{"ts", "-query", "-data", "data", "-out", "q.tsq"}, c.query...)...); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		query, err := os.ReadFile(filepath.Join(dir, "q.tsq"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Post(server.URL+"/authority/tsa", "application/timestamp-query", bytes.NewReader(query))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := io.ReadAll(answer.Body)
		if err := answer.Body.Close(); err != nil || answer.Header.Get("Content-Type") != "application/timestamp-reply" {
			t.Errorf("%s: %v, %s", name, err, answer.Header.Get("Content-Type"))
		}
		if err != nil {
			t.Fatal(err)
		}
		write("a.tsr", reply)
		text, _ := openssl("ts", "-reply", "-in", "a.tsr", "-text")
		if !strings.Contains(text, c.says) {
			t.Errorf("%s: %q is not in\n%s", name, c.says, text)
		}
		out, err := openssl("ts", "-verify", "-queryfile", "q.tsq", "-in", "a.tsr", "-CAfile", "root.pem", "-untrusted", "tsa.pem")
		if (err != nil) != c.fails {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestNoTwoTimestampsHaveOneSerial(t *testing.T) {
	t.Parallel()
	a := openAuthority(t, t.TempDir(), &MemoryLedger{})
	seen := map[string]bool{}
	for range 100 {
		token := fetchToken(t, a)
		if seen[token.Serial.String()] || token.Serial.BitLen() > 160 || token.Serial.Sign() <= 0 {
			t.Fatalf("serial %x", token.Serial)
		}
		seen[token.Serial.String()] = true
	}
}

// fetchToken queries the authority in process.
func fetchToken(t *testing.T, a *Authority) *tsp.Token {
	t.Helper()
	der, err := a.Timestamper().Timestamp(t.Context(), make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	token, err := tsp.Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
