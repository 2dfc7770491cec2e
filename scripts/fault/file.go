package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/internal/emeterai"
	"segel/pades/validate"
	"segel/pdf"
)

// readRoots trusts the service's authority, and the office's for duty stamps.
func (t *trial) readRoots(ctx context.Context) (*validate.Trust, error) {
	exported, err := t.nodes[0].runCommand(ctx, "authority", "export")
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(exported)
	if block == nil {
		return nil, errors.New("the exported root is not PEM")
	}
	own, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	theirs, err := authority.ReadRoot(ctx, authority.Folder(filepath.Join(t.their, "authority")))
	if err != nil {
		return nil, err
	}
	if theirs == nil {
		return nil, errors.New("the office's authority has no root")
	}
	var all validate.Trust
	all.Add(validate.ForAll, validate.OriginOwn, own)
	all.Add(validate.ForAll|validate.ForStamps, "office", theirs)
	return &all, nil
}

// closing is the number of signatures that close a document: the seal and the document timestamp.
const closing = 2

// checkFile returns what is wrong with the file of a completed order.
func checkFile(ctx context.Context, o *order, file []byte, journal map[string]*officeSerial, t *validate.Trust) error {
	if o.whole && !bytes.HasPrefix(file, o.file) {
		return errors.New("it does not begin with the file that was uploaded")
	}
	r, err := validateFile(ctx, file, len(o.places), t)
	if err != nil {
		return err
	}
	stamps := emeterai.FindStamps(r)
	if len(stamps) != len(o.places) || len(o.serials) != len(o.places) {
		return fmt.Errorf("%d stamps in the file, %d serials, %d ordered", len(stamps), len(o.serials), len(o.places))
	}
	states, err := statesOf(file)
	if err != nil {
		return err
	}
	for i, p := range o.places {
		if err := checkStamp(r, stamps, p, o.serials[i], journal[o.serials[i]], states); err != nil {
			return fmt.Errorf("stamp %d, %s: %w", i+1, o.serials[i], err)
		}
	}
	return nil
}

// validateFile validates a completed file with so many signatures or stamps before the seal and the document timestamp.
func validateFile(ctx context.Context, file []byte, signatures int, t *validate.Trust) (*validate.Report, error) {
	r, err := validate.Validate(ctx, bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: t, Exempt: emeterai.LooksLikeStamp})
	if err != nil {
		return nil, err
	}
	if !r.Passed() {
		return nil, fmt.Errorf("it is %s %s, %s: %s", r.Indication, r.SubIndication, r.Integrity, r.Summary.Code)
	}
	if n := len(r.Signatures); n != signatures+closing {
		return nil, fmt.Errorf("%d signatures in the file, want %d, the seal and the timestamp", n, signatures)
	}
	if seal, timestamp := r.Signatures[signatures], r.Signatures[signatures+1]; seal.Level != validate.LevelLTA || timestamp.Kind != validate.KindTimestamp || !timestamp.Covers.All {
		return nil, fmt.Errorf("the seal is %s, and it ends with a %s that covers all: %t", seal.Level, timestamp.Kind, timestamp.Covers.All)
	}
	return r, nil
}

// checkStamp checks one stamp: that it is where it was ordered, and that the office affixed it, according to its journal, to
// the state of the file right before it.
func checkStamp(r *validate.Report, stamps []emeterai.Stamp, p place, serial string, there *officeSerial, states []string) error {
	i := slices.IndexFunc(stamps, func(s emeterai.Stamp) bool { return s.Serial == serial })
	if i < 0 {
		return errors.New("it is not in the file")
	}
	s := stamps[i]
	if !s.Trusted || s.Twice {
		return fmt.Errorf("it is not trusted: %s", s.Summary().Code)
	}
	if s.Page != p.page {
		return fmt.Errorf("it is on page %d, not on %d", s.Page, p.page)
	}
	for j, want := range p.box {
		if math.Abs(s.Box[j]-float64(want)) >= 1 {
			return fmt.Errorf("it is in %v, not in %v", s.Box, p.box)
		}
	}
	if there == nil || len(there.sources) != 1 {
		return errors.New("the office did not affix it once")
	}
	if n := r.Signatures[s.Signature].Revision; n < 2 || states[n-2] != there.sources[0] {
		return fmt.Errorf("the office affixed it to %.16s, which is not the state before state %d of the file", there.sources[0], n)
	}
	return nil
}

// statesOf returns the SHA-256 in hexadecimal of each state of a file; each state is a prefix of the next.
func statesOf(file []byte) ([]string, error) {
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		return nil, err
	}
	all, err := d.Revisions()
	if err != nil {
		return nil, err
	}
	var states []string
	for _, r := range all {
		sum := sha256.Sum256(file[:r.End])
		states = append(states, hex.EncodeToString(sum[:]))
	}
	return states, nil
}

// Other programs that read the files, if installed.
const (
	pdfsig = "pdfsig" // reads every file
	qpdf   = "qpdf"   // reads one in [sample]
)

// checkWithProgram has one of these programs read a file, and says what it finds wrong; asked is false where it is not installed.
// The file has that many signatures and, behind them, a document timestamp, which not every pdfsig verifies.
func checkWithProgram(program, dir string, file []byte, signatures int) (asked bool, err error) {
	if _, err := exec.LookPath(program); err != nil {
		return false, nil
	}
	name := filepath.Join(dir, "file.pdf")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		return false, err
	}
	defer os.Remove(name)
	args := []string{"--check", name}
	if program == pdfsig {
		args = []string{"-nocert", name}
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		return true, fmt.Errorf("%s: %w: %s", program, err, out)
	}
	if program != pdfsig {
		return true, nil
	}
	valid := strings.Count(string(out), "Signature is Valid.")
	whole := strings.Count(string(out), "- Total document signed")
	if valid < signatures || whole != 1 || strings.Contains(string(out), "Mismatch") || strings.Contains(string(out), "Invalid") {
		return true, fmt.Errorf("pdfsig calls %d of %d signatures valid, and %d cover the whole file: %s", valid, signatures, whole, out)
	}
	return true, nil
}

// alarmLines returns the lines of a service's log that tell of an alarm.
func alarmLines(log string) ([]string, error) {
	b, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, " alarm=") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines, nil
}
