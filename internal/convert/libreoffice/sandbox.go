package libreoffice

import (
	"bytes"
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
	Time      time.Duration // for one document, from handing it over. Default one minute
	Memory    int64         // bytes of address space. Default 2 GiB; it starts with half of one
	Output    int64         // bytes of the PDF, and of any file written. Default 256 MiB
	Scratch   int64         // bytes of all temporary files together. Default 512 MiB
	Processes int           // threads count. Default 64
}

func (l Limits) withDefaults() Limits {
	def := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	def((*int64)(&l.Time), int64(time.Minute))
	def(&l.Memory, 2<<30)
	def(&l.Output, 256<<20)
	def(&l.Scratch, 512<<20)
	if l.Processes == 0 {
		l.Processes = 64
	}
	return l
}

// sandboxUser is who a fenced process is, seen from outside, when the service runs as root: nobody else, so that even
// one that broke out could do little, and the limit on processes, which does not hold for root, holds.
const sandboxUser = 64117

// sandbox starts LibreOffice behind namespaces and limits.
type sandbox struct {
	program string // folder of soffice.bin
	build   string // see buildID
	bwrap   string // empty: no fence, as the operator chose
	prlimit string
	nice    string
	profile []byte // see profile
	limits  Limits
}

// Where LibreOffice and its fonts live on Debian and its relatives; what is not there is left out. Neither /etc/passwd
// nor any other file about the machine is among them.
var readablePaths = []string{
	"/usr/lib64", "/usr/share/libreoffice", "/var/lib/libreoffice", "/etc/libreoffice", "/etc/ld.so.cache",
	"/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig",
	"/usr/share/hyphen", "/usr/share/liblangtag", "/usr/share/zoneinfo",
}

// findSandbox looks for the programs. Soffice is the program to run; empty: the one in PATH.
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
		return nil, errors.New("there is nothing to fence LibreOffice in with; on Debian: apt-get install bubblewrap")
	}
	for name, path := range map[string]*string{"prlimit": &f.prlimit, "nice": &f.nice} {
		if *path, err = exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("there is nothing to bound LibreOffice with: %s is missing; on Debian: apt-get install util-linux coreutils", name)
		}
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return nil, fmt.Errorf("find %s: %w", name, err)
		}
	}
	return f, nil
}

// isActive reports whether there is a fence.
func (f *sandbox) isActive() bool { return f.bwrap != "" }

// processUser returns who a process is, seen from outside; -1 for whoever we are.
func (f *sandbox) processUser() int {
	if f.isActive() && os.Geteuid() == 0 {
		return sandboxUser
	}
	return -1
}

// buildCommand returns the process for a job, not yet started, with what has to be closed once it is.
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

// bwrapArguments are bubblewrap's arguments. Every mount that can be written to has a size, but for the job's own
// folder, over which [job.watch] watches.
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

// limitArguments are the arguments of prlimit and nice. They come inside the namespaces, where the processes of this user are
// counted afresh. Whoever only looks at a list goes before conversions.
func (f *sandbox) limitArguments() []string {
	l := f.limits
	processor := 2*int(l.Time/time.Second) + 20
	return []string{
		"/usr/bin/nice", "-n", "5", "/usr/bin/prlimit", "--core=0", "--nofile=256", fmt.Sprintf("--as=%d", l.Memory), fmt.Sprintf("--fsize=%d", l.Output),
		fmt.Sprintf("--cpu=%d", processor), fmt.Sprintf("--nproc=%d", l.Processes),
	}
}

// profileFiles are what bubblewrap writes into the profile, from descriptors 3 and 4 on.
func (f *sandbox) profileFiles() ([]*os.File, error) {
	var files []*os.File
	for _, content := range [][]byte{f.profile, []byte(f.build)} {
		r, err := pipeContent(content)
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("hand over profile: %w", err)
		}
		files = append(files, r)
	}
	return files, nil
}

// pipeContent returns the reading end of a pipe that holds content, which has to fit into its buffer of 64 KiB.
func pipeContent(content []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = bytes.NewReader(content).WriteTo(w)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // read from only
	}
}

// writeProfile makes the profile of a process without a fence in its job's folder.
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
