// Command cost measures the processor time of an invisible PAdES signature of level B-B with our library, pyHanko and
// DSS, on the same files and with the same keys. Each runs in one process after a warm-up, without the cost of starting
// it. With the argument verify it measures verdicts on signed files instead. It prints the rows of docs/performance.md.
package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pdf/pdftest"
)

const (
	work    = "build/interop/cost"
	objects = 20
)

// row is a file and a key, with the numbers of signatures for the warm-up and for the measurement.
type row struct {
	name        string
	bytes       int64
	key         string
	warm, times int
}

var rows = []row{
	{"100 KB, RSA-2048", 100 << 10, "rsa", 500, 200},
	{"100 KB, P-256", 100 << 10, "p256", 500, 200},
	{"100 MB, RSA-2048", 100 << 20, "rsa", 5, 5},
}

// cpuTime is the processor time of one signature, and of the key alone.
type cpuTime struct{ signature, key time.Duration }

func main() {
	run := measureSignatures
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "verify":
		run = measureVerifications
	case len(args) == 2 && args[0] == "verdicts": // started by measureVerifications
		run = func() error { return answerVerdicts(args[1]) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func measureSignatures() error {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	fmt.Println("| file, key | ours, n-th | ours, first | pyHanko | DSS | pyHanko / ours | DSS / ours | the same without the key |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, r := range rows {
		path := filepath.Join(work, strconv.FormatInt(r.bytes, 10)+".pdf")
		if err := writeFile(path, r.bytes); err != nil {
			return err
		}
		o, err := newOptions(r.key)
		if err != nil {
			return err
		}
		nth, first, err := measureOurs(path, o, r)
		if err != nil {
			return err
		}
		python, err := r.measureOther(path, "build/interop/pyhanko/bin/python", "interop/cost/cost.py")
		if err != nil {
			return err
		}
		java, err := r.measureOther(path, "java", "-Xmx4g", "-cp", "build/interop/java/classes:build/interop/java/lib/*", "interop.Cost")
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %v | %v | %v | %v | %.0f | %.1f | %.0f, %.0f |\n", r.name, nth, first, python, java,
			python.ratioTo(nth), java.ratioTo(nth), python.withoutKey().ratioTo(nth.withoutKey()), java.withoutKey().ratioTo(nth.withoutKey()))
	}
	return nil
}

func (s cpuTime) String() string {
	return fmt.Sprintf("%.2f ms (key %.2f)", s.signature.Seconds()*1000, s.key.Seconds()*1000)
}

func (s cpuTime) ratioTo(o cpuTime) float64 { return float64(s.signature) / float64(o.signature) }

// withoutKey returns the time of a signature without the key.
func (s cpuTime) withoutKey() cpuTime { return cpuTime{signature: s.signature - s.key} }

// newOptions returns the options of signatures with a type of key. It writes key and chain to files for the other
// programs.
func newOptions(kind string) (pades.Options, error) {
	key, err := newKey(kind)
	if err != nil {
		return pades.Options{}, err
	}
	ca, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		return pades.Options{}, err
	}
	chain, err := ca.Certify(context.Background(), authority.Holder{ID: "1", Name: "Budi Santoso", Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
	if err != nil {
		return pades.Options{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pades.Options{}, err
	}
	var certs bytes.Buffer
	for _, c := range chain {
		if err := pem.Encode(&certs, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}); err != nil {
			return pades.Options{}, err
		}
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return pades.Options{NewField: &pades.FieldSpec{Name: "A"}, Key: key, Chain: chain, Time: time.Now()}, errors.Join(
		os.WriteFile(filepath.Join(work, "key.pem"), private, 0o600),
		os.WriteFile(filepath.Join(work, "chain.pem"), certs.Bytes(), 0o600))
}

func newKey(kind string) (crypto.Signer, error) {
	if kind == "rsa" {
		return rsa.GenerateKey(rand.Reader, 2048)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func writeFile(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := pdftest.NewLarge(size, objects).WriteTo(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// measureOurs measures a signature with a known midstate, as the service stores it for each revision, and one that has
// to read the whole file first.
func measureOurs(path string, o pades.Options, r row) (nth, first cpuTime, err error) {
	f, err := os.Open(path)
	if err != nil {
		return cpuTime{}, cpuTime{}, err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return cpuTime{}, cpuTime{}, err
	}
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return cpuTime{}, cpuTime{}, err
	}
	sign := func(src pades.Source) func() error {
		return func() error {
			_, err := pades.Sign(context.Background(), src, o)
			return err
		}
	}
	digest := sha256.Sum256(nil)
	key, err := measureCall(100, 500, func() error {
		_, err := o.Key.Sign(rand.Reader, digest[:], crypto.SHA256)
		return err
	})
	if err != nil {
		return cpuTime{}, cpuTime{}, err
	}
	// The n-th takes the same short time whatever the size, so it can be repeated often.
	again, err := measureCall(300, 300, sign(pades.Source{R: f, Size: size, Midstate: state}))
	if err != nil {
		return cpuTime{}, cpuTime{}, err
	}
	cold, err := measureCall(r.warm, r.times, sign(pades.Source{R: f, Size: size}))
	return cpuTime{again, key}, cpuTime{cold, key}, err
}

// measureCall returns the processor time of one of many calls, after a warm-up.
func measureCall(warm, times int, call func() error) (time.Duration, error) {
	var before, after syscall.Rusage
	for i := range warm + times {
		if i == warm {
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
				return 0, err
			}
		}
		if err := call(); err != nil {
			return 0, err
		}
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		return 0, err
	}
	used := func(r syscall.Rusage) time.Duration { return time.Duration(r.Utime.Nano() + r.Stime.Nano()) }
	return (used(after) - used(before)) / time.Duration(times), nil
}

// measureOther runs a program that measures the same and prints seconds as JSON.
func (r row) measureOther(path string, command ...string) (cpuTime, error) {
	args := append(command[1:], path, filepath.Join(work, "key.pem"), filepath.Join(work, "chain.pem"), strconv.Itoa(r.times), strconv.Itoa(r.warm))
	cmd := exec.Command(command[0], args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return cpuTime{}, fmt.Errorf("%s: %w", command[0], err)
	}
	var s struct{ Signature, Key float64 }
	if err := json.Unmarshal(out, &s); err != nil {
		return cpuTime{}, fmt.Errorf("%s says %q: %w", command[0], out, err)
	}
	seconds := func(f float64) time.Duration { return time.Duration(f * float64(time.Second)) }
	return cpuTime{seconds(s.Signature), seconds(s.Key)}, nil
}
