package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// validatorProcess is a judge in a process of its own, which answers a path a line with a JSON object a line. It is started
// when it is first asked, and anew when it died of a file.
type validatorProcess struct {
	name    string
	command []string
	limit   time.Duration // for one file

	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte // closed when the process is gone
}

// queryFile has the stranger look at a file. An error means that he gave no answer.
func (s *validatorProcess) queryFile(path string, answer any) error {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return fmt.Errorf("start %s: %w", s.name, err)
		}
	}
	if _, err := fmt.Fprintln(s.in, path); err != nil {
		s.stop()
		return fmt.Errorf("ask %s: %w", s.name, err)
	}
	timer := time.NewTimer(s.limit)
	defer timer.Stop()
	select {
	case line, alive := <-s.lines:
		if !alive {
			s.stop()
			return fmt.Errorf("%s died", s.name)
		}
		return json.Unmarshal(line, answer)
	case <-timer.C:
		s.cmd.Process.Kill()
		s.stop()
		return fmt.Errorf("%s said nothing for %v", s.name, s.limit)
	}
}

func (s *validatorProcess) start() error {
	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Stderr = nil // libraries log at length; interop/verdicts lets it through
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	s.cmd, s.in, s.lines = cmd, in, lines
	return nil
}

// stop ends the process, if there is one. What it still says is let go.
func (s *validatorProcess) stop() {
	if s.cmd == nil {
		return
	}
	s.in.Close()
	done := make(chan struct{})
	go func() {
		for range s.lines {
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		s.cmd.Process.Kill()
		<-done
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintf(os.Stderr, "interop: %s: %v\n", s.name, err)
	}
	s.cmd = nil
}
