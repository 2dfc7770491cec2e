// Package running runs a separate service for the programs in scripts that drive one over HTTP.
package running

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Service is a program that listens.
type Service struct {
	*Program
	URL  string
	Data string // its data folder
}

// Start runs the binary on a free port with a data folder, and waits until it prints its address. Env is added to the
// environment.
func Start(binary, data string, env ...string) (*Service, error) {
	return StartWith(binary, data, nil, env...)
}

// StartWith is Start with further arguments of segel serve.
func StartWith(binary, data string, args []string, env ...string) (*Service, error) {
	return startProgram(binary, data, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...), env...)
}

func startProgram(binary, data string, args []string, env ...string) (*Service, error) {
	p := &Program{Binary: binary, Args: args, Env: env}
	if err := p.Start(); err != nil {
		return nil, err
	}
	address, ok := p.FindOutput("listens on http://")
	if !ok {
		p.Stop()
		return nil, fmt.Errorf("segel %s did not print its address", args[0])
	}
	return &Service{Program: p, Data: data, URL: "http://" + strings.TrimRight(strings.Fields(address)[0], ";")}, nil
}

// PeakMemory returns the peak of the program's resident memory in bytes.
func (p *Program) PeakMemory() (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("no VmHWM")
}

// Grant grants an organisation quota on the data folder of a running service: with a stamp office other than the sandbox
// it starts with none.
func (p *Program) Grant(data, organisation string, stamps, signatures int) error {
	for unit, n := range map[string]int{"emet": stamps, "base": signatures} {
		cmd := exec.Command(p.Binary, "quota", "add", "--data", data, "--org", organisation, "--unit", unit, "--count", strconv.Itoa(n), "--reason", "trial")
		cmd.Env = append(os.Environ(), p.Env...)
		if b, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("grant %s: %w: %s", unit, err, b)
		}
	}
	return nil
}

// AddUser adds a user to the first organisation of the running service.
func (s *Service) AddUser(email, name, password string) error {
	return s.AddUserTo("", email, name, password)
}

// AddUserTo adds a user to an organisation, by name, of the running service.
func (s *Service) AddUserTo(organisation, email, name, password string) error {
	file := filepath.Join(s.Data, ".password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		return err
	}
	defer os.Remove(file)
	cmd := exec.Command(s.Binary, "user", "add", "--data", s.Data, "--email", email, "--name", name, "--password-file", file)
	if organisation != "" {
		cmd.Args = append(cmd.Args, "--org", organisation)
	}
	cmd.Env = append(os.Environ(), s.Env...)
	b, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("add %s: %w: %s", email, err, b)
	}
	return nil
}
