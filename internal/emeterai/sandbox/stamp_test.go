package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// stampNew returns a file with one stamp, and its serial.
func stampNew(t *testing.T, f *Office, file []byte, box emeterai.Box) ([]byte, string) {
	t.Helper()
	serial := emeteraitest.BuySerial(t, f, t.Name())
	r := emeteraitest.NewRequest(t, serial, file)
	r.Box = box
	return emeteraitest.StampFile(t, f, r, file), serial
}

var common = emeterai.Box{LLX: 400, LLY: 100, URX: 454, URY: 154}

func TestOtherProgramsAcceptTheStampedFile(t *testing.T) {
	t.Parallel()
	f := openOffice(t, t.TempDir(), officeOptions(t))
	for name, file := range map[string][]byte{"table": pdftest.Table(2), "streams": pdftest.Streams(2)} {
		t.Run(name, func(t *testing.T) {
			out, serial := stampNew(t, f, file, common)
			path := filepath.Join(t.TempDir(), "stamped.pdf")
			if err := os.WriteFile(path, out, 0o600); err != nil {
				t.Fatal(err)
			}
			runTool(t, "qpdf", "--check", path)
			said := runTool(t, "pdfsig", "-nocert", path)
			for _, want := range []string{"Signature is Valid", emeterai.FieldName(serial), Name} {
				if !strings.Contains(said, want) {
					t.Errorf("pdfsig does not say %q:\n%s", want, said)
				}
			}
			if n := strings.Count(said, "Signature Validation:"); n != 1 {
				t.Errorf("%d signatures:\n%s", n, said)
			}
		})
	}
}

