package main

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/blob"
	"segel/internal/blob/encrypted"
	"segel/internal/blob/file"
	"segel/internal/blob/moving"
	"segel/internal/blob/s3"
	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/outbound"
	"segel/internal/store"
	"segel/internal/workflow"
)

type blobsCommand struct {
	Copy   blobsCopyCommand   `cmd:"" help:"Copy files from SEGEL_BLOBS_FROM to SEGEL_BLOBS, read the copies again and compare them; works beside a running service and removes nothing. Repeat it until nothing is copied. Ends with 1 if files differ or are damaged."`
	NewKey blobsNewKeyCommand `cmd:"" name:"new-key" help:"Give an organisation another key for its files. It encrypts files that are written from then on; former files stay as they are, and are read with former keys."`
}

type blobsCopyCommand struct {
	dataFlag
	OnlyMissing bool `name:"only-missing" help:"Do not compare files that are in both places with the same size."`
	Reencrypt   bool `help:"Write each copy as new files are written: with SEGEL_BLOB_ENCRYPTION=on encrypted under the newest key of its organisation, with off in clear. Without it files are copied as they are stored."`
	Workers     int  `default:"4" placeholder:"N" help:"Files that are copied at a time."`
	JSON        bool `name:"json" help:"Print the result as JSON."`
}

// Run copies. The new place is marked before the first file, so that a service can be started that uses both.
func (c blobsCopyCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	if conf.BlobsFrom == "" {
		return errors.New("set SEGEL_BLOBS to the place to copy to, and SEGEL_BLOBS_FROM to the one to copy from")
	}
	if c.Workers < 1 || c.Workers > 64 {
		return errors.New("--workers must be between 1 and 64")
	}
	current, former := currentPlace(conf), formerPlace(conf)
	from, err := findVolume(conf, former)
	if err != nil {
		return err
	}
	if _, err := from.Mark(w.ctx); err != nil {
		return fmt.Errorf("%s: %w", former.name(conf), err)
	}
	to, err := openVolume(w.ctx, conf, current)
	if err != nil {
		return err
	}
	if err := moving.Prepare(w.ctx, to, from); err != nil {
		return err
	}
	show := w.progressPrinter()
	o := moving.Options{Workers: c.Workers, OnlyMissing: c.OnlyMissing, Progress: func(p moving.Progress) {
		show("%d files copied (%d bytes), %d compared", p.Copied, p.CopiedBytes, p.Compared)
	}}
	copyAll := func(to, from blob.Volume) error {
		p, err := moving.Copy(w.ctx, to, from, o)
		if err != nil {
			return fmt.Errorf("after %d copied and %d compared files: %w", p.Copied, p.Compared, err)
		}
		return c.printResult(w, conf, p)
	}
	if !c.Reencrypt {
		return copyAll(to, from)
	}
	return c.withApp(w, writing, func(a *app) error {
		anew := reencrypting{encrypted.New(to, a.blobKeys, conf.BlobEncryption == config.EncryptionOn), a}
		o.Recoded = anew.isStoredAnew
		return copyAll(anew, encrypted.New(from, a.blobKeys, false))
	})
}

// reencrypting is a volume that stores each file like a new one of the organisation whose it is.
type reencrypting struct {
	*encrypted.Volume
	a *app
}

// Create begins a file. One that nothing refers to has no organisation, and is left out: it is being written, and a later run finds it, or a crash left it.
func (r reencrypting) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	of, err := r.a.store.OrganisationOfFile(ctx, string(key))
	if errors.Is(err, store.ErrNotFound) {
		return nil, moving.ErrLeftOut
	}
	if err != nil {
		return nil, err
	}
	return r.Of(string(of)).Create(ctx, key)
}

