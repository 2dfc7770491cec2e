package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// documents is the folder of what a package has to read.
const documents = "/usr/share/doc/segel/"

// writePackages writes the .deb and the .rpm of a binary. They differ in the names of what they depend on.
func (r *release) writePackages(arch, binary, sbom, licenses string) error {
	in := func(name string) string { return filepath.Join(r.source, name) }
	for _, format := range []struct {
		name                string
		depends, recommends []string
	}{
		{
			"deb", []string{"ca-certificates"},
			// LibreOffice is large, and Word documents may be converted elsewhere.
			[]string{"bubblewrap", "libreoffice-writer-nogui", "fonts-crosextra-carlito", "fonts-crosextra-caladea", "fonts-liberation", "fonts-droid-fallback", "poppler-utils", "poppler-data"},
		},
		{
			"rpm", []string{"ca-certificates", "shadow-utils", "systemd"},
			[]string{"bubblewrap", "libreoffice-writer", "google-carlito-fonts", "google-crosextra-caladea-fonts", "liberation-fonts", "poppler-utils", "poppler-data"},
		},
	} {
		plain := func(from, to string) *files.Content { return r.packed(from, to, "root", 0o644, files.TypeFile) }
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "segel", Arch: arch, Platform: "linux", Version: r.version, Release: "1", MTime: r.time, DisableGlobbing: true,
			Section: "net", Priority: "optional", Maintainer: "Segel <packages@segel.invalid>", License: "Apache-2.0",
			Description: "Signing of contracts and electronic duty stamps\nA service in which people sign contracts as PDF (PAdES B-LTA) and affix Indonesia's\nelectronic duty stamp (e-meterai).",
			Overridables: nfpm.Overridables{
				Depends: format.depends, Recommends: format.recommends,
				Contents: files.Contents{
					r.packed(binary, "/usr/bin/segel", "root", 0o755, files.TypeFile),
					plain(in("deploy/systemd/segel.service"), "/usr/lib/systemd/system/segel.service"),
					{Destination: "/etc/segel", Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o755, MTime: r.time}},
					plain(in("deploy/systemd/segel.socket"), "/usr/lib/systemd/system/segel.socket"),
					plain(in("deploy/systemd/segel-http.socket"), "/usr/lib/systemd/system/segel-http.socket"),
					r.packed(in("deploy/systemd/segel.env"), "/etc/segel/segel.env", "segel", 0o640, files.TypeConfigNoReplace),
					plain(in("deploy/systemd/strict.conf"), documents+"strict.conf"),
					plain(in("docs/operations.md"), documents+"operations.md"),
					plain(in("CHANGELOG.md"), documents+"CHANGELOG.md"),
					plain(licenses, documents+"copyright"),
					plain(sbom, documents+"sbom.cdx.json"),
				},
				Scripts: nfpm.Scripts{
					PreInstall: in("deploy/package/preinstall.sh"), PostInstall: in("deploy/package/postinstall.sh"),
					PreRemove: in("deploy/package/preremove.sh"), PostRemove: in("deploy/package/postremove.sh"),
				},
				Deb: nfpm.Deb{Compression: "gzip", Predepends: []string{"passwd"}},
				RPM: nfpm.RPM{Compression: "gzip", BuildHost: "localhost", Summary: "Signing of contracts and electronic duty stamps"},
			},
		})
		if err := nfpm.PrepareForPackager(info, format.name); err != nil {
			return fmt.Errorf("%s: %w", format.name, err)
		}
		packager, err := nfpm.Get(format.name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := packager.Package(info, &b); err != nil {
			return fmt.Errorf("%s: %w", format.name, err)
		}
		if err := os.WriteFile(filepath.Join(r.out, packager.ConventionalFileName(info)), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// packed returns one file of a package, which belongs to root and a group.
func (r *release) packed(from, to, group string, mode os.FileMode, kind string) *files.Content {
	return &files.Content{Source: from, Destination: to, Type: kind, FileInfo: &files.ContentFileInfo{Owner: "root", Group: group, Mode: mode, MTime: r.time}}
}
