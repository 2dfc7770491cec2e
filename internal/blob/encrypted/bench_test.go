package encrypted_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/encrypted"
	"segel/internal/blob/s3"
	"segel/internal/blob/s3/s3test"
)

// BenchmarkEncrypted writes and reads blobs with encryption and without, in turn, in a folder and in a bucket of a server on this machine. It prints the ratio of the medians.
func BenchmarkEncrypted(b *testing.B) {
	for _, store := range []string{"folder", "bucket"} {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"100KB", 100_000}, {"10MB", 10_000_000}} {
			b.Run(store+"/"+size.name, func(b *testing.B) {
				var inner blob.Volume
				if store == "bucket" {
					server, transport := s3test.StartServer(b), &http.Transport{}
					b.Cleanup(transport.CloseIdleConnections)
					bucket, err := s3.New(s3.Options{
						Endpoint: server.URL, Region: s3test.Region, Bucket: s3test.Bucket, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey,
						Transport: transport, Timeout: time.Minute,
					})
					if err != nil {
						b.Fatal(err)
					}
					inner = bucket
				} else {
					inner = openFolder(b, filepath.Join(b.TempDir(), "blobs"))
				}
				keys := newKeyring(b, &keyRows{})
				volumes := map[bool]*encrypted.Volume{false: encrypted.New(inner, keys, false), true: encrypted.New(inner, keys, true)}
				content := make([]byte, size.bytes)
				_, _ = rand.Read(content)
				copy(content, "%PDF-2.0\n")
				for _, do := range []string{"write", "read"} {
					b.Run(do, func(b *testing.B) { compareEncrypted(b, volumes, content, do == "read") })
				}
			})
		}
	}
}

// compareEncrypted measures one operation on a new blob of each volume in turn, those that are on encrypt.
func compareEncrypted(b *testing.B, volumes map[bool]*encrypted.Volume, content []byte, reads bool) {
	took := map[bool][]time.Duration{}
	for b.Loop() {
		for on, v := range volumes {
			key, err := blob.NewKey(rand.Reader)
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			if err := writeBlob(b, v.Of("org"), key, content); err != nil {
				b.Fatal(err)
			}
			if reads {
				began = time.Now()
				if err := readChunks(b, v, key, int64(len(content))); err != nil {
					b.Fatal(err)
				}
			}
			took[on] = append(took[on], time.Since(began))
			if err := v.Remove(b.Context(), key); err != nil {
				b.Fatal(err)
			}
		}
	}
	median := func(on bool) float64 {
		slices.Sort(took[on])
		return float64(took[on][len(took[on])/2]) / 1e6
	}
	b.ReportMetric(median(true), "ms/encrypted")
	b.ReportMetric(median(false), "ms/plain")
	b.ReportMetric(median(true)/median(false), "x-plain")
	b.ReportMetric(0, "ns/op")
}

// readChunks reads a blob in the pieces in which the service reads it.
func readChunks(b *testing.B, s blob.Store, key blob.Key, size int64) error {
	in, err := s.Open(b.Context(), key)
	if err != nil {
		return err
	}
	defer in.Close()
	chunk := make([]byte, blob.ChunkSize)
	for off := int64(0); off < size; off += blob.ChunkSize {
		if _, err := in.ReadAt(chunk[:min(blob.ChunkSize, size-off)], off); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

func writeBlob(b *testing.B, s blob.Store, key blob.Key, content []byte) error {
	w, err := s.Create(b.Context(), key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, bytes.NewReader(content)); err != nil {
		return err
	}
	return w.Commit()
}
