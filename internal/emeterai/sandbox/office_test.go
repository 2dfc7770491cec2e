package sandbox

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"segel/internal/authority"
	sealing "segel/internal/credential"
	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
)

const publicURL = "https://segel.test"

// officeOptions returns the options of an office with a new authority.
func officeOptions(t *testing.T) Options {
	t.Helper()
	a, err := authority.NewEphemeral(publicURL, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sealing.NewSealer(sampleKey())
	if err != nil {
		t.Fatal(err)
	}
	return Options{Issuer: a, Timestamper: a.Timestamper(), Revocation: a, Sealer: s, PublicURL: publicURL + "/", Clock: time.Now, Random: rand.Reader}
}

// sampleKey is the master key that the sample's key is sealed under.
func sampleKey() []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return key
}

func openOffice(t *testing.T, dir string, o Options) *Office {
	t.Helper()
	f, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestSandboxOwesWhatEveryOfficeOwes(t *testing.T) {
	t.Parallel()
	o := officeOptions(t)
	opened := map[string]*Office{}
	emeteraitest.Run(t, func(t *testing.T, dir string) emeterai.Stamper {
		if f := opened[dir]; f != nil {
			closeOffice(t, f)
		}
		opened[dir] = openOffice(t, dir, o)
		return opened[dir]
	})
}

func closeOffice(t *testing.T, f *Office) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFolderHasOneOfficeAtATime(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	f := openOffice(t, dir, o)
	if _, err := Open(dir, o); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened twice: %v", err)
	}
	first := emeteraitest.BuySerial(t, f, "a")
	closeOffice(t, f)
	f = openOffice(t, dir, o)
	if emeteraitest.BuySerial(t, f, "a") != first {
		t.Error("an order was forgotten")
	}
	closeOffice(t, f)
	o.Sealer = otherSealer(t)
	for range 2 { // one that fails to open leaves no lock behind
		if _, err := Open(dir, o); !errors.Is(err, sealing.ErrSealed) {
			t.Errorf("%v", err)
		}
	}
}

func TestOfficeThatIsOpenCanBeAskedByAnotherProcessAndNothingMore(t *testing.T) {
	t.Parallel()
	dir, o, ctx := t.TempDir(), officeOptions(t), t.Context()
	if _, err := Read(dir, o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an office that never was: %v", err)
	}
	f := openOffice(t, dir, o)
	serial := emeteraitest.BuySerial(t, f, "a")
	asked, err := Read(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer closeOffice(t, asked)
	if all, err := asked.ListSerials(ctx); err != nil || len(all) != 1 || all[0].Serial != serial {
		t.Errorf("it lists %v, %v", all, err)
	}
	if _, err := asked.BuySerial(ctx, emeterai.Order{ID: "b"}); !errors.Is(err, ErrInUse) {
		t.Errorf("it issued a serial: %v", err)
	}
	if b := emeteraitest.BuySerial(t, f, "b"); b == serial {
		t.Error("the one that has it open issued a serial twice")
	}
}

func TestSerialCanBeMistakenForNoRealOne(t *testing.T) {
	t.Parallel()
	f := openOffice(t, t.TempDir(), officeOptions(t))
	serial := emeteraitest.BuySerial(t, f, "a")
	if !regexp.MustCompile(`^SPESIMEN-[0-9A-Z]{13}$`).MatchString(serial) || !f.IsSpecimen() {
		t.Error(serial)
	}
}

func TestTornLastLineIsCutOff(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	f := openOffice(t, dir, o)
	first := emeteraitest.BuySerial(t, f, "a")
	closeOffice(t, f)
	whole := journalOf(t, dir)
	for _, torn := range []string{`{"is":"taken","order":"b"`, "\x00\x00\x00", "{"} {
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), append(bytes.Clone(whole), torn...), 0o600); err != nil {
			t.Fatal(err)
		}
		f := openOffice(t, dir, o)
		if emeteraitest.BuySerial(t, f, "a") != first {
			t.Error("an order was forgotten")
		}
		emeteraitest.BuySerial(t, f, torn)
		closeOffice(t, f)
		closeOffice(t, openOffice(t, dir, o))
	}
}

func TestTornFirstLineBeginsAnew(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(`{"off`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openOffice(t, dir, o)
	first := emeteraitest.BuySerial(t, f, "a")
	closeOffice(t, f)
	if emeteraitest.BuySerial(t, openOffice(t, dir, o), "a") != first {
		t.Error("an order was forgotten")
	}
}

func TestDamagedJournalStopsTheOffice(t *testing.T) {
	t.Parallel()
	for name, journal := range map[string]string{
		"version":         "{\"office\":2}\n",
		"no version":      "{\"is\":\"taken\"}\n",
		"unknown kind":    "{\"office\":1}\n{\"is\":\"burnt\"}\n",
		"unknown member":  "{\"office\":1}\n{\"is\":\"taken\",\"order\":\"a\",\"serial\":\"b\",\"price\":1}\n",
		"no JSON":         "{\"office\":1}\n\x00\x00\n",
		"order twice":     "{\"office\":1}\n{\"is\":\"taken\",\"order\":\"a\",\"serial\":\"b\"}\n{\"is\":\"taken\",\"order\":\"a\",\"serial\":\"c\"}\n",
		"serial twice":    "{\"office\":1}\n{\"is\":\"taken\",\"order\":\"a\",\"serial\":\"b\"}\n{\"is\":\"taken\",\"order\":\"c\",\"serial\":\"b\"}\n",
		"affixed unknown": "{\"office\":1}\n{\"is\":\"affixed\",\"serial\":\"b\",\"source\":\"00\"}\n",
		"long line":       "{\"office\":1}\n" + strings.Repeat(" ", maxLine) + "\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(journal), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, officeOptions(t)); err == nil {
			t.Errorf("%s: opened", name)
		}
		if got := journalOf(t, dir); string(got) != journal {
			t.Errorf("%s: the journal was changed", name)
		}
	}
}

