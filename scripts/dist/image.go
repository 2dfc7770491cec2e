package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageUser is the user and group in the image. It has a number that no user of a machine has.
const imageUser = 65532

// imageFile is a file or folder of the image.
type imageFile struct {
	name    string // without the first slash; a folder ends with one
	content []byte
	mode    int64
	user    int
}

// writeImage writes an image without a base: the program, the roots of TLS and a user. It is an archive with an OCI layout, and with the manifest
// of docker save, so that docker, podman and skopeo read it.
func (r *release) writeImage(arch, binary, file string) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	roots, err := encodeRoots(r.time)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return err
	}
	layer, err := newLayer(r.time, []imageFile{
		{name: "LICENSE", content: license, mode: 0o644},
		{name: "data/", mode: 0o700, user: imageUser},
		{name: "etc/", mode: 0o755},
		{name: "etc/group", content: fmt.Appendf(nil, "root:x:0:\nsegel:x:%d:\n", imageUser), mode: 0o644},
		{name: "etc/passwd", content: fmt.Appendf(nil, "root:x:0:0:root:/:/none\nsegel:x:%d:%d:segel:/data:/none\n", imageUser, imageUser), mode: 0o644},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", content: roots, mode: 0o644},
		{name: "segel", content: program, mode: 0o755},
		{name: "tmp/", mode: 0o1777},
	})
	if err != nil {
		return err
	}
	image, err := r.newImage(arch, layer)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "segel-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	l, err := layout.Write(folder, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	if err := l.AppendImage(image, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "segel:" + r.imageTag()})); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	if err := r.writeDockerManifest(image, folder); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := archiveFolder(&b, folder, "", r.time, nil); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// imageTag returns the version as a tag, in which + is not permitted.
func (r *release) imageTag() string {
	return strings.ReplaceAll(r.version, "+", "-")
}

// newImage returns an image of one layer. Its settings are in its environment, so that commands other than serve find the same data.
func (r *release) newImage(arch string, layer v1.Layer) (v1.Image, error) {
	created := v1.Time{Time: r.time}
	image, err := mutate.Append(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), mutate.Addendum{
		Layer: layer, History: v1.History{Created: created, CreatedBy: "make dist"},
	})
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	c, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = "linux", arch, created
	c.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", imageUser, imageUser), WorkingDir: "/data", Entrypoint: []string{"/segel"}, Cmd: []string{"serve"},
		Env:     []string{"SEGEL_DATA_DIR=/data", "SEGEL_LISTEN=0.0.0.0:8080"},
		Volumes: map[string]struct{}{"/data": {}}, ExposedPorts: map[string]struct{}{"8080/tcp": {}}, StopSignal: "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":       "segel",
			"org.opencontainers.image.description": "Signing of contracts and electronic duty stamps",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.created":     r.time.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	image, err = mutate.ConfigFile(image, c)
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	return image, nil
}

// encodeRoots returns the roots of the Mozilla trust store in PEM. Those that are trusted with conditions, which PEM cannot express, are left out,
// as are those that have expired.
func encodeRoots(now time.Time) ([]byte, error) {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		c, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("root: %w", err)
		}
		if root.Constraint != nil || now.After(c.NotAfter) {
			continue
		}
		fmt.Fprintf(&b, "# %s\n", c.Subject)
		if err := pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, fmt.Errorf("root: %w", err)
		}
	}
	return b.Bytes(), nil
}

// newLayer returns a layer of files, which are in the order of their names.
func newLayer(at time.Time, files []imageFile) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Uid: f.user, Gid: f.user, ModTime: at, Format: tar.FormatPAX}
		if f.name[len(f.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := writeEntry(w, h, f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	return l, nil
}

// writeDockerManifest writes manifest.json, by which docker load finds the parts of an image in the layout.
func (r *release) writeDockerManifest(image v1.Image, folder string) error {
	m, err := image.Manifest()
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	blob := func(h v1.Hash) string { return path.Join("blobs", h.Algorithm, h.Hex) }
	var layers []string
	for _, l := range m.Layers {
		layers = append(layers, blob(l.Digest))
	}
	type entry struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	b, err := json.Marshal([]entry{{blob(m.Config.Digest), []string{"segel:" + r.imageTag()}, layers}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "manifest.json"), b, 0o644)
}
