package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/internal/credential"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/revocation"
	"segel/tsp"
)

type signCommand struct {
	dataFlag
	In           string `arg:"" help:"File to sign." placeholder:"IN.pdf"`
	Out          string `arg:"" help:"Signed file; it must not be there yet." placeholder:"OUT.pdf"`
	P12          string `name:"p12" help:"Key and certificates as PKCS #12." placeholder:"FILE" xor:"key"`
	PasswordFile string `help:"File whose first line opens the PKCS #12." placeholder:"FILE"`
	Page         int    `help:"Page of a visible signature, from 1." placeholder:"N"`
	Box          string `help:"Its corners in points from the lower left: llx,lly,urx,ury." placeholder:"BOX"`
	TSA          string `name:"tsa" help:"RFC 3161 time-stamp authority to use with a PKCS #12." placeholder:"URL"`
	Level        string `enum:",b-b,b-t,b-lt,b-lta" default:"" help:"PAdES level: b-b, b-t, b-lt or b-lta; default b-t, or b-b where no trusted time can be had."`
}

// signing is what a file is signed with.
type signing struct {
	credential  credential.Credential
	name        string
	timestamper tsp.Timestamper
	revocation  revocation.Source
	issuers     []*x509.Certificate // that the file may lack
}

func (c *signCommand) Run(w *world) error {
	field, err := c.field()
	if err != nil {
		return err
	}
	s, done, err := c.signing(w)
	if err != nil {
		return err
	}
	defer done()
	in, err := os.Open(c.In)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := c.settleLevel(w, s); err != nil {
		return err
	}
	tails, err := c.sign(w.ctx, in, info.Size(), s, field)
	if err != nil {
		return err
	}
	return writeSigned(c.Out, in, tails)
}

// sign makes the tails of the level, each on top of those before it.
func (c signCommand) sign(ctx context.Context, in io.ReaderAt, size int64, s *signing, field *pades.FieldSpec) ([][]byte, error) {
	now := time.Now()
	o := pades.Options{NewField: field, Key: s.credential.Signer, Chain: s.credential.Chain, Time: now, Name: s.name, Random: rand.Reader}
	if c.Level != "b-b" {
		o.Timestamper = s.timestamper
	}
	if field.Page > 0 {
		o.Appearance = appearance.Signature(appearance.SignatureText{Name: s.name, Time: now}, field.Rect.Width(), field.Rect.Height())
		doc, err := pdf.Open(in, size, pdf.Options{})
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", c.In, err)
		}
		page, err := doc.Page(field.Page)
		if err != nil {
			return nil, fmt.Errorf("page %d of %s: %w", field.Page, c.In, err)
		}
		w, h := page.Displayed()
		if r := field.Rect; r.LLX < 0 || r.LLY < 0 || r.URX > w || r.URY > h {
			return nil, fmt.Errorf("the box lies off page %d, which is %g by %g points", field.Page, w, h)
		}
		field.Rect = page.ToUser(field.Rect)
	}
	steps := []func(pades.Source) (*pades.Result, error){
		func(src pades.Source) (*pades.Result, error) { return pades.Sign(ctx, src, o) },
	}
	if c.Level == "b-lt" || c.Level == "b-lta" {
		steps = append(steps, func(src pades.Source) (*pades.Result, error) {
			// The file may have come with signatures of issuers that cannot be asked.
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: s.revocation, Certificates: s.issuers, Required: []string{field.Name}})
		})
	}
	if c.Level == "b-lta" {
		steps = append(steps, func(src pades.Source) (*pades.Result, error) { return pades.DocumentTimestamp(ctx, src, s.timestamper) })
	}
	var tails [][]byte
	src := pades.Source{R: in, Size: size}
	for _, step := range steps {
		r, err := step(src)
		if err != nil {
			return nil, fmt.Errorf("sign %s: %w", c.In, err)
		}
		tails, src = append(tails, r.Tail), src.After(r)
	}
	return tails, nil
}

// field reads where the signature shall stand; the zero page makes it invisible.
func (c signCommand) field() (*pades.FieldSpec, error) {
	f := &pades.FieldSpec{Name: fmt.Sprintf("Segel%d", time.Now().UnixMilli())}
	if c.Box == "" && c.Page == 0 {
		return f, nil
	}
	parts := strings.Split(c.Box, ",")
	if len(parts) != 4 || c.Page < 1 {
		return nil, errors.New("a visible signature needs --page N and --box llx,lly,urx,ury")
	}
	var v [4]float64
	for i, p := range parts {
		var err error
		if v[i], err = strconv.ParseFloat(strings.TrimSpace(p), 64); err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil, fmt.Errorf("corner %q of the box is no number", p)
		}
	}
	f.Page, f.Rect = c.Page, pdf.Rect{LLX: min(v[0], v[2]), LLY: min(v[1], v[3]), URX: max(v[0], v[2]), URY: max(v[1], v[3])}
	if f.Rect.Empty() {
		return nil, errors.New("the box has no area")
	}
	return f, nil
}