func TestSampleOfTheJournalIsReadForever(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile(filepath.Join("testdata", "formats", "office-journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), sample, 0o600); err != nil {
		t.Fatal(err)
	}
	o := officeOptions(t)
	o.Clock = func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }
	f := openOffice(t, dir, o)
	for order, want := range map[string]emeterai.Status{"sample-1": emeterai.Affixed, "sample-2": emeterai.Unused} {
		if got, err := f.SerialStatus(context.Background(), emeteraitest.BuySerial(t, f, order)); err != nil || got != want {
			t.Errorf("%s is %q: %v", order, got, err)
		}
	}
	if after := journalOf(t, dir); !bytes.Equal(after, sample) {
		t.Error("asking for what is known wrote something")
	}
	if f.credential == nil || f.credential.chain[0].Subject.CommonName != Name {
		t.Error("the credential was not read")
	}
}

func TestNothingIsTakenWithoutACertificate(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	issuer := o.Issuer
	o.Issuer = broken{}
	f := openOffice(t, dir, o)
	if _, err := f.BuySerial(context.Background(), emeteraitest.NewOrder("a")); emeterai.ClassOf(err) != emeterai.Transient || !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	if b := journalOf(t, dir); bytes.Count(b, []byte("\n")) != 1 {
		t.Errorf("journal has %s", b)
	}
	f.o.Issuer = issuer
	emeteraitest.BuySerial(t, f, "a")
}

func TestJournalThatCannotBeWrittenIssuesNothing(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	f := openOffice(t, dir, o)
	first := emeteraitest.BuySerial(t, f, "a")
	f.Close()
	if _, err := f.BuySerial(context.Background(), emeteraitest.NewOrder("b")); emeterai.ClassOf(err) != emeterai.Transient {
		t.Errorf("%v", err)
	}
	if len(f.orders) != 1 || emeteraitest.BuySerial(t, f, "a") != first {
		t.Error("an order was answered that is not durable")
	}
}

func TestKeyThatDoesNotOpenStopsTheOffice(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), officeOptions(t)
	f := openOffice(t, dir, o)
	emeteraitest.BuySerial(t, f, "a")
	closeOffice(t, f)
	o.Sealer = otherSealer(t)
	if _, err := Open(dir, o); !errors.Is(err, sealing.ErrSealed) {
		t.Errorf("%v", err)
	}
}

func TestTheKeyIsSealedUnderAnotherMasterKeyAndStaysTheSame(t *testing.T) {
	t.Parallel()
	dir, o, ctx := t.TempDir(), officeOptions(t), t.Context()
	f := openOffice(t, dir, o)
	if err := f.Reseal(ctx); err != nil {
		t.Errorf("without a key: %v", err)
	}
	emeteraitest.BuySerial(t, f, "a")
	former := f.credential.chain[0]
	closeOffice(t, f)
	current := otherSealer(t)
	o.Sealer = current.WithFormer(o.Sealer).Naming()
	f = openOffice(t, dir, o)
	for i, lines := range []int{1, 0} {
		before := bytes.Count(journalOf(t, dir), []byte("\n"))
		if err := f.Reseal(ctx); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Count(journalOf(t, dir), []byte("\n")) - before; got != lines {
			t.Errorf("call %d added %d lines", i+1, got)
		}
	}
	emeteraitest.BuySerial(t, f, "b")
	closeOffice(t, f)
	o.Sealer = o.Sealer.Alone()
	f = openOffice(t, dir, o)
	if under, ok, err := f.SealedUnder(); !ok || under != current.ID() || err != nil || !f.credential.chain[0].Equal(former) {
		t.Errorf("the key is sealed under %s, %v", under, err)
	}
}

func journalOf(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var errBroken = errors.New("broken")

// broken is an issuer that always fails.
type broken struct{}

func (broken) Certify(context.Context, authority.Holder, crypto.PublicKey) ([]*x509.Certificate, error) {
	return nil, errBroken
}

func (broken) MatchesHolder(*x509.Certificate, authority.Holder) bool { return false }

// otherSealer returns a sealer with another master key.
func otherSealer(t *testing.T) *sealing.Sealer {
	t.Helper()
	s, err := sealing.NewSealer(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
