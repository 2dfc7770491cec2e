package isolation_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"segel/internal/isolation"
	"segel/internal/isolation/isolationtest"
)

// run runs a shell command in the sandbox and returns its output. The test is skipped without a sandbox, unless
// SEGEL_REQUIRE_CONVERT requires one.
func run(t *testing.T, command string, change func(*isolation.Program)) string {
	t.Helper()
	s, err := isolation.Find()
	if err == nil {
		err = isolation.Run(s.Command(program("true")))
	}
	isolationtest.Require(t, err)
	p := program(command)
	if change != nil {
		change(&p)
	}
	out := &isolation.Output{}
	cmd := s.Command(p)
	cmd.Stdout, cmd.Stderr = out, out
	_ = isolation.Run(cmd) // many commands fail on purpose
	return out.String()
}

func program(command string) isolation.Program {
	return isolation.Program{
		Arguments: []string{"/usr/bin/bash", "-c", command}, Readable: append([]string{"/usr/bin"}, isolation.Libraries...), Variables: []string{"HOME", "/"},
		Limits: isolation.Limits{Processor: 2 * time.Second, Memory: 256 << 20, FileSize: 1 << 20, Processes: 16},
	}
}

func TestASandboxedProgramSeesNothingButWhatItNeeds(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("rahasia"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SEGEL_TEST_SECRET", "rahasia")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for command, want := range map[string]string{
		"echo it runs":                                         "it runs",
		"cat " + secret + " || echo hidden":                    "hidden",
		"cat /etc/passwd || echo hidden":                       "hidden",
		"cat /etc/hostname || echo hidden":                     "hidden",
		"env":                                                  "HOME=/",
		"echo > /tmp/a || echo refused":                        "refused",
		"echo > /a || echo refused":                            "refused",
		"test $(ls -d /proc/[0-9]* | wc -l) -lt 8 && echo few": "few",
		"echo > /dev/tcp/" + strings.Replace(l.Addr().String(), ":", "/", 1) + " || echo refused": "refused",
		"kill -0 " + strconv.Itoa(os.Getpid()) + " || echo hidden":                                "hidden",
		"whoami; id -u": "65534",
	} {
		got := run(t, command, nil)
		if !strings.Contains(got, want) || strings.Contains(got, "rahasia") {
			t.Errorf("%s: %s", command, got)
		}
	}
}

func TestASandboxedProgramIsLimited(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"head -c 2000000 /dev/zero > /home/a; wc -c < /home/a":      "1048576",
		"a=$(head -c 500000000 /dev/zero | tr '\\0' a); echo ${#a}": "cannot allocate",
		"echo begins; while true; do :; done; echo not ended":       "begins",
		"for i in {1..40}; do sleep 1 & done; echo":                 "Resource temporarily unavailable",
	} {
		got := run(t, command, func(p *isolation.Program) { p.Scratch = 8 << 20 })
		if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) || strings.Contains(got, "not ended") {
			t.Errorf("%s: %q", command, got)
		}
	}
	if got := run(t, "ls /home || echo none", nil); !strings.Contains(got, "none") {
		t.Errorf("without scratch space there is /home: %s", got)
	}
}

// TestAProgramKilledWhileItStartsEnds kills at moments spread over the time that bubblewrap needs for its namespaces. A child that
// bubblewrap left behind would hold the pipe of the output, and waiting would not end.
func TestAProgramKilledWhileItStartsEnds(t *testing.T) {
	t.Parallel()
	s, err := isolation.Find()
	if err == nil {
		err = isolation.Run(s.Command(program("true")))
	}
	isolationtest.Require(t, err)
	for i := range 100 {
		cmd := s.Command(program("sleep 1000"))
		cmd.Stdout = &isolation.Output{}
		if err := isolation.Start(cmd); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(i)*200*time.Microsecond, func() { isolation.Kill(cmd) })
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("killed %d µs after its start, the program has not ended", i*200)
		}
		kill.Stop()
	}
}
