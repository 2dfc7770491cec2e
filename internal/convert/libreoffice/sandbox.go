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

// sandboxUser is the user of a sandboxed process, seen from outside, if the service runs as root. No other process has
// it, so that a process that escaped could do little, and so that the limit on processes applies, which it does not
// for root.
const sandboxUser = 64117

// sandbox starts LibreOffice in namespaces and with limits.
type sandbox struct {
	program string // folder of soffice.bin
	build   string // see buildID
	bwrap   string // empty: no sandbox, as the operator chose
	prlimit string
	nice    string
	profile []byte // see buildProfile
	limits  Limits
}

// readablePaths are the paths of LibreOffice and its fonts on Debian and its relatives; missing ones are skipped.
// Neither /etc/passwd nor any other file about the machine is among them.
var readablePaths = []string{
	"/usr/lib64", "/usr/share/libreoffice", "/var/lib/libreoffice", "/etc/libreoffice", "/etc/ld.so.cache",
	"/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig",
	"/usr/share/hyphen", "/usr/share/liblangtag", "/usr/share/zoneinfo",
}

// findSandbox finds the programs. Soffice is the program to run; empty: the one in PATH.
func findSandbox(soffice string, unfenced bool, l Limits) (*sandbox, error) {
	f := &sandbox{profile: buildProfile(), limits: l}
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
	if unfenced {
		return f, nil
	}
	if f.bwrap, err = exec.LookPath("bwrap"); err != nil {
		return nil, errors.New("bubblewrap, the sandbox for LibreOffice, is not installed; on Debian: apt-get install bubblewrap")
	}
	for name, path := range map[string]*string{"prlimit": &f.prlimit, "nice": &f.nice} {
		if *path, err = exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("%s, which limits the resources of LibreOffice, is not installed; on Debian: apt-get install util-linux coreutils", name)
		}
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return nil, fmt.Errorf("find %s: %w", name, err)
		}
	}
	return f, nil
}

// isActive reports whether processes are sandboxed.
func (f *sandbox) isActive() bool { return f.bwrap != "" }

// processUser returns the user of a process, seen from outside; -1: the user of this service.
func (f *sandbox) processUser() int {
	if f.isActive() && os.Geteuid() == 0 {
		return sandboxUser
	}
	return -1
}

// buildCommand returns the process for a job, not yet started, and the files to close once it is started.
func (f *sandbox) buildCommand(j *job) (*exec.Cmd, []*os.File, error) {
	office := append([]string{filepath.Join(f.program, "soffice.bin"), "-env:UserInstallation=" + j.profileURL,
		"--headless", "--invisible", "--norestore", "--nodefault", "--nologo", "--nolockcheck"}, j.processPath(j.in, warmName))
	if !f.isActive() {
		cmd := exec.Command(office[0], office[1:]...)
		cmd.Env = []string{"HOME=" + j.folder, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd, nil, f.writeProfile(j)
	}
	files, err := f.profileFiles()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(f.bwrap, slices.Concat(f.bwrapArguments(j), []string{"--"}, f.limitArguments(), office)...)
	cmd.Env = []string{}
	cmd.ExtraFiles = files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if u := f.processUser(); u >= 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u), Gid: uint32(u)}
	}
	return cmd, files, nil
}

// bwrapArguments returns bubblewrap's arguments. Every writable mount has a size limit, except the job's own folder,
// which [job.watchOutput] measures.
func (f *sandbox) bwrapArguments(j *job) []string {
	a := []string{
		"--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
		"--hostname", "fence", "--uid", "65534", "--gid", "65534", "--clearenv",
		"--setenv", "HOME", "/home", "--setenv", "TMPDIR", "/home/tmp", "--setenv", "PATH", "/usr/bin",
		"--setenv", "LANG", "C.UTF-8", "--setenv", "SAL_USE_VCLPLUGIN", "svp",
		"--ro-bind", "/usr/lib", "/usr/lib", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--ro-bind", f.prlimit, "/usr/bin/prlimit", "--ro-bind", f.nice, "/usr/bin/nice",
	}
	for _, r := range readablePaths {
		a = append(a, "--ro-bind-try", r, r)
	}
	if root := filepath.Dir(f.program); !strings.HasPrefix(root, "/usr/lib/") {
		a = append(a, "--ro-bind", root, root)
	}
	return append(a, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev",
		"--size", strconv.FormatInt(f.limits.Scratch, 10), "--tmpfs", "/home", "--dir", "/home/tmp",
		"--file", "3", "/home/profile/user/registrymodifications.xcu", "--file", "4", "/home/profile/user/extensions/buildid",
		"--ro-bind", filepath.Join(j.folder, j.in), "/in", "--bind", filepath.Join(j.folder, j.run), "/tmp", "--chdir", "/tmp", "--remount-ro", "/")
}

// limitArguments returns the arguments of prlimit and nice. They run inside the namespaces, where the processes of
// this user are counted separately. Requests of people have priority over conversions.
func (f *sandbox) limitArguments() []string {
	l := f.limits
	processor := 2*int(l.Time/time.Second) + 20
	return []string{
		"/usr/bin/nice", "-n", "5", "/usr/bin/prlimit", "--core=0", "--nofile=256", fmt.Sprintf("--as=%d", l.Memory), fmt.Sprintf("--fsize=%d", l.Output),
		fmt.Sprintf("--cpu=%d", processor), fmt.Sprintf("--nproc=%d", l.Processes),
	}
}

// profileFiles returns what bubblewrap writes into the profile, from descriptors 3 and 4: pipes whose content fits into
// their buffer of 64 KiB.
func (f *sandbox) profileFiles() ([]*os.File, error) {
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
func (f *sandbox) writeProfile(j *job) error {
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
