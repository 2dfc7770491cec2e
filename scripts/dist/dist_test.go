package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/blakesmith/ar"
	"github.com/cavaliergopher/cpio"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

func TestVersionsAreOrderedAfterTheTagThatTheyFollow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"v0.1.0": "0.1.0", "v0.1.0-90-g01056e2b": "0.1.0+90.g01056e2b", "v1.2.3-dirty": "1.2.3+dirty", "v1.2.3-4-gabc1234-dirty": "1.2.3+4.gabc1234.dirty",
		"01056e2b": "0.0.0+g01056e2b", "01056e2b-dirty": "0.0.0+g01056e2b.dirty", "unknown": "", "": "", "v1": "", "v1.2.3-rc1": "",
	} {
		if got, err := parseVersion(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

// made returns the path of the only file of build/dist that matches a pattern. Tests of what was made are run by make check-dist and skipped
// without SEGEL_DIST.
func made(t *testing.T, pattern string) string {
	t.Helper()
	folder := os.Getenv("SEGEL_DIST")
	if folder == "" {
		t.Skip("SEGEL_DIST does not name what make dist made")
	}
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return found[0]
}

func readMade(t *testing.T, pattern string) []byte {
	t.Helper()
	b, err := os.ReadFile(made(t, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheDigestsAreThoseOfAllFiles(t *testing.T) {
	t.Parallel()
	list := made(t, "sha256sums")
	files, err := os.ReadDir(filepath.Dir(list))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, f := range files {
		if f.Name() != "sha256sums" {
			fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(readMade(t, f.Name())), f.Name())
		}
	}
	if got := string(readMade(t, "sha256sums")); got != want.String() {
		t.Errorf("got\n%swant\n%s", got, want.String())
	}
}

func TestTheBinaryNeedsNoLibraryAndNamesNoFolderOfItsBuild(t *testing.T) {
	t.Parallel()
	file := made(t, "segel_*_linux_amd64")
	e, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if libraries, err := e.ImportedLibraries(); err != nil || len(libraries) > 0 || e.Section(".interp") != nil {
		t.Errorf("needs %v, %v", libraries, err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" || settings["GOAMD64"] != "v1" || settings["vcs.revision"] != "" {
		t.Errorf("built with %v", settings)
	}
	b := readMade(t, "segel_*_linux_amd64")
	for _, folder := range []string{filepath.Dir(filepath.Dir(filepath.Dir(file))), os.Getenv("HOME") + "/"} {
		if len(folder) > 2 && bytes.Contains(b, []byte(folder)) {
			t.Errorf("the binary has the folder %s in it", folder)
		}
	}
}

func TestTheListOfComponentsHasWhatTheBinaryNamesAndWhatTheWebAppIsMadeOf(t *testing.T) {
	t.Parallel()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(readMade(t, "segel_*_linux_amd64.cdx.json")), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	urls := map[string]bool{}
	for _, c := range *bom.Components {
		if urls[c.PackageURL] {
			t.Errorf("%s is named twice", c.PackageURL)
		}
		urls[c.PackageURL] = true
	}
	info, err := buildinfo.ReadFile(made(t, "segel_*_linux_amd64"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if url := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B"); !urls[url] {
			t.Errorf("%s is missing", url)
		}
	}
	var manifest struct{ Dependencies, DevDependencies map[string]string }
	b, err := os.ReadFile("../../web/package.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	for name, version := range manifest.Dependencies {
		if url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version; !urls[url] {
			t.Errorf("%s is missing", url)
		}
	}
	for name, version := range manifest.DevDependencies {
		if url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version; urls[url] {
			t.Errorf("%s is not part of the program", url)
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(readMade(t, "segel_*_linux_amd64")))
	if root := bom.Metadata.Component; (*root.Hashes)[0].Value != sum {
		t.Errorf("it is about %+v", root)
	}
}

// packedFile is what a package says about a file.
type packedFile struct {
	mode        fs.FileMode
	user, group string
	content     []byte
}

func readTar(t *testing.T, r io.Reader) map[string]packedFile {
	t.Helper()
	all := map[string]packedFile{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		all["/"+strings.Trim(strings.TrimPrefix(h.Name, "."), "/")] = packedFile{h.FileInfo().Mode(), h.Uname, h.Gname, content}
	}
}

// readDeb returns the files of the archives control and data.
func readDeb(t *testing.T) (control, data map[string]packedFile) {
	t.Helper()
	for r := ar.NewReader(bytes.NewReader(readMade(t, "segel_*_amd64.deb"))); ; {
		h, err := r.Next()
		if err == io.EOF {
			return control, data
		}
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimRight(h.Name, "/ ")
		if name == "debian-binary" {
			continue
		}
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "control.tar.gz":
			control = readTar(t, z)
		case "data.tar.gz":
			data = readTar(t, z)
		default:
			t.Fatalf("%s is not expected", name)
		}
	}
}

// readRPM returns the files of the archive of the .rpm, by a path as in the .deb.
func readRPM(t *testing.T) map[string]packedFile {
	t.Helper()
	b := readMade(t, "segel-*.x86_64.rpm")
	i := bytes.LastIndex(b[:1<<20], []byte("\x1f\x8b\x08"))
	for ; i >= 0; i = bytes.LastIndex(b[:i], []byte("\x1f\x8b\x08")) {
		z, err := gzip.NewReader(bytes.NewReader(b[i:]))
		if err != nil {
			continue
		}
		all := map[string]packedFile{}
		r := cpio.NewReader(z)
		h, err := r.Next()
		for ; err == nil; h, err = r.Next() {
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			all["/"+strings.Trim(strings.TrimPrefix(h.Name, "."), "/")] = packedFile{mode: fs.FileMode(h.Mode).Perm(), content: content}
		}
		if err == io.EOF && len(all) > 0 {
			return all
		}
	}
	t.Fatal("the .rpm has no archive")
	return nil
}

func TestBothPackagesHaveTheSameFilesAndSettingsThatOnlyTheServiceReads(t *testing.T) {
	t.Parallel()
	control, data := readDeb(t)
	rpm := readRPM(t)
	for _, name := range []string{"/usr/bin/segel", "/usr/lib/systemd/system/segel.service", "/etc/segel/segel.env", "/usr/share/doc/segel/copyright", "/usr/share/doc/segel/sbom.cdx.json", "/usr/share/doc/segel/strict.conf"} {
		if len(data[name].content) == 0 || !bytes.Equal(data[name].content, rpm[name].content) {
			t.Errorf("%s has %d bytes in the .deb and %d in the .rpm", name, len(data[name].content), len(rpm[name].content))
		}
	}
	if !bytes.Equal(data["/usr/bin/segel"].content, readMade(t, "segel_*_linux_amd64")) || data["/usr/bin/segel"].mode != 0o755 {
		t.Errorf("the program is another one, or has the mode %v", data["/usr/bin/segel"].mode)
	}
	if f := data["/etc/segel/segel.env"]; f.mode != 0o640 || f.user != "root" || f.group != "segel" {
		t.Errorf("settings have mode %v and belong to %s:%s", f.mode, f.user, f.group)
	}
	if got := string(control["/conffiles"].content); strings.TrimSpace(got) != "/etc/segel/segel.env" {
		t.Errorf("settings that dpkg keeps: %q", got)
	}
	for name, f := range data {
		if f.user != "root" || f.group != "root" && name != "/etc/segel/segel.env" || f.mode.Perm()&0o022 != 0 {
			t.Errorf("%s belongs to %s:%s with mode %v", name, f.user, f.group, f.mode)
		}
		if strings.HasPrefix(name, "/var") {
			t.Errorf("%s would be removed with the package", name)
		}
	}
	for _, name := range []string{"/preinst", "/postinst", "/prerm", "/postrm"} {
		if script := string(control[name].content); !strings.HasPrefix(script, "#!/bin/sh\n") || strings.Contains(script, "rm ") || strings.Contains(script, "userdel") {
			t.Errorf("%s is\n%s", name, script)
		}
	}
}

// openImage unpacks the archive of the image and returns it.
func openImage(t *testing.T) v1.Image {
	t.Helper()
	folder := t.TempDir()
	for name, f := range readTar(t, bytes.NewReader(readMade(t, "segel_*_linux_amd64.oci.tar"))) {
		at := filepath.Join(folder, name)
		if f.mode.IsDir() {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.IndexManifest()
	if err != nil || len(m.Manifests) != 1 {
		t.Fatalf("images: %+v, %v", m, err)
	}
	image, err := index.Image(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestTheImageHasTheProgramAndLittleElseAndAUserWithoutRights(t *testing.T) {
	t.Parallel()
	image := openImage(t)
	c, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c.Config.User != "65532:65532" || !slices.Equal(c.Config.Entrypoint, []string{"/segel"}) || !slices.Equal(c.Config.Cmd, []string{"serve"}) || c.Architecture != "amd64" {
		t.Errorf("the image is %+v", c.Config)
	}
	if _, ok := c.Config.Volumes["/data"]; !ok {
		t.Errorf("its volumes are %v", c.Config.Volumes)
	}
	for _, v := range c.Config.Env {
		if name, _, _ := strings.Cut(v, "="); name != "SEGEL_DATA_DIR" && name != "SEGEL_LISTEN" {
			t.Errorf("%s is set", v)
		}
	}
	r := mutate.Extract(image)
	defer r.Close()
	files := readTar(t, r)
	want := []string{"/LICENSE", "/data", "/etc", "/etc/group", "/etc/passwd", "/etc/ssl", "/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/segel", "/tmp"}
	var got []string
	for name, f := range files {
		got = append(got, name)
		if f.mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			t.Errorf("%s has the mode %v", name, f.mode)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("files: %v", got)
	}
	if !bytes.Equal(files["/segel"].content, readMade(t, "segel_*_linux_amd64")) {
		t.Error("the program is another one")
	}
	roots := 0
	for rest := files["/etc/ssl/certs/ca-certificates.crt"].content; ; roots++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if c, err := x509.ParseCertificate(block.Bytes); err != nil || !c.IsCA {
			t.Errorf("root %d: %v", roots, err)
		}
	}
	if roots < 50 {
		t.Errorf("%d roots", roots)
	}
}

// TestTheImageServesAsItsUserOnReadOnlyFiles runs the command of the image in namespaces, with its files as the root, which cannot be written, and as
// its user, until it is ready, and then asks it to stop.
func TestTheImageServesAsItsUserOnReadOnlyFiles(t *testing.T) {
	t.Parallel()
	image := openImage(t)
	c, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	root, data := t.TempDir(), t.TempDir()
	r := mutate.Extract(image)
	defer r.Close()
	for name, f := range readTar(t, r) {
		at := filepath.Join(root, name)
		if f.mode.IsDir() {
			err = os.MkdirAll(at, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			err = os.WriteFile(at, f.content, f.mode.Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "proc"), 0o755); err != nil { // container engines make these two
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "dev"), 0o755); err != nil {
		t.Fatal(err)
	}
	user, group, _ := strings.Cut(c.Config.User, ":")
	args := []string{
		"--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", data, "/data",
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--uid", user, "--gid", group, "--cap-drop", "ALL", "--die-with-parent", "--clearenv",
		"--as-pid-1", "--info-fd", "3", // the program is the first process, as in a container
	}
	for _, v := range c.Config.Env {
		name, value, _ := strings.Cut(v, "=")
		if name == "SEGEL_LISTEN" { // the network is that of the test
			value = "127.0.0.1:0"
		}
		args = append(args, "--setenv", name, value)
	}
	args = append(append(append(args, "--"), c.Config.Entrypoint...), c.Config.Cmd...)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bwrap", args...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	info, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer info.Close()
	cmd.ExtraFiles = []*os.File{tell}
	err = cmd.Start()
	tell.Close()
	if err != nil {
		t.Fatal(err)
	}
	var address string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, found, ok := strings.Cut(lines.Text(), " listens on "); ok {
			address = found
			break
		}
	}
	if address == "" {
		t.Fatalf("it does not serve: %v\n%s", cmd.Wait(), problems.String())
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/healthz", "/readyz", "/"} {
		answer, err := client.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d %v: %s", path, answer.StatusCode, err, text)
		}
	}
	var started struct {
		Process int `json:"child-pid"`
	}
	if err := json.NewDecoder(info).Decode(&started); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(started.Process, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v\n%s", err, problems.String())
	}
}
