// Command dist makes the files of a release from a source tree whose web app is built: binaries, packages for Debian and for systems with rpm,
// container images, lists of the components in them, the Helm chart, and the digests of all. The same sources, version and time give the same
// bytes in any folder. It has a separate module, so that what it needs is not part of ours.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// release is what all files have in common.
type release struct {
	source  string    // folder with the sources
	out     string    // folder of the files
	build   string    // the version as the program prints it, such as v0.1.0-90-g01056e2b
	version string    // the same as a semantic version, such as 0.1.0+90.g01056e2b
	time    time.Time // of every file and record
}

func main() {
	var r release
	version := flag.String("version", "", "what git describe prints")
	epoch := flag.Int64("epoch", 0, "time of the commit, in seconds since 1970")
	architectures := flag.String("arch", "amd64,arm64", "processors, separated by commas")
	flag.StringVar(&r.out, "out", "", "folder of the files, which is made anew")
	flag.Parse()
	if flag.NArg() != 1 || r.out == "" || *epoch <= 0 {
		fmt.Fprintln(os.Stderr, "usage: dist -version VERSION -epoch SECONDS -out FOLDER [-arch amd64,arm64] SOURCE")
		os.Exit(2)
	}
	r.source, r.build, r.time = flag.Arg(0), *version, time.Unix(*epoch, 0).UTC()
	if err := r.makeAll(strings.Split(*architectures, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// makeAll makes all files. Digests come last: without that list nothing is complete.
func (r *release) makeAll(architectures []string) error {
	var err error
	if r.version, err = parseVersion(r.build); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.source, "web/dist/index.html")); err != nil {
		return fmt.Errorf("the web app is not built: %w", err)
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, arch := range architectures {
		if err := r.makeFor(arch); err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
	}
	if err := r.writeChart(filepath.Join(r.out, "segel-chart_"+r.version+".tgz")); err != nil {
		return err
	}
	return r.writeDigests()
}

// makeFor makes the files for one processor.
func (r *release) makeFor(arch string) error {
	binary := r.path("linux_" + arch)
	if err := r.buildBinary(arch, binary); err != nil {
		return err
	}
	parts, err := r.listComponents(binary)
	if err != nil {
		return err
	}
	sbom := r.path("linux_" + arch + ".cdx.json")
	if err := r.writeSBOM(sbom, binary, parts); err != nil {
		return err
	}
	notices := r.path("linux_" + arch + ".licenses.txt")
	if err := r.writeLicenses(notices, parts); err != nil {
		return err
	}
	if err := r.writePackages(arch, binary, sbom, notices); err != nil {
		return err
	}
	return r.writeImage(arch, binary, r.path("linux_"+arch+".oci.tar"))
}

// path returns the path of a file of the release by the end of its name.
func (r *release) path(end string) string {
	return filepath.Join(r.out, "segel_"+r.version+"_"+end)
}

var (
	described = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-(\d+)-(g[0-9a-f]+))?(-dirty)?$`)
	commit    = regexp.MustCompile(`^([0-9a-f]{7,40})(-dirty)?$`)
)

// parseVersion returns what git describe prints as a semantic version: v0.1.0-90-g01056e2b is 0.1.0+90.g01056e2b, which packages order after 0.1.0.
// A clone without tags knows only its commit, and its version is 0.0.0.
func parseVersion(text string) (string, error) {
	number, metadata := "0.0.0", []string{}
	if m := described.FindStringSubmatch(text); m != nil {
		number = m[1]
		metadata = m[2:]
	} else if m := commit.FindStringSubmatch(text); m != nil {
		metadata = []string{"g" + m[1], m[2]}
	} else {
		return "", fmt.Errorf("version %q is neither that of a tag nor a commit", text)
	}
	for i := range metadata {
		metadata[i] = strings.TrimPrefix(metadata[i], "-")
	}
	metadata = slices.DeleteFunc(metadata, func(s string) bool { return s == "" })
	if len(metadata) == 0 {
		return number, nil
	}
	return number + "+" + strings.Join(metadata, "."), nil
}

// buildBinary builds the program. Nothing but the sources, the version and the Go release determine its bytes.
func (r *release) buildBinary(arch, binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+r.build, "-o", binary, "./cmd/segel")
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOWORK=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, problems.String())
	}
	return os.Chmod(binary, 0o755)
}

// writeDigests writes the SHA-256 digests of all files, as sha256sum --check reads them.
func (r *release) writeDigests() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, f := range files { // sorted by name
		content, err := os.ReadFile(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), f.Name())
	}
	if b.Len() == 0 {
		return errors.New("nothing was made")
	}
	return os.WriteFile(filepath.Join(r.out, "sha256sums"), b.Bytes(), 0o644)
}
