package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// component is a Go module or npm package that is part of the program.
type component struct {
	name, version string
	url           string // package URL, which identifies it
	sum           string // digest of a Go module as go.sum has it; empty: not a Go module
	integrity     string // digest of an npm package as package-lock.json has it: algorithm-base64
	license       string // expression that an npm package states; empty: none is stated
	folder        string // where its files are
}

// listComponents returns what is linked into a binary, and the npm packages that the web app is made of, each ordered by name.
func (r *release) listComponents(binary string) ([]component, error) {
	modules, err := r.listModules(binary)
	if err != nil {
		return nil, err
	}
	packages, err := r.listPackages()
	return append(modules, packages...), err
}

// listModules returns the Go modules that the binary names, and the standard library.
func (r *release) listModules(binary string) ([]component, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	all := []component{{name: "std", version: version, url: "pkg:golang/std@" + version, folder: strings.TrimSpace(string(goroot))}}
	var names []string
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, component{name: m.Path, version: m.Version, url: "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B"), sum: m.Sum})
		names = append(names, m.Path)
	}
	list := exec.Command("go", append([]string{"list", "-m", "-json"}, names...)...)
	list.Dir = r.source
	list.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	folders := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		folders[m.Path] = m.Dir
	}
	for i := range all[1:] {
		c := &all[i+1]
		if c.folder = folders[c.name]; c.folder == "" {
			return nil, fmt.Errorf("the files of %s are not there", c.name)
		}
	}
	return all, nil
}

// listPackages returns the npm packages that the web app depends on, without those that only build or test it.
func (r *release) listPackages() ([]component, error) {
	b, err := os.ReadFile(filepath.Join(r.source, "web/package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev, DevOptional, Optional  bool
		}
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var all []component
	for at, p := range lock.Packages {
		folder := filepath.Join(r.source, "web", at)
		if at == "" || p.Dev || p.DevOptional {
			continue
		}
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) && p.Optional {
			continue // for another system; a browser runs none of them
		}
		_, name, _ := cutLast(at, "node_modules/")
		url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		all = append(all, component{name: name, version: p.Version, url: url, integrity: p.Integrity, license: p.License, folder: folder})
	}
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.url, b.url) })
	return slices.CompactFunc(all, func(a, b component) bool { return a.url == b.url }), nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// writeSBOM writes the list of components as CycloneDX 1.6 in JSON. Its serial number follows from the digest of the binary.
func (r *release) writeSBOM(file, binary string, parts []component) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(program)
	root := cyclonedx.Component{
		BOMRef: "segel", Type: cyclonedx.ComponentTypeApplication, Name: "segel", Version: r.version, PackageURL: "pkg:generic/segel@" + strings.ReplaceAll(r.version, "+", "%2B"),
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		Hashes:   &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(digest[:])}},
	}
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = "urn:uuid:" + uuid.NewHash(sha256.New(), uuid.NameSpaceOID, digest[:], 8).String()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format("2006-01-02T15:04:05Z"), Component: &root}
	var components []cyclonedx.Component
	var refs []string
	for _, p := range parts {
		c := cyclonedx.Component{BOMRef: p.url, Type: cyclonedx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: p.url, Scope: cyclonedx.ScopeRequired}
		if p.sum != "" { // the digest of a list of digests, which is not that of any file
			c.Properties = &[]cyclonedx.Property{{Name: "segel:go.sum", Value: p.sum}}
		}
		if algorithm, value, ok := strings.Cut(p.integrity, "-"); ok {
			raw, err := base64.StdEncoding.DecodeString(value)
			if err != nil || algorithm != "sha512" {
				return fmt.Errorf("digest %q of %s", p.integrity, p.name)
			}
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA512, Value: hex.EncodeToString(raw)}}
		}
		if p.license != "" {
			c.Licenses = &cyclonedx.Licenses{{Expression: p.license}}
		}
		components = append(components, c)
		refs = append(refs, p.url)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "segel", Dependencies: &refs}}
	var b bytes.Buffer
	e := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON)
	e.SetPretty(true)
	if err := e.EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return fmt.Errorf("write the list of components: %w", err)
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// licenseNames are the beginnings of the names of files that a copy has to come with, in lower case.
var licenseNames = []string{"license", "licence", "copying", "notice", "patents"}

// writeLicenses writes the licences of all components: most of them require that a copy of the program has them. A component without such a file
// states its licence in its package.json, or is refused.
func (r *release) writeLicenses(file string, parts []component) error {
	var b bytes.Buffer
	own, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "Segel is licensed under the Apache License 2.0, at the end of this file. It contains these components:\n\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "%s %s\n", p.name, p.version)
	}
	for _, p := range parts {
		files, err := os.ReadDir(p.folder)
		if err != nil {
			return err
		}
		found := false
		for _, f := range files {
			lower := strings.ToLower(f.Name())
			if f.IsDir() || path.Ext(lower) == ".go" || !slices.ContainsFunc(licenseNames, func(start string) bool { return strings.HasPrefix(lower, start) }) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(p.folder, f.Name()))
			if err != nil {
				return err
			}
			found = true
			fmt.Fprintf(&b, "\n\n==== %s %s: %s\n\n%s", p.name, p.version, f.Name(), bytes.TrimSpace(text))
		}
		switch {
		case !found && p.license == "":
			return fmt.Errorf("%s has no licence", p.name)
		case !found:
			fmt.Fprintf(&b, "\n\n==== %s %s: %s, by its package.json", p.name, p.version, p.license)
		}
	}
	fmt.Fprintf(&b, "\n\n==== segel: LICENSE\n\n%s\n", bytes.TrimSpace(own))
	return os.WriteFile(file, b.Bytes(), 0o644)
}