// isStoredAnew reports whether a file is stored as Create would store it. What nothing refers to any more is not looked at.
func (r reencrypting) isStoredAnew(ctx context.Context, key blob.Key, b blob.Blob) (bool, error) {
	under := encrypted.KeyOf(b)
	if r.a.conf.BlobEncryption != config.EncryptionOn {
		return under == "", nil
	}
	of, err := r.a.store.OrganisationOfFile(ctx, string(key))
	if errors.Is(err, store.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	newest, err := r.a.blobKeys.NewestKey(ctx, string(of))
	return under == newest.ID, err
}

func (c blobsCopyCommand) printResult(w *environment, conf config.Config, p moving.Progress) error {
	if c.JSON {
		if err := json.NewEncoder(w.stdout).Encode(p); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(w.stdout, "from %s to %s\n", formerPlace(conf).name(conf), blobPlace(conf))
		fmt.Fprintf(w.stdout, "%d files copied (%d bytes), %d compared (%d bytes), %d kept, %d only in the new place, %d removed meanwhile\n", p.Copied, p.CopiedBytes, p.Compared, p.ComparedBytes, p.Kept, p.New, p.Removed)
		if p.LeftOut > 0 {
			fmt.Fprintf(w.stdout, "%d files that nothing refers to were not copied\n", p.LeftOut)
		}
		for _, key := range p.Different {
			fmt.Fprintf(w.stdout, "differs: %s\n", key)
		}
		for _, key := range p.Damaged {
			fmt.Fprintf(w.stdout, "damaged: %s\n", key)
		}
		for _, key := range p.Otherwise {
			fmt.Fprintf(w.stdout, "not as SEGEL_BLOB_ENCRYPTION says: %s\n", key)
		}
		fmt.Fprintf(w.stdout, "%d files differ\n", len(p.Different))
		if len(p.Otherwise) > 0 {
			fmt.Fprintln(w.stdout, "the new place has files that were stored in another way before: they are never replaced; copy to an empty place")
		}
	}
	if len(p.Different)+len(p.Damaged)+len(p.Otherwise) > 0 {
		return exitStatus(1)
	}
	return nil
}

type blobsNewKeyCommand struct{ orgFlags }

// Run makes the key. A service that runs uses it a minute later at the latest.
func (c blobsNewKeyCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		o, err := c.findOrganisation(w, a)
		if err != nil {
			return err
		}
		generation, err := a.blobKeys.AddKey(w.ctx, string(o.ID))
		if errors.Is(err, store.ErrExists) {
			return fmt.Errorf("another process gave %s a key at the same moment", o.Name)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "%s has key %d for its files\n", o.Name, generation)
		return err
	})
}

// scratchDir is the folder of temporary files in the data folder, if the blobs are not there.
const scratchDir = "scratch"

// findBlobs returns the blob store without touching it: nothing is created, checked or removed.
func findBlobs(conf config.Config) (blob.Volume, error) {
	to, err := findVolume(conf, currentPlace(conf))
	if err != nil || conf.BlobsFrom == "" {
		return to, err
	}
	from, err := findVolume(conf, formerPlace(conf))
	if err != nil {
		return nil, err
	}
	return bothVolumes(conf, to, from), nil
}

// bothVolumes returns the two places of files while files move.
func bothVolumes(conf config.Config, to, from blob.Volume) blob.Volume {
	if conf.BlobsWrite == config.BlobsWriteFormer {
		return moving.NewReading(to, from)
	}
	return moving.New(to, from)
}

// findVolume returns one place of files without touching it.
func findVolume(conf config.Config, place filePlace) (blob.Volume, error) {
	if place.kind == config.BlobsS3 {
		return newBucket(conf, place.prefix)
	}
	return file.Find(place.dir), nil
}

// filePlace is a place of files.
type filePlace struct {
	kind   string // as SEGEL_BLOBS
	dir    string // of files
	prefix string // in the bucket, with s3
}

// currentPlace returns where files are kept, or move to.
func currentPlace(conf config.Config) filePlace {
	return filePlace{conf.Blobs, conf.BlobsDir(), conf.S3Prefix}
}

// formerPlace returns where files move from. It is meaningless without SEGEL_BLOBS_FROM.
func formerPlace(conf config.Config) filePlace {
	p := filePlace{conf.BlobsFrom, conf.FormerBlobsDir(), conf.S3Prefix}
	if conf.Blobs == config.BlobsS3 {
		p.prefix = conf.S3FromPrefix
	}
	return p
}

// writtenPlace returns where new files are written.
func writtenPlace(conf config.Config) filePlace {
	if conf.BlobsWrite == config.BlobsWriteFormer {
		return formerPlace(conf)
	}
	return currentPlace(conf)
}

// name names the place in messages.
func (p filePlace) name(conf config.Config) string {
	if p.kind == config.BlobsS3 {
		return strings.TrimSuffix(conf.S3Endpoint, "/") + "/" + conf.S3Bucket + "/" + p.prefix
	}
	return p.dir
}

// openBlobs returns the blob store of a service or command that writes to it, and the function that makes temporary files.
func openBlobs(ctx context.Context, conf config.Config) (blob.Volume, func() (blob.Scratch, error), error) {
	blobs, err := openVolume(ctx, conf, currentPlace(conf))
	if err != nil {
		return nil, nil, err
	}
	written := blobs
	if conf.BlobsFrom != "" {
		from, err := openVolume(ctx, conf, formerPlace(conf))
		if err != nil {
			return nil, nil, err
		}
		if conf.BlobsWrite == config.BlobsWriteFormer {
			written = from
		}
		blobs = bothVolumes(conf, blobs, from)
	}
	if folder, ok := written.(*file.Store); ok {
		return blobs, folder.Scratch, nil
	}
	scratch, err := file.OpenScratch(filepath.Join(conf.DataDir, scratchDir))
	if err != nil {
		return nil, nil, err
	}
	return blobs, scratch, nil
}

// encryptBlobs puts the encryption in front of the blob store. Blobs that are encrypted are read even if new ones are not encrypted.
func (a *app) encryptBlobs() {
	a.blobKeys = encrypted.NewKeyring(a.store, a.sealer, rand.Reader, a.clock)
	a.blobs = encrypted.New(a.blobs, a.blobKeys, a.conf.BlobEncryption == config.EncryptionOn)
}

