package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"segel/internal/contract"
	"segel/internal/disk"
	"segel/internal/isolation"
)

// SecretFile is a file or a folder that only the user of the service should read.
type SecretFile struct {
	Path string
	What string // such as the setting that names it
}

// CheckSecretFiles reports files that others can read or change. Files that are missing are left out: other checks report those that are needed.
func CheckSecretFiles(files []SecretFile) (found []Finding) {
	checked := 0
	for _, f := range files {
		info, err := os.Stat(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			found = append(found, problemf("Run segel as the user of the service", "%s: %v", f.What, err))
			continue
		}
		checked++
		mode, bits := info.Mode().Perm(), "600"
		if info.IsDir() {
			bits = "700"
		}
		remedy := fmt.Sprintf("chmod %s %s", bits, f.Path)
		switch {
		case mode&0o007 != 0:
			found = append(found, problemf(remedy, "%s (%s): every user of this machine may use it (mode %04o)", f.Path, f.What, mode))
		case mode&0o020 != 0:
			found = append(found, problemf(remedy, "%s (%s): its group may change it (mode %04o)", f.Path, f.What, mode))
		case mode&0o050 != 0 && !isOfRootForService(info):
			found = append(found, warnf(remedy, "%s (%s): its group may read it (mode %04o)", f.Path, f.What, mode))
		}
	}
	if len(found) == 0 {
		found = append(found, okf("only the service and root may use the %d files and folders with secrets", checked))
	}
	return found
}

// isOfRootForService reports whether a file belongs to root and to a group whose members may only read it, as packages install the file of
// settings: the service reads it as a member, and can neither change it nor have it with another mode. To root, any group but root's is that of the
// service; to others, it is one of theirs.
func isOfRootForService(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok || of.Uid != 0 || info.IsDir() || info.Mode().Perm()&0o070 != 0o040 {
		return false
	}
	if os.Geteuid() == 0 {
		return of.Gid != 0
	}
	ours, err := os.Getgroups()
	return err == nil && slices.Contains(append(ours, os.Getegid()), int(of.Gid))
}

// unusedAfter is how long the password of the first login may wait to be used.
const unusedAfter = 24 * time.Hour

// CheckInitialPassword reports a file with the password of the first login that is still there a day after it was written: a service removes it when the
// password was used.
func CheckInitialPassword(file string, now time.Time) []Finding {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{okf("no initial password is kept")}
	case err != nil:
		return []Finding{problemf("Run segel as the user of the service", "%v", err)}
	case now.Sub(info.ModTime()) > unusedAfter:
		return []Finding{warnf("Log in with it and choose another one, or give the account one with segel user reset-password", "%s was written on %s and its password was not used since", file, info.ModTime().UTC().Format(time.DateOnly))}
	}
	return []Finding{okf("the initial password is in %s", file)}
}

// OpenFileLimit returns how many files this process may have open at once.
func OpenFileLimit() (uint64, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	return uint64(limit.Max), nil //nolint:unconvert // the type differs by system; a Go program raises its limit to this one
}

// leastOpenFiles is what a service needs that few people use.
const leastOpenFiles = 1024

// CheckOpenFiles compares the limit of open files with what the configuration permits: each client takes one.
func CheckOpenFiles(limit, clients uint64) []Finding {
	const remedy = "Raise LimitNOFILE of the systemd unit, or ulimit -n; the service may have another limit than this shell"
	switch {
	case limit < leastOpenFiles:
		return []Finding{problemf(remedy, "%d files may be open at once; a service needs %d at least", limit, leastOpenFiles)}
	case limit < clients+leastOpenFiles:
		return []Finding{warnf(remedy, "%d files may be open at once; the configuration permits %d clients at once", limit, clients)}
	}
	return []Finding{okf("%d files may be open at once", limit)}
}

// FontNeed is what fonts are for: each entry is a pattern of fontconfig of which one font must exist.
type FontNeed struct {
	Pattern string // such as "Carlito" or ":lang=ja"
	For     string
	Package string // of Debian
}

// Fonts are the fonts that contracts usually need: metric-compatible substitutes of those of Word, and those of scripts.
var Fonts = []FontNeed{
	{"Carlito", "text in Calibri", "fonts-crosextra-carlito"},
	{"Caladea", "text in Cambria", "fonts-crosextra-caladea"},
	{"Liberation Sans", "text in Arial", "fonts-liberation"},
	{"Liberation Serif", "text in Times New Roman", "fonts-liberation"},
	{"Liberation Mono", "text in Courier New", "fonts-liberation"},
	{":lang=zh-cn", "Chinese text", "fonts-noto-cjk"},
	{":lang=ja", "Japanese text", "fonts-noto-cjk"},
	{":lang=ko", "Korean text", "fonts-noto-cjk"},
	{":lang=ar", "Arabic text", "fonts-noto-core"},
}

// ListFonts returns the families of the fonts that fontconfig knows for a pattern.
func ListFonts(ctx context.Context, pattern string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "fc-list", pattern, "family").Output()
	if err != nil {
		return nil, fmt.Errorf("run fc-list: %w", err)
	}
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" }), nil
}

