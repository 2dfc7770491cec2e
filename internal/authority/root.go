package authority

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadRoot reads the root certificate of the authority in a folder, and needs no secret for it. Where there is no
// authority it is nil.
func ReadRoot(dir string) (*x509.Certificate, error) {
	b, err := os.ReadFile(filepath.Join(dir, "authority.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read authority: %w", err)
	}
	var in stored
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("read authority: %w", err)
	}
	c, err := x509.ParseCertificate(in.Members["root"].Certificate)
	if err != nil {
		return nil, fmt.Errorf("root of the authority in %s: %w", dir, err)
	}
	return c, nil
}