// blobsOf returns the blob store in which an organisation writes.
func (a *app) blobsOf(of contract.OrganisationID) blob.Store {
	return a.blobs.(*encrypted.Volume).Of(string(of))
}

// openVolume opens one place of files for writing.
func openVolume(ctx context.Context, conf config.Config, place filePlace) (blob.Volume, error) {
	if place.kind != config.BlobsS3 {
		return file.Open(place.dir)
	}
	bucket, err := newBucket(conf, place.prefix)
	if err != nil {
		return nil, err
	}
	return bucket, bucket.Prepare(ctx)
}

// newBucket returns the store of the objects in the bucket whose names begin with a prefix. The guard of other connections applies to its server too: it is reached on its port alone, and in a
// private network only if the operator named that. Without TLS nothing but such a network is reached.
func newBucket(conf config.Config, prefix string) (*s3.Store, error) {
	u, err := url.Parse(conf.S3Endpoint)
	if err != nil {
		return nil, err
	}
	o := outbound.Options{Private: u.Scheme == "http", Allowed: prefixesOf(conf.OutboundPrivate)}
	if p, ok := portOf(conf.S3Endpoint); ok {
		o.Ports = []uint16{p}
	}
	if conf.S3CA != "" {
		if o.Roots, err = readRootPool(conf.S3CA); err != nil {
			return nil, fmt.Errorf("SEGEL_S3_CA: %w", err)
		}
	}
	return s3.New(s3.Options{
		Endpoint: u, Region: conf.S3Region, Bucket: conf.S3Bucket, Prefix: prefix, AccessKey: conf.S3AccessKey, SecretKey: conf.S3SecretKey,
		Transport: outbound.NewClient(o).Transport, Timeout: conf.S3Timeout,
	})
}

// readRootPool reads the certificates in a PEM file.
func readRootPool(name string) (*x509.CertPool, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s has no certificate in PEM", name)
	}
	return pool, nil
}

// blobPlace names where new blobs are written, in messages.
func blobPlace(conf config.Config) string { return currentPlace(conf).name(conf) }

// fileDir is the folder in which files grow: of blobs, or of temporary files.
func (a *app) fileDir() string { return growingDir(a.conf) }

func growingDir(conf config.Config) string {
	place := writtenPlace(conf)
	if place.kind == config.BlobsS3 {
		return filepath.Join(conf.DataDir, scratchDir)
	}
	return place.dir
}

// leftOverMetrics counts blobs that were left by crashes and moved aside.
func leftOverMetrics(r *prometheus.Registry) func(workflow.Collected) {
	files := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "segel", Name: "left_over_files_total", Help: "Files that nothing referred to and that were moved aside."})
	bytes := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "segel", Name: "left_over_bytes_total", Help: "Bytes of these files, as they were stored."})
	r.MustRegister(files, bytes) // cannot fail: the registry is new, and the names unique
	return func(done workflow.Collected) {
		files.Add(float64(done.Moved))
		bytes.Add(float64(done.Bytes))
	}
}

// collectLeftOver moves blobs aside that crashes left. What was moved is removed for good by segel fsck --purge-aside.
func (a *app) collectLeftOver(ctx context.Context) error {
	aside := a.blobs.NewAside(a.clock())
	done, err := a.workflow.CollectLeftOver(ctx, workflow.Collector{
		OpenLog: a.openLog,
		SetAside: func(ctx context.Context, b blob.Info, sha256 string) error {
			return aside.Move(ctx, b, sha256, a.clock())
		},
	})
	a.leftOver(done)
	if done.Moved > 0 {
		a.log.InfoContext(ctx, "files that nothing refers to were moved aside", "files", done.Moved, "bytes", done.Bytes, "to", aside.Dir())
	}
	return errors.Join(err, aside.Close())
}

// openLog returns the audit log, to look files up in it. It fails if the log is not intact.
func (a *app) openLog(ctx context.Context) (workflow.LoggedFiles, func() error, error) {
	var found error
	checker, err := a.store.NewChecker(ctx, "", func(d store.Discrepancy) {
		if d.Severity == store.SeverityEvidence {
			found = fmt.Errorf("%s: %s", d.About, d.Text)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	err = checker.CheckLog(ctx)
	if err = errors.Join(err, found); err != nil {
		return nil, nil, errors.Join(err, checker.Close())
	}
	return checker, checker.Close, nil
}

// removeAbandonedUploads removes what crashed writers left in a bucket. In a folder nothing is left of them.
func (a *app) removeAbandonedUploads(ctx context.Context) error {
	stored := a.blobs
	if e, ok := stored.(*encrypted.Volume); ok {
		stored = e.Inner()
	}
	parts := []blob.Volume{stored}
	if both, ok := stored.(*moving.Volume); ok {
		parts = both.Parts()
	}
	for _, part := range parts {
		if bucket, ok := part.(*s3.Store); ok {
			if _, err := bucket.RemoveAbandoned(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
