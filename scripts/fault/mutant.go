package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// edit is a fault to inject into the program: in one file, one text is replaced by another, and functions may be added.
type edit struct {
	file     string
	old, new string
	added    string
}

// mutants are faults that this test must find, by name. They are edits of the source, so that they either follow the program
// or fail visibly.
var mutants = map[string]edit{
	// The order of steps that a first version of every client uses: call, then record the result.
	"naive": {
		file: "internal/stamping/stamp.go",
		old:  "\t\t\t\terr = r.orderSerial(ctx)\n",
		new:  "\t\t\t\terr = r.buyThenRecord(ctx)\n",
		added: `
func (r *run) buyThenRecord(ctx context.Context) error {
	order, err := blob.NewKey(r.s.Random)
	if err != nil {
		return err
	}
	if err := r.loadPayer(ctx); err != nil {
		return err
	}
	serial, err := r.s.Office.BuySerial(ctx, emeterai.Order{
		ID: string(order), Organisation: string(r.payer.ID), Payer: r.payer.Name, Title: r.d.Title, Filename: r.d.Filename,
		Number: r.d.Name, Date: r.d.CreatedAt, Source: r.file.Source(r.d.Current()),
	})
	if err != nil {
		return r.recordProblem(ctx, err)
	}
	err = r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		return contract.OrderSerial(d, r.i, string(order), r.s.Clock())
	})
	if err != nil {
		return err
	}
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		return contract.BindSerial(d, r.i, contract.StampSerial{Serial: serial}, r.s.Office.IsSpecimen(), r.s.Clock())
	})
}
`,
	},
	// A mail is recorded as sent before it is sent.
	"mailed-first": {
		file: "internal/notify/service.go",
		old:  "\terr = send(n)\n",
		new:  "\tif n, err = s.endTry(ctx, n, contract.NoticeSent, \"\"); err == nil {\n\t\treturn n, send(n)\n\t}\n",
	},
}

// buildProgram builds the program in the working folder with further arguments of go build, and returns its path.
func buildProgram(dir, name string, args ...string) (string, error) {
	binary := filepath.Join(dir, "segel-"+name)
	build := exec.Command("go", append(append([]string{"build"}, args...), "-o", binary, "./cmd/segel")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	return binary, nil
}

// buildMutant is buildProgram with a fault.
func buildMutant(name, dir string, args ...string) (string, error) {
	e, ok := mutants[name]
	if !ok {
		return "", fmt.Errorf("no mutant is called %q", name)
	}
	file, err := filepath.Abs(e.file)
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(source, []byte(e.old)); n != 1 {
		return "", fmt.Errorf("mutant %s: %q stands %d times in %s; the mutant has to be brought up to date", name, strings.TrimSpace(e.old), n, e.file)
	}
	text := strings.Replace(string(source), e.old, e.new, 1) + e.added
	// The mutant may need an import that the program lacks.
	if blob := `"segel/internal/blob"`; strings.Contains(text, "blob.") && !strings.Contains(text, blob) {
		text = strings.Replace(text, "import (", "import (\n\t"+blob, 1)
	}
	changed := filepath.Join(dir, "mutant.go")
	overlay, err := json.Marshal(object{"Replace": map[string]string{file: changed}})
	if err != nil {
		return "", err
	}
	over := filepath.Join(dir, "overlay.json")
	if err := errors.Join(os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(over, overlay, 0o600)); err != nil {
		return "", err
	}
	return buildProgram(dir, name, append([]string{"-overlay", over}, args...)...)
}
