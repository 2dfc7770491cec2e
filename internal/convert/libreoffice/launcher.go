package libreoffice

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"segel/internal/isolation"
)

// Limits bound one process. The zero value of a member means its default.
type Limits struct {
	Time      time.Duration // for one document, from the moment it is handed over. Default one minute
	Memory    int64         // bytes of address space. Default 2 GiB; LibreOffice starts with half of one
	Output    int64         // bytes of the PDF, and of any file written. Default 256 MiB
	Scratch   int64         // bytes of all temporary files together. Default 512 MiB
	Processes int           // including threads. Default 64
}

func (l Limits) withDefaults() Limits {
	l.Time = cmp.Or(l.Time, time.Minute)
	l.Memory = cmp.Or(l.Memory, 2<<30)
	l.Output = cmp.Or(l.Output, 256<<20)
	l.Scratch = cmp.Or(l.Scratch, 512<<20)
	l.Processes = cmp.Or(l.Processes, 64)
	return l
}

// launcher starts LibreOffice in a sandbox.
type launcher struct {
	program string             // folder of soffice.bin
	build   string             // see buildID
	sandbox *isolation.Sandbox // nil: none, as the operator chose
	profile []byte             // see buildProfile
	limits  Limits
}

// readablePaths are the paths of LibreOffice and its fonts on Debian and its relatives. Neither /etc/passwd nor any other file about
// the machine is among them.
var readablePaths = slices.Concat(isolation.Libraries, isolation.Fonts, []string{
	"/usr/share/libreoffice", "/var/lib/libreoffice", "/etc/libreoffice", "/usr/share/hyphen", "/usr/share/liblangtag", "/usr/share/zoneinfo",
})

// newLauncher finds the programs. Soffice is the program to run; empty: the one in PATH.
func newLauncher(soffice string, unsandboxed bool, l Limits) (*launcher, error) {
	f := &launcher{profile: buildProfile(), limits: l}
	var err error
	if soffice == "" {
		if soffice, err = exec.LookPath("soffice"); err != nil {
			return nil, errors.New("LibreOffice is not installed; on Debian: apt-get install libreoffice-writer-nogui fonts-crosextra-carlito fonts-crosextra-caladea fonts-liberation")
		}
	}
	if soffice, err = filepath.EvalSymlinks(soffice); err != nil {
		return nil, fmt.Errorf("find LibreOffice: %w", err)
	}
	f.program = filepath.Dir(soffice)
	if f.build, err = buildID(f.program); err != nil {
		return nil, err
	}
	if !unsandboxed {
		f.sandbox, err = isolation.Find()
	}
	return f, err
}

// isSandboxed reports whether processes run in the sandbox.
func (f *launcher) isSandboxed() bool { return f.sandbox != nil }

// processUser returns the user of a process, seen from outside; -1: the user of this service.
func (f *launcher) processUser() int {
	if f.isSandboxed() {
		return isolation.User()
	}
	return -1
}

// buildCommand returns the process for a job, for [isolation.Start].
func (f *launcher) buildCommand(j *job) (*exec.Cmd, error) {
	soffice := append([]string{filepath.Join(f.program, "soffice.bin"), "-env:UserInstallation=" + j.profileURL,
		"--headless", "--invisible", "--norestore", "--nodefault", "--nologo", "--nolockcheck"}, j.processPath(j.in, warmName))
	if !f.isSandboxed() {
		cmd := exec.Command(soffice[0], soffice[1:]...)
		cmd.Env = []string{"HOME=" + j.folder, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd, f.writeProfile(j)
	}
	p := f.programFor(j, soffice)
	var err error
	if p.Files, err = f.profileFiles(); err != nil {
		return nil, err
	}
	return f.sandbox.Command(p), nil
}

// programFor returns what to run in the sandbox for a job. Every writable mount has a size limit, except the job's own folder, which
// [job.watchOutput] measures.
func (f *launcher) programFor(j *job, arguments []string) isolation.Program {
	readable := readablePaths
	if root := filepath.Dir(f.program); !strings.HasPrefix(root, "/usr/lib/") {
		readable = append(slices.Clip(readable), root)
	}
	l := f.limits
	return isolation.Program{
		Arguments: arguments, Readable: readable, Scratch: l.Scratch,
		Variables: []string{"HOME", "/home", "TMPDIR", "/home/tmp", "SAL_USE_VCLPLUGIN", "svp"},
		Mounts: []string{
			"--file", strconv.Itoa(isolation.FirstFile), "/home/profile/user/registrymodifications.xcu",
			"--file", strconv.Itoa(isolation.FirstFile + 1), "/home/profile/user/extensions/buildid",
			"--ro-bind", filepath.Join(j.folder, j.in), "/in", "--bind", filepath.Join(j.folder, j.run), "/tmp", "--chdir", "/tmp",
		},
		Limits: isolation.Limits{Processor: 2*l.Time + 20*time.Second, Memory: l.Memory, FileSize: l.Output, Processes: l.Processes},
	}
}

// profileFiles returns what bubblewrap writes into the profile, the files of [launcher.programFor]: pipes whose content fits into
// their buffer of 64 KiB.
func (f *launcher) profileFiles() ([]*os.File, error) {
	var files []*os.File
	for _, content := range [][]byte{f.profile, []byte(f.build)} {
		r, w, err := os.Pipe()
		if err == nil {
			files = append(files, r)
			_, err = w.Write(content)
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("hand over profile: %w", err)
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // read from only
	}
}

// writeProfile writes the profile of a process without a sandbox to its job's folder.
func (f *launcher) writeProfile(j *job) error {
	for name, content := range map[string][]byte{"registrymodifications.xcu": f.profile, "extensions/buildid": []byte(f.build)} {
		path := filepath.Join(j.folder, "profile", "user", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("make profile: %w", err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("make profile: %w", err)
		}
	}
	return nil
}
