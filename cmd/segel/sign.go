package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"segel/internal/contract"
	"segel/internal/durable"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

type signCommand struct {
	dataFlag
	In              string   `arg:"" help:"File to sign." placeholder:"IN.pdf"`
	Out             string   `arg:"" help:"Signed file, which must not exist yet." placeholder:"OUT.pdf"`
	P12             string   `name:"p12" help:"Key and certificates as PKCS #12." placeholder:"FILE" xor:"key"`
	PasswordFile    string   `help:"File whose first line opens the PKCS #12." placeholder:"FILE"`
	PDFPasswordFile string   `name:"pdf-password-file" help:"File whose first line opens an encrypted file to sign." placeholder:"FILE"`
	Field           string   `help:"Signature field to fill, or the name of a new one." placeholder:"NAME"`
	Page            int      `help:"Page of a new, visible signature, from 1." placeholder:"N"`
	Box             string   `help:"Its corners in points from the lower left: llx,lly,urx,ury." placeholder:"BOX"`
	Image           string   `help:"Picture of a handwritten signature, PNG or JPEG, to show as dark strokes on a transparent ground." placeholder:"FILE"`
	QR              string   `name:"qr" help:"Address to show as a QR code." placeholder:"URL"`
	Reason          string   `help:"Why it is signed." placeholder:"TEXT"`
	Location        string   `help:"Where it is signed." placeholder:"TEXT"`
	Contact         string   `help:"How the signer can be reached." placeholder:"TEXT"`
	Certify         int      `help:"Certify as the first signature: 1 permits no change, 2 filling in and signing, 3 annotations too." placeholder:"1-3"`
	TSA             []string `name:"tsa" sep:"none" help:"RFC 3161 time-stamp authority to use with a PKCS #12; several are tried in order." placeholder:"URL"`
	Level           string   `enum:",b-b,b-t,b-lt,b-lta" default:"" help:"PAdES level: b-b, b-t, b-lt or b-lta; default b-t, or b-b if there is no time-stamp authority."`
}

func (c *signCommand) Run(w *environment) error {
	in, err := os.Open(c.In)
	if err != nil {
		return err
	}
	defer in.Close()
	src, err := c.openSource(in)
	if err != nil {
		return err
	}
	where, err := c.placeSignature(src)
	if err != nil {
		return err
	}
	s, done, err := c.loadSigningKey(w)
	if err != nil {
		return err
	}
	defer done()
	if err := c.chooseLevel(w, s); err != nil {
		return err
	}
	tails, err := c.signLevels(w.ctx, src, s, where)
	if err != nil {
		return err
	}
	return writeSigned(c.Out, in, tails)
}

// openSource returns the file, with its password if one was given.
func (c *signCommand) openSource(in *os.File) (pades.Source, error) {
	info, err := in.Stat()
	if err != nil {
		return pades.Source{}, err
	}
	src := pades.Source{R: in, Size: info.Size(), OpenOptions: pdf.Options{Random: rand.Reader}}
	if c.PDFPasswordFile != "" {
		src.OpenOptions.Password, err = firstLine(c.PDFPasswordFile)
	}
	return src, err
}

// signLevels builds the tails of the level, each on top of the previous ones.
func (c *signCommand) signLevels(ctx context.Context, src pades.Source, s *signingKey, at fieldPlacement) ([][]byte, error) {
	o := pades.Options{
		Field: at.field, NewField: at.newField, Key: s.credential.Signer, Chain: s.credential.Chain, Time: time.Now(), Random: rand.Reader, Clock: s.clock,
		Name: s.name, Reason: c.Reason, Location: c.Location, Contact: c.Contact, Certify: pdf.Permission(c.Certify),
	}
	if c.Level != "b-b" {
		o.Timestamper = s.timestamper
	}
	if at.isVisible() {
		text := appearance.SignatureText{Name: s.name, Time: o.Time.In(contract.Jakarta), Reason: c.Reason, Location: c.Location, Specimen: at.specimen, QR: c.QR}
		o.Appearance = appearance.Signature(text, at.width, at.height)
	}
	steps := []func(pades.Source) (*pades.Result, error){
		func(src pades.Source) (*pades.Result, error) { return pades.Sign(ctx, src, o) },
	}
	if c.Level == "b-lt" || c.Level == "b-lta" {
		steps = append(steps, func(src pades.Source) (*pades.Result, error) {
			// The file may already contain signatures of issuers that cannot be queried.
			return pades.AddDSS(ctx, src, pades.ValidationOptions{Source: s.revocation, Certificates: s.issuers, Roots: s.issuers, Required: []string{at.fieldName()}})
		})
	}
	if c.Level == "b-lta" {
		steps = append(steps, func(src pades.Source) (*pades.Result, error) {
			return pades.DocumentTimestamp(ctx, src, s.timestamper, o.Clock)
		})
	}
	var tails [][]byte
	for _, step := range steps {
		r, err := step(src)
		if err != nil {
			return nil, fmt.Errorf("sign %s: %w", c.In, err)
		}
		tails, src = append(tails, r.Tail), src.WithResult(r)
	}
	return tails, nil
}

// chooseLevel sets the default level if none was given, and refuses a level that cannot be reached.
func (c *signCommand) chooseLevel(w *environment, s *signingKey) error {
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

// writeSigned writes the file and its tails under an unused name, completely or not at all.
func writeSigned(name string, in io.ReadSeeker, tails [][]byte) (err error) {
	out, err := os.CreateTemp(filepath.Dir(name), ".segel-*.pdf")
	if err != nil {
		return err
	}
	_, err = in.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	for _, t := range tails {
		if err == nil {
			_, err = out.Write(t)
		}
	}
	_ = out.Chmod(0o644) // a file system without modes has its own
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = durable.RenameNew(out.Name(), name) // a signed file is never overwritten
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}