// CheckFonts reports which fonts are missing. Without them documents are converted with others, or with empty boxes.
func CheckFonts(ctx context.Context, need Need, list func(context.Context, string) ([]string, error)) (found []Finding) {
	if need == NotNeeded {
		return []Finding{okf("nothing is converted on this machine")}
	}
	for _, f := range Fonts {
		families, err := list(ctx, f.Pattern)
		if err != nil {
			return []Finding{warnf("On Debian: apt-get install fontconfig", "the fonts of this machine cannot be listed: %v", err)}
		}
		if len(families) == 0 {
			found = append(found, warnf("On Debian: apt-get install "+f.Package, "a font for %s is missing: documents are converted with another one, or with empty boxes", f.For))
		}
	}
	if len(found) == 0 {
		found = append(found, okf("fonts for the documents that Word makes, and for Chinese, Japanese, Korean and Arabic text"))
	}
	return found
}

// CheckSandbox runs a program in the sandbox.
func CheckSandbox(ctx context.Context, need Need, run func(context.Context) error) []Finding {
	if need == NotNeeded {
		return []Finding{okf("nothing runs in it with this configuration")}
	}
	if err := run(ctx); err != nil {
		return []Finding{need.lacking("Permit user namespaces to the user of the service, install bubblewrap, or use a Gotenberg service (SEGEL_CONVERT)", "no program can be run in the sandbox: %v", err)}
	}
	return []Finding{okf("a program was run in it")}
}

// RunSandboxed runs a program in the sandbox that prints its priority, which shows that namespaces and limits were set.
func RunSandboxed(ctx context.Context) error {
	s, err := isolation.Find()
	if err != nil {
		return err
	}
	cmd := s.Command(isolation.Program{
		Arguments: []string{"/usr/bin/nice"}, Readable: isolation.Libraries,
		Limits: isolation.Limits{Processor: 5 * time.Second, Memory: 256 << 20, Processes: 16},
	})
	out := &isolation.Output{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := isolation.Start(cmd); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { isolation.Kill(cmd) })
	err = cmd.Wait()
	if !stop() && ctx.Err() != nil {
		return fmt.Errorf("it did not end: %w", context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// oldestLibreOffice is the first version that has all settings of our profile.
const oldestLibreOffice = "7.4"

// CheckLibreOffice reports the version of LibreOffice.
func CheckLibreOffice(need Need, find func() (version string, err error)) []Finding {
	if need == NotNeeded {
		return []Finding{okf("the configuration does not use it on this machine")}
	}
	version, err := find()
	if err != nil {
		return []Finding{need.lacking("On Debian: apt-get install libreoffice-writer-nogui; or use a Gotenberg service (SEGEL_CONVERT)", "Word documents cannot be converted: %v", err)}
	}
	if isOlder(version, oldestLibreOffice) {
		return []Finding{need.lacking("Install a newer release of LibreOffice", "LibreOffice %s ignores settings that protect the conversion; they exist since %s", version, oldestLibreOffice)}
	}
	return []Finding{okf("LibreOffice %s", version)}
}

// isOlder compares versions such as 7.4 and 24.2.1. Parts that are not numbers count as 0.
func isOlder(a, b string) bool {
	parts := func(s string) (n []int) {
		for part := range strings.SplitSeq(s, ".") {
			v := 0
			if _, err := fmt.Sscanf(part, "%d", &v); err != nil {
				v = 0
			}
			n = append(n, v)
		}
		return n
	}
	return slices.Compare(parts(a), parts(b)) < 0
}

// Folder is a folder on a disk.
type Folder struct {
	Path string
	What string
	Room int64 // bytes that the configuration lets it take beyond the reserve; 0: not said
}

// CheckDisk compares the free space of folders with the reserve. Look returns the space of a folder's file system.
func CheckDisk(folders []Folder, reserve int64, look func(folder string) (disk.Space, error)) (found []Finding) {
	for _, f := range folders {
		space, err := look(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is made when it is needed
		}
		if err != nil {
			found = append(found, problemf("Mount the disk, or name another folder", "%s: %v", f.What, err))
			continue
		}
		m := disk.Monitor{Folders: []string{f.Path}, Reserve: reserve, Look: func(string) (disk.Space, error) { return space, nil }}
		worst, text, err := m.Check()
		const remedy = "Make room on the disk, or enlarge it"
		switch {
		case err != nil:
			found = append(found, problemf(remedy, "%s: %v", f.What, err))
		case worst.State == contract.DiskFull:
			found = append(found, problemf(remedy, "%s: nothing can be stored: %s", f.What, text))
		case worst.State == contract.DiskLow:
			found = append(found, problemf(remedy, "%s: uploads are refused: %s", f.What, text))
		case space.Free < min(reserve, space.Total/10)+f.Room || space.Free < space.Total/20:
			found = append(found, warnf(remedy, "%s: %s of %s are free; it may take %s beyond the reserve of %s", f.What, formatBytes(space.Free), formatBytes(space.Total), formatBytes(f.Room), formatBytes(reserve)))
		default:
			found = append(found, okf("%s: %s of %s are free", f.What, formatBytes(space.Free), formatBytes(space.Total)))
		}
	}
	return found
}

func formatBytes(n int64) string {
	const gib, mib = 1 << 30, 1 << 20
	if n >= gib {
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%d MiB", n/mib)
}
