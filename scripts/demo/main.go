// Command demo takes one contract from upload to the stamped and sealed file, on a service that it starts, and prints each
// step. `make demo` runs it; it uses HTTP only, like any client.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"segel/scripts/running"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo SEGEL-BINARY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(binary string) error {
	dir, err := os.MkdirTemp("", "segel-demo-")
	if err != nil {
		return err
	}
	s, err := running.Start(binary, filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	defer s.Stop()
	printStep("the service runs at %s, its data is in %s", s.URL, s.Data)

	w := walk{out: filepath.Join(dir, "sewa-signed.pdf")}
	if w.owner, err = s.AddPerson("", "sari@example.test", "Sari Wulandari"); err != nil {
		return err
	}
	if w.signer, err = s.AddPerson("", "budi@example.test", "Budi Santoso"); err != nil {
		return err
	}
	printStep("two users of one organisation: Sari, who owns the contract, and Budi, who signs it")
	for _, step := range []func() error{w.findSigner, w.uploadContract, w.placeBoxes, w.finalizeContract, w.signContract, w.waitComplete, w.downloadSigned} {
		if err := step(); err != nil {
			return err
		}
	}
	printPdfsig("pdfsig", "-nocert", w.out)
	return nil
}

func printStep(format string, args ...any) { fmt.Printf("- "+format+"\n", args...) }

// printPdfsig shows the result of an independent program, if it is installed.
func printPdfsig(name string, args ...string) {
	b, err := exec.Command(name, args...).Output()
	if err != nil && len(b) == 0 {
		return
	}
	for _, line := range strings.Split(string(b), "\n") {
		if strings.Contains(line, "Signature Validation") || strings.Contains(line, "document signed") || strings.HasPrefix(line, "Signature #") {
			fmt.Printf("  %s: %s\n", name, strings.TrimSpace(line))
		}
	}
}
