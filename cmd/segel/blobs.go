package main

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"segel/internal/blob"
	"segel/internal/blob/file"
	"segel/internal/blob/s3"
	"segel/internal/config"
	"segel/internal/outbound"
)

// scratchDir is the folder of temporary files in the data folder, if the blobs are not there.
const scratchDir = "scratch"

// findBlobs returns the blob store without touching it: nothing is created, checked or removed.
func findBlobs(conf config.Config) (blob.Volume, error) {
	if conf.Blobs == config.BlobsS3 {
		return newBucket(conf)
	}
	return file.Find(partNames(conf).BlobDir), nil
}

// openBlobs returns the blob store of a service or command that writes to it, and the function that makes temporary files.
func openBlobs(ctx context.Context, conf config.Config) (blob.Volume, func() (blob.Scratch, error), error) {
	if conf.Blobs != config.BlobsS3 {
		s, err := file.Open(partNames(conf).BlobDir)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Scratch, nil
	}
	s, err := newBucket(conf)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Prepare(ctx); err != nil {
		return nil, nil, err
	}
	scratch, err := file.OpenScratch(filepath.Join(conf.DataDir, scratchDir))
	return s, scratch, err
}

// newBucket returns the store in a bucket. The guard of other connections applies to its server too: it is reached on its port alone, and in a
// private network only if the operator named that. Without TLS nothing but such a network is reached.
func newBucket(conf config.Config) (*s3.Store, error) {
	u, err := url.Parse(conf.S3Endpoint)
	if err != nil {
		return nil, err
	}
	o := outbound.Options{Private: u.Scheme == "http"}
	if p, ok := portOf(conf.S3Endpoint); ok {
		o.Ports = []uint16{p}
	}
	for _, n := range conf.OutboundPrivate {
		o.Allowed = append(o.Allowed, n.Prefix)
	}
	return s3.New(s3.Options{
		Endpoint: u, Region: conf.S3Region, Bucket: conf.S3Bucket, Prefix: conf.S3Prefix, AccessKey: conf.S3AccessKey, SecretKey: conf.S3SecretKey,
		Transport: outbound.NewClient(o).Transport, Timeout: conf.S3Timeout,
	})
}

// blobPlace names where the blobs are, in messages.
func blobPlace(conf config.Config) string {
	if conf.Blobs == config.BlobsS3 {
		return strings.TrimSuffix(conf.S3Endpoint, "/") + "/" + conf.S3Bucket + "/" + conf.S3Prefix
	}
	return filepath.Join(conf.DataDir, blobDir)
}

// fileDir is the folder in which files grow: of blobs, or of temporary files.
func (a *app) fileDir() string {
	if a.conf.Blobs == config.BlobsS3 {
		return filepath.Join(a.conf.DataDir, scratchDir)
	}
	return filepath.Join(a.conf.DataDir, blobDir)
}

// removeAbandonedUploads removes what crashed writers left in a bucket. In a folder nothing is left of them.
func (a *app) removeAbandonedUploads(ctx context.Context) error {
	bucket, ok := a.blobs.(*s3.Store)
	if !ok {
		return nil
	}
	_, err := bucket.RemoveAbandoned(ctx)
	return err
}