func runTool(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

func TestStampIsTwoIncrementsWithProof(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	out, serial := stampNew(t, openOffice(t, t.TempDir(), officeOptions(t)), file, common)
	d, err := pdf.Open(bytes.NewReader(out), int64(len(out)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := d.Revisions(); err != nil || len(r) != 3 {
		t.Errorf("%d revisions, %v", len(r), err)
	}
	if !d.Properties().HasDSS {
		t.Error("no security store")
	}
	s, err := d.Signatures()
	if err != nil || len(s) != 1 {
		t.Fatal(len(s), err)
	}
	if reason, err := d.String(s[0].Dict["Reason"]); err != nil || reason.Text() != "["+serial+"] Perjanjian" || s[0].SubFilter != "ETSI.CAdES.detached" {
		t.Errorf("%q %s %v", reason.Text(), s[0].SubFilter, err)
	}
	if flags, err := d.Integer(s[0].Field.Widgets[0].Dict["F"]); err != nil || flags != 132 {
		t.Errorf("flags %d, %v", flags, err)
	}
}

// nextObject returns the next object number of a file, as the service stores it.
func nextObject(t *testing.T, file *pdftest.Large) uint32 {
	t.Helper()
	d, err := pdf.Open(file, file.Size(), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	next, err := d.NextObject()
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func TestStampingReadsLittleOfALargeFile(t *testing.T) {
	t.Parallel()
	large := pdftest.NewLarge(64<<20, 2000)
	h := sha256.New()
	if _, err := large.WriteTo(h); err != nil {
		t.Fatal(err)
	}
	state, err := h.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	f := openOffice(t, t.TempDir(), officeOptions(t))
	r := emeteraitest.NewRequest(t, emeteraitest.BuySerial(t, f, "a"), pdftest.Table(1))
	counted := &counter{r: large}
	r.Source = pades.Source{R: counted, Size: large.Size(), Midstate: state, OpenOptions: pdf.Options{NextObject: nextObject(t, large)}}
	r.Digest = [32]byte(h.Sum(nil))
	tail, err := f.Stamp(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if n := counted.n.Load(); n > 4<<20 {
		t.Errorf("stamping read %d of %d bytes", n, large.Size())
	}
	counted.n.Store(0)
	if _, err := emeterai.CheckStampedFile(context.Background(), r, tail); err != nil {
		t.Fatal(err)
	}
	if n := counted.n.Load(); n > 4<<20 {
		t.Errorf("judging read %d of %d bytes", n, large.Size())
	}
}

// counter counts the bytes that are read.
type counter struct {
	r io.ReaderAt
	n atomic.Int64
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.r.ReadAt(p, at)
	c.n.Add(int64(n))
	return n, err
}

func TestOfTwoSourcesForOneSerialOneIsRefused(t *testing.T) {
	t.Parallel()
	f := openOffice(t, t.TempDir(), officeOptions(t))
	serial := emeteraitest.BuySerial(t, f, "a")
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i := range errs {
		r := emeteraitest.NewRequest(t, serial, pdftest.Table(i+1))
		wg.Go(func() { _, errs[i] = f.Stamp(context.Background(), r) })
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("%v, %v", errs[0], errs[1])
	}
}

func TestWithoutTrustedTimeTheSerialStaysUnused(t *testing.T) {
	t.Parallel()
	o := officeOptions(t)
	o.Timestamper = silent{}
	f := openOffice(t, t.TempDir(), o)
	serial := emeteraitest.BuySerial(t, f, "a")
	if _, err := f.Stamp(context.Background(), emeteraitest.NewRequest(t, serial, pdftest.Table(1))); emeterai.ClassOf(err) != emeterai.Transient {
		t.Errorf("%v", err)
	}
	if s, err := f.SerialStatus(context.Background(), serial); err != nil || s != emeterai.Unused {
		t.Errorf("%s, %v", s, err)
	}
}

// silent is a time-stamp authority that returns nothing.
type silent struct{}

func (silent) Timestamp(context.Context, []byte) ([]byte, error) { return nil, errBroken }
func (silent) TokenSize() int                                    { return 0 }

func TestFileThatIsNoneIsRefusedForGood(t *testing.T) {
	t.Parallel()
	f := openOffice(t, t.TempDir(), officeOptions(t))
	serial := emeteraitest.BuySerial(t, f, "a")
	_, err := f.Stamp(context.Background(), emeteraitest.NewRequest(t, serial, []byte("no file")))
	if emeterai.ClassOf(err) != emeterai.Permanent {
		t.Errorf("%v", err)
	}
}

func TestDigestOfAnotherSourceIsRefusedWithAndWithoutMidstate(t *testing.T) {
	t.Parallel()
	f := openOffice(t, t.TempDir(), officeOptions(t))
	r := emeteraitest.NewRequest(t, emeteraitest.BuySerial(t, f, "a"), pdftest.Table(1))
	state := r.Source.Midstate
	for _, r.Source.Midstate = range [][]byte{state, nil, []byte("no state")} {
		r := r
		r.Digest[0] ^= 1
		if _, err := f.Stamp(context.Background(), r); emeterai.ClassOf(err) != emeterai.Permanent {
			t.Errorf("midstate of %d bytes: %v", len(r.Source.Midstate), err)
		}
	}
	r.Source.Midstate = nil
	emeteraitest.StampFile(t, f, r, pdftest.Table(1))

	r.Source.Size++ // more than there is
	if _, err := f.Stamp(context.Background(), r); emeterai.ClassOf(err) != emeterai.Transient {
		t.Errorf("source that ends too early: %v", err)
	}
}

func TestCertificateNearItsEndIsReplaced(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	f := openOffice(t, dir, o)
	emeteraitest.BuySerial(t, f, "a")
	first := f.credential.chain[0]
	f.o.Clock = func() time.Time { return first.NotAfter.Add(-time.Hour) }
	emeteraitest.BuySerial(t, f, "b")
	closeOffice(t, f)
	if f.credential.chain[0].Equal(first) || !openOffice(t, dir, o).credential.chain[0].Equal(f.credential.chain[0]) {
		t.Error("the certificate is the former one")
	}
}

func TestACertificateOfAFormerAuthorityIsReplacedAndItsSerialIsAffixedByTheNewOne(t *testing.T) {
	t.Parallel()
	dir, former := t.TempDir(), officeOptions(t)
	f := openOffice(t, dir, former)
	serial := emeteraitest.BuySerial(t, f, "a")
	replaced := f.credential.chain[0]
	closeOffice(t, f)
	o := officeOptions(t)
	f = openOffice(t, dir, o)
	file := pdftest.Table(1)
	emeteraitest.StampFile(t, f, emeteraitest.NewRequest(t, serial, file), file) // it needs the status of the certificate
	made := f.credential.chain[0]
	if made.Equal(replaced) || !o.Issuer.MatchesHolder(made, officeHolder) {
		t.Error("the certificate is not of the new authority")
	}
	emeteraitest.BuySerial(t, f, "b")
	closeOffice(t, f)
	if !f.credential.chain[0].Equal(made) || !openOffice(t, dir, o).credential.chain[0].Equal(made) {
		t.Error("the certificate was replaced once more")
	}
}

func TestCertificateThatBeginsInTheFutureIsReplaced(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(6 * time.Hour) // the clock is ahead at the first order
	clock := func() time.Time { return now }
	a, err := authority.NewEphemeral(publicURL, clock)
	if err != nil {
		t.Fatal(err)
	}
	dir, o := t.TempDir(), officeOptions(t)
	o.Issuer, o.Clock = a, clock
	f := openOffice(t, dir, o)
	emeteraitest.BuySerial(t, f, "a")
	wrong := f.credential.chain[0]
	now = time.Now()
	o.Issuer = officeOptions(t).Issuer
	closeOffice(t, f)
	f = openOffice(t, dir, o)
	if !f.credential.chain[0].Equal(wrong) {
		t.Fatal("the journal has another certificate")
	}
	emeteraitest.BuySerial(t, f, "b")
	if c := f.credential.chain[0]; c.Equal(wrong) || c.NotBefore.After(now) {
		t.Errorf("stamps with a certificate that begins at %s, now %s", c.NotBefore, now)
	}
}
