package authority

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"segel/internal/credential"
)

// ReadRoot reads the root certificate of the authority in a folder, without any secret. Without an authority it is nil.
func ReadRoot(dir string) (*x509.Certificate, error) {
	found, err := readMembers(filepath.Join(dir, authorityFile), "root")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return found["root"], err
}

// OpenRoot checks that the sealer opens the keys of the authority in a folder, and returns its root certificate. It
// writes nothing. ErrMissing if there is no authority.
func OpenRoot(dir string, s *credential.Sealer) (*x509.Certificate, error) {
	a, err := readRootKeys(dir, Options{Sealer: s})
	if err != nil {
		return nil, err
	}
	return a.Root(), nil
}

// Exists reports whether a folder has an authority, and the path of its file.
func Exists(dir string) (file string, ok bool, err error) {
	file = filepath.Join(dir, authorityFile)
	_, err = os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, false, nil
	}
	return file, err == nil, err
}

// ReadPublic reads the root certificate and the issuing certificates of the authority in a folder, without any secret.
// Without an authority the root is nil; the issuer of guests is left out if it does not exist yet.
func ReadPublic(dir string) (root *x509.Certificate, issuers []Issuer, err error) {
	first, err := readMembers(filepath.Join(dir, authorityFile), "root", "issuing")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	root = first["root"]
	if err := first["issuing"].CheckSignatureFrom(root); err != nil {
		return nil, nil, fmt.Errorf("certificate of the authority's issuing: %w", err)
	}
	issuers = []Issuer{describeIssuer(first["issuing"])}
	guests, err := readMembers(filepath.Join(dir, guestsFile), guestsIssuingMember)
	if errors.Is(err, fs.ErrNotExist) {
		return root, issuers, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err := checkGuestIssuer(guests[guestsIssuingMember], root); err != nil {
		return nil, nil, err
	}
	return root, append(issuers, describeGuestIssuer(guests[guestsIssuingMember])), nil
}

// readMembers reads certificates from one of the authority's files.
func readMembers(file string, names ...string) (map[string]*x509.Certificate, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read authority: %w", err)
	}
	var in storedFile
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	found := map[string]*x509.Certificate{}
	for _, name := range names {
		if found[name], err = x509.ParseCertificate(in.Members[name].Certificate); err != nil {
			return nil, fmt.Errorf("%s in %s: %w", name, file, err)
		}
	}
	return found, nil
}