// signing finds the key: a PKCS #12 file, the authority of a data folder, or one that is thrown away.
func (c signCommand) signing(w *world) (*signing, func(), error) {
	nothing := func() {}
	switch {
	case c.P12 != "":
		s, err := c.fromPKCS12(w)
		return s, nothing, err
	case c.Data != "":
		conf, err := c.config(w, nil)
		if err != nil {
			return nil, nothing, err
		}
		a, err := openThere(w.ctx, conf, w.log(conf))
		if err != nil {
			return nil, nothing, err
		}
		name := "Segel"
		if o, err := a.store.FirstOrganisation(w.ctx); err == nil {
			name = o.Name
		}
		s, err := certified(w.ctx, a.authority, name)
		if err == nil {
			s.timestamper, s.revocation, s.issuers = a.timestamper, a.revocation, a.roots
		}
		return s, a.close, err
	}
	fmt.Fprintln(w.stderr, "segel: signing with a throw-away credential that nobody can trust; give --data or --p12 for a real one")
	e, err := authority.Ephemeral("http://localhost", time.Now)
	if err != nil {
		return nil, nothing, err
	}
	s, err := certified(w.ctx, e, "Throw-away credential")
	return s, nothing, err
}

func certified(ctx context.Context, a *authority.Authority, name string) (*signing, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	chain, err := a.Certify(ctx, authority.Holder{ID: "segel sign", Name: name, Organisation: name, Seal: true}, key.Public())
	if err != nil {
		return nil, err
	}
	return &signing{credential: credential.Credential{Signer: key, Chain: chain}, name: name, timestamper: a.Timestamper(), revocation: a}, nil
}

// fromPKCS12 reads key and chain from a file. Time comes from the authority that was named, or from those of the
// configuration; proof from where the certificates say.
func (c signCommand) fromPKCS12(w *world) (*signing, error) {
	if c.PasswordFile == "" {
		return nil, errors.New("--p12 needs --password-file")
	}
	password, err := firstLine(c.PasswordFile)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(c.P12)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k, err := credential.ReadPKCS12(f, password)
	if err != nil {
		return nil, err
	}
	conf, err := c.config(w, nil)
	if err != nil {
		return nil, err
	}
	roots, err := readRoots(conf.TrustDir)
	if err != nil {
		return nil, err
	}
	if c.TSA != "" {
		conf.TimestampURLs = []string{c.TSA}
	}
	client := outward(conf)
	s := &signing{
		credential: *k, name: k.Chain[0].Subject.CommonName, issuers: roots,
		revocation: &revocation.Fetcher{HTTP: client, Clock: time.Now},
	}
	switch {
	case c.TSA != "" && conf.TrustDir == "":
		s.timestamper = &tsp.Client{URL: c.TSA, HTTP: client} // named by hand, and trusted for that
	case len(conf.TimestampURLs) > 0:
		s.timestamper = timestamper(conf, client, roots, time.Now)
	}
	return s, nil
}

// settleLevel chooses the level that was not asked for, and refuses one that cannot be made.
func (c *signCommand) settleLevel(w *world, s *signing) error {
	switch {
	case c.Level == "" && s.timestamper != nil:
		c.Level = "b-t"
	case c.Level == "":
		c.Level = "b-b"
		fmt.Fprintln(w.stderr, "segel: without trusted time this is level b-b; --tsa URL names an authority")
	case c.Level != "b-b" && s.timestamper == nil:
		return fmt.Errorf("level %s needs trusted time: --tsa URL names an authority", c.Level)
	}
	return nil
}

func firstLine(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	return strings.TrimSuffix(lines.Text(), "\r"), lines.Err()
}

// writeSigned writes the file and its tails under a name that was free, whole or not at all.
func writeSigned(name string, in io.ReadSeeker, tails [][]byte) (err error) {
	out, err := os.CreateTemp(filepath.Dir(name), ".segel-*.pdf")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(out.Name())) }()
	_, err = in.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	for _, t := range tails {
		if err == nil {
			_, err = out.Write(t)
		}
	}
	if err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()); err != nil {
		return err
	}
	return os.Link(out.Name(), name) // fails where something is: a signed file is never overwritten
}
