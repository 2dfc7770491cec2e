package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheWalkOfTheReadmeSignsAContract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, filepath.Join(dir, "data"), "SEGEL_LOG_LEVEL=error")
	contract, signed := filepath.Join(dir, "contract.pdf"), filepath.Join(dir, "signed.pdf")
	if err := os.WriteFile(contract, simple(), 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join("..", "..", "scripts", "walk.sh")
	out, err := exec.Command("bash", script, p.url, p.email, p.password, contract, signed).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The guest's signature and the seal; pdfsig does not check document timestamps.
	if n := strings.Count(string(out), "Signature is Valid."); n != 2 {
		t.Errorf("pdfsig finds %d valid signatures, want 2:\n%s", n, out)
	}
	// A refusal by the service ends the script with the service's answer.
	out, err = exec.Command("bash", script, p.url, p.email, "wrong", contract, signed).CombinedOutput()
	if err == nil || !strings.Contains(string(out), `"code"`) {
		t.Errorf("with a wrong password: %v: %s", err, out)
	}
}
