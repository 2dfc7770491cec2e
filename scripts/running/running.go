// Package running runs a service of its own for the programs beside it that drive one over HTTP.
package running

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Service is a running one.
type Service struct {
	URL  string
	Data string // its data folder
	PID  int

	binary string
	env    []string // added to the environment
	cmd    *exec.Cmd
}

// Start runs the binary on a free port with a data folder, and waits until it says its address. Env is added to the
// environment.
func Start(binary, data string, env ...string) (*Service, error) {
	return start(binary, data, []string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, env...)
}

func start(binary, data string, args []string, env ...string) (*Service, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "http://"); ok {
			go io.Copy(io.Discard, out) //nolint:errcheck // nothing in it is of use
			return &Service{URL: "http://" + strings.TrimRight(strings.Fields(url)[0], ";"), Data: data, PID: cmd.Process.Pid, binary: binary, env: env, cmd: cmd}, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("segel %s did not print its address", args[0]), cmd.Wait())
}

// Stop ends the service as an operator would.
func (s *Service) Stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait()
}

// AddUser adds somebody beside the running service.
func (s *Service) AddUser(email, name, password string) error {
	file := filepath.Join(s.Data, ".password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		return err
	}
	defer os.Remove(file)
	cmd := exec.Command(s.binary, "user", "add", "--data", s.Data, "--email", email, "--name", name, "--password-file", file)
	cmd.Env = append(os.Environ(), s.env...)
	b, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("add %s: %w: %s", email, err, b)
	}
	return nil
}
