// Package validator runs the validators of other parties, each in a separate process.
package validator

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Process is a validator in a separate process: it reads one path per line, or an object with a path and a time, and writes one JSON object
// per line. It is started with the first query, and restarted if a file crashed it. It answers one query at a time.
type Process struct {
	Name    string
	Command []string
	Limit   time.Duration // for one file

	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte // closed when the process has ended
}

// Java returns the command that runs one of the classes of interop/java, which interop/setup installed into a folder.
func Java(folder, class string, args ...string) []string {
	path := filepath.Join(folder, "java/classes") + ":" + filepath.Join(folder, "java/lib") + "/*"
	return append([]string{"java", "-XX:+UseSerialGC", "-cp", path, class}, args...)
}

// PyHanko returns the command that runs interop/pyhanko/verdicts.py, which is in the working directory, with what interop/setup installed into a folder.
func PyHanko(folder string, args ...string) []string {
	return append([]string{filepath.Join(folder, "pyhanko/bin/python"), "interop/pyhanko/verdicts.py"}, args...)
}

// Query validates a file as of now. An error means that there is no answer.
func (s *Process) Query(path string, answer any) error { return s.query(path, answer) }

// QueryAt is [Process.Query] as of a time.
func (s *Process) QueryAt(path string, at time.Time, answer any) error {
	line, err := json.Marshal(map[string]string{"file": path, "at": at.UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	return s.query(string(line), answer)
}

func (s *Process) query(line string, answer any) error {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return fmt.Errorf("start %s: %w", s.Name, err)
		}
	}
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		s.Stop()
		return fmt.Errorf("query %s: %w", s.Name, err)
	}
	timer := time.NewTimer(s.Limit)
	defer timer.Stop()
	select {
	case answered, alive := <-s.lines:
		if !alive {
			s.Stop()
			return fmt.Errorf("%s died", s.Name)
		}
		return json.Unmarshal(answered, answer)
	case <-timer.C:
		s.cmd.Process.Kill()
		s.Stop()
		return fmt.Errorf("%s said nothing for %v", s.Name, s.Limit)
	}
}

func (s *Process) start() error {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Stderr = nil // the libraries log a lot; interop/verdicts shows it
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

// Stop ends the process if it runs, and discards its remaining output.
func (s *Process) Stop() {
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
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
	}
	s.cmd = nil
}
