package credential

import (
	"bytes"
	"crypto/x509"
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"
)

func TestPKCS12WhoseKeyIsNotItsCertificatesIsRefused(t *testing.T) {
	t.Parallel()
	_, cert := newCertificate(t, "Sari", nil, nil)
	other, _ := newCertificate(t, "Budi", nil, nil)
	file, err := pkcs12.Modern.Encode(other, cert, nil, "rahasia")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPKCS12(bytes.NewReader(file), "rahasia"); err == nil || !strings.Contains(err.Error(), "belong together") {
		t.Error(err)
	}
}

func TestPKCS12LongerThanTheLimitIsNotOpened(t *testing.T) {
	t.Parallel()
	if _, err := ReadPKCS12(bytes.NewReader(make([]byte, maxPKCS12+1)), ""); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

func TestChainIsLedByKeysNotByNames(t *testing.T) {
	t.Parallel()
	key, root := newCertificate(t, "Root", nil, nil)
	_, impostor := newCertificate(t, "Root", nil, nil)
	_, leaf := newCertificate(t, "Sari", root, key)
	_, stranger := newCertificate(t, "Other", nil, nil)
	chain := OrderChain(leaf, []*x509.Certificate{stranger, impostor, root})
	if len(chain) != 2 || !chain[0].Equal(leaf) || !chain[1].Equal(root) {
		t.Errorf("%d certificates, the second of %v", len(chain), chain[len(chain)-1].Subject)
	}
}
