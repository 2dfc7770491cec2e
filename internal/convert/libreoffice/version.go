package libreoffice

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"segel/internal/isolation"
)

// Version runs LibreOffice to print its version, such as 7.4.7.2: in the sandbox, unless unsandboxed. The error says what is missing, in words for the
// operator.
func Version(ctx context.Context, unsandboxed bool) (string, error) {
	f, err := newLauncher("", unsandboxed, Limits{}.withDefaults())
	if err != nil {
		return "", err
	}
	out := &isolation.Output{}
	cmd := f.versionCommand()
	cmd.Stdout, cmd.Stderr = out, out
	if err := isolation.Start(cmd); err != nil {
		return "", fmt.Errorf("run LibreOffice: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { isolation.Kill(cmd) })
	err = cmd.Wait()
	if !stop() && ctx.Err() != nil {
		return "", fmt.Errorf("LibreOffice does not end: %w", context.Cause(ctx))
	}
	words := strings.Fields(out.String())
	if i := slices.Index(words, "LibreOffice"); err == nil && i >= 0 && i+1 < len(words) {
		return words[i+1], nil
	}
	return "", f.startFailure(fmt.Errorf("%w: %s", err, out))
}

func (f *launcher) versionCommand() *exec.Cmd {
	arguments := []string{filepath.Join(f.program, "soffice.bin"), "-env:UserInstallation=file:///home/profile", "--headless", "--version"}
	if !f.isSandboxed() {
		cmd := exec.Command(arguments[0], arguments[1:]...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd
	}
	readable := readablePaths
	if root := filepath.Dir(f.program); !strings.HasPrefix(root, "/usr/lib/") {
		readable = append(slices.Clip(readable), root)
	}
	l := f.limits
	return f.sandbox.Command(isolation.Program{
		Arguments: arguments, Readable: readable, Scratch: l.Scratch, Variables: []string{"HOME", "/home", "TMPDIR", "/home/tmp", "SAL_USE_VCLPLUGIN", "svp"},
		Limits: isolation.Limits{Processor: l.Time, Memory: l.Memory, FileSize: l.Output, Processes: l.Processes},
	})
}
