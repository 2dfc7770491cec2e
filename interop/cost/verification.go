package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/pades"
	"segel/pades/validate"
	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// verifications are the typical files: signatures of different persons of one authority, with validation data and a document
// timestamp (level B-LTA). Each file is validated once, because a service rarely validates a file twice: warm of them first,
// then as many as are measured.
var verifications = []struct {
	signatures, warm, times int
}{{1, 200, 200}, {5, 100, 100}}

const verificationBytes = 200 << 10

// measureVerifications prints what a verdict costs our library, pyHanko and DSS in processor time. Of pyHanko's validations only
// the plain one of each signature is measured, which is the cheapest.
func measureVerifications() error {
	fmt.Println("| signatures | ours | pyHanko | DSS | ours, verdicts a second | faster of the others / ours |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, v := range verifications {
		dir := filepath.Join(work, fmt.Sprint("verify-", v.signatures))
		ca, err := authority.NewEphemeral("http://localhost", time.Now)
		if err != nil {
			return err
		}
		files, err := writeSignedFiles(dir, ca, v.signatures, v.warm+v.times)
		if err != nil {
			return err
		}
		root := filepath.Join(dir, "root.pem")
		if err := os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Root().Raw}), 0o600); err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		ours, err := verifyWith(files, v.warm, self, "verdicts", root)
		if err != nil {
			return err
		}
		python, err := verifyWith(files, v.warm, "build/interop/pyhanko/bin/python", "interop/pyhanko/verdicts.py", "--plain", "--trust", root)
		if err != nil {
			return err
		}
		java, err := verifyWith(files, v.warm, "java", "-Xmx4g", "-cp", "build/interop/java/classes:build/interop/java/lib/*", "interop.Dss", "--trust", root)
		if err != nil {
			return err
		}
		milliseconds := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }
		fmt.Printf("| %d | %s | %s | %s | %.0f | %.0f |\n", v.signatures, milliseconds(ours), milliseconds(python), milliseconds(java),
			1/ours.Seconds(), float64(min(python, java))/float64(ours))
	}
	return nil
}

// writeSignedFiles writes n files with that many signatures each.
func writeSignedFiles(dir string, ca *authority.Authority, signatures, n int) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var base bytes.Buffer
	if _, err := pdftest.NewLarge(verificationBytes, objects).WriteTo(&base); err != nil {
		return nil, err
	}
	var all []string
	for i := range n {
		file := bytes.Clone(base.Bytes())
		for s := range signatures {
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("Penanda Tangan %d-%d", i, s)
			chain, err := ca.Certify(context.Background(), authority.Holder{ID: name, Name: name, Organisation: "PT Contoh", Assurance: authority.Account}, key.Public())
			if err != nil {
				return nil, err
			}
			r, err := pades.Sign(context.Background(), sourceOf(file), pades.Options{
				NewField: &pades.FieldSpec{Name: fmt.Sprint("S", s)}, Key: key, Chain: chain, Time: time.Now(), Timestamper: ca.Timestamper(),
			})
			if err != nil {
				return nil, err
			}
			file = append(file, r.Tail...)
		}
		for _, step := range []func(pades.Source) (*pades.Result, error){
			func(src pades.Source) (*pades.Result, error) {
				return pades.AddDSS(context.Background(), src, pades.ValidationOptions{Source: ca})
			},
			func(src pades.Source) (*pades.Result, error) {
				return pades.DocumentTimestamp(context.Background(), src, ca.Timestamper(), pades.Clock{})
			},
		} {
			r, err := step(sourceOf(file))
			if err != nil {
				return nil, err
			}
			file = append(file, r.Tail...)
		}
		path := filepath.Join(dir, fmt.Sprint(i, ".pdf"))
		if err := os.WriteFile(path, file, 0o600); err != nil {
			return nil, err
		}
		all = append(all, path)
	}
	return all, nil
}

func sourceOf(file []byte) pades.Source {
	return pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}
}

// answerVerdicts validates the files whose paths it reads, one per line, and answers each with a line of JSON. It runs in a
// separate process, which has not made the files and remembers nothing of their signatures.
func answerVerdicts(root string) error {
	text, err := os.ReadFile(root)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("%s is not PEM", root)
	}
	anchor, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	trust := &validate.Trust{}
	trust.Add(validate.ForAll, "", anchor)
	paths, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for paths.Scan() {
		var a verdicts
		if err := a.validateFile(paths.Text(), trust); err != nil {
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return paths.Err()
}

// verdicts is what every program answers about a file.
type verdicts struct {
	Error      string `json:"error"`
	Signatures []struct {
		Error string `json:"error"`
	} `json:"signatures"`
}

func (v *verdicts) validateFile(path string, trust *validate.Trust) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	report, err := validate.Validate(context.Background(), f, info.Size(), validate.Options{At: time.Now(), Trust: trust})
	if err != nil {
		return err
	}
	v.Signatures = make([]struct {
		Error string `json:"error"`
	}, len(report.Signatures))
	for _, s := range report.Signatures {
		if s.Indication != validate.TotalPassed {
			return fmt.Errorf("%s is %s %s", s.Field, s.Indication, s.SubIndication)
		}
	}
	return nil
}

// verifyWith returns the processor time of a verdict of a program that reads a path per line and answers with a line of JSON. The
// whole process is measured: threads, compiler and garbage collector.
func verifyWith(files []string, warm int, command ...string) (time.Duration, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	used, err := feed(cmd.Process.Pid, files, warm, in, bufio.NewReader(out))
	if err := errors.Join(err, in.Close(), cmd.Wait()); err != nil {
		return 0, fmt.Errorf("%s: %w", command[0], err)
	}
	return used / time.Duration(len(files)-warm), nil
}

// feed has the files validated one after the other, and returns the processor time of those after the warm-up.
func feed(pid int, files []string, warm int, in io.Writer, out *bufio.Reader) (time.Duration, error) {
	var before time.Duration
	for i, path := range files {
		if i == warm {
			var err error
			if before, err = running.CPUTimeOf(pid); err != nil {
				return 0, err
			}
		}
		if _, err := fmt.Fprintln(in, path); err != nil {
			return 0, err
		}
		line, err := out.ReadString('\n')
		if err != nil {
			return 0, err
		}
		var answer verdicts
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			return 0, fmt.Errorf("answer %q: %w", line, err)
		}
		if answer.Error != "" || len(answer.Signatures) == 0 {
			return 0, fmt.Errorf("%s: %s", path, strings.TrimSpace(line))
		}
	}
	after, err := running.CPUTimeOf(pid)
	return after - before, err
}
