package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"segel/scripts/running"
)

// measureDocuments measures signing and uploading.
func measureDocuments(binary, dir string) error {
	r, err := running.Start(binary, filepath.Join(dir, "data"), "SEGEL_MAX_FILE=200MiB", "SEGEL_LOG_LEVEL=warn")
	if err != nil {
		return err
	}
	defer r.Stop()
	s := &service{Service: r}
	// Memory first: the heap that forty logins leave behind would hide the memory of an upload, or be taken for it.
	for range 2 {
		if err := s.addPerson(""); err != nil {
			return err
		}
	}
	if err := measureMemory(s); err != nil {
		return err
	}
	for range signers - 1 {
		if err := s.addPerson(""); err != nil {
			return err
		}
	}
	for _, measure := range []func(*service, string) error{measureSigning, measureUploads} {
		if err := measure(s, dir); err != nil {
			return err
		}
	}
	return nil
}

// measureSigning compares signing a stored document of 100 MB with one of 100 KB, alternately.
func measureSigning(s *service, dir string) error {
	ids := map[int64]int64{}
	for _, size := range []int64{small, large} {
		id, err := s.uploadSized(s.people[0], size, signers, nil)
		if err != nil {
			return err
		}
		if err := s.people[0].PostVerb("finalize-docs", id); err != nil {
			return err
		}
		ids[size] = id
	}
	times := map[int64][]time.Duration{}
	for i := 1; i <= signers; i++ {
		for _, size := range []int64{small, large} {
			began := time.Now()
			if err := s.people[i].PostVerb("sign-docs", ids[size]); err != nil {
				return err
			}
			if i > 1 {
				times[size] = append(times[size], time.Since(began))
			}
		}
	}
	a, b := median(times[large]), median(times[small])
	fmt.Printf("| sign a stored 100 MB document / 100 KB | %.2f | %.1f ms / %.1f ms, median of %d in turn |\n", float64(a)/float64(b), toMillis(a), toMillis(b), len(times[small]))
	return nil
}

// measureMemory measures the peak of the server's resident memory while 100 MB are uploaded, signed and downloaded. A
// small document goes first, so that loading the program's code is not counted.
func measureMemory(s *service) error {
	if _, _, _, err := s.completeDocument(small); err != nil {
		return err
	}
	before, err := s.resetPeak()
	if err != nil {
		return err
	}
	uploaded, n, took, err := s.completeDocument(large)
	if err != nil {
		return err
	}
	after, err := s.PeakMemory()
	if err != nil {
		return err
	}
	fmt.Printf("| growth of peak memory, 100 MB uploaded as base64 JSON | %.1f MiB | from %.1f MiB |\n", toMiB(uploaded-before), toMiB(before))
	fmt.Printf("| growth of peak memory, 100 MB uploaded, signed, sealed, downloaded | %.1f MiB | from %.1f MiB |\n", toMiB(after-before), toMiB(before))
	fmt.Printf("| download, every byte hashed again | %.0f MB/s | %d bytes |\n", float64(n)/1e6/took.Seconds(), n)
	return nil
}

// completeDocument takes a document of that size from upload to download. It returns the peak of memory after the upload, and
// the size and speed of the download.
func (s *service) completeDocument(size int64) (uploaded, n int64, took time.Duration, err error) {
	id, err := s.uploadSized(s.people[0], size, 1, nil)
	if err != nil {
		return 0, 0, 0, err
	}
	if uploaded, err = s.PeakMemory(); err != nil {
		return 0, 0, 0, err
	}
	owner := s.people[0]
	if err := errors.Join(owner.PostVerb("finalize-docs", id), s.people[1].PostVerb("sign-docs", id)); err != nil {
		return 0, 0, 0, err
	}
	if _, err := owner.WaitCompleted(id); err != nil {
		return 0, 0, 0, err
	}
	began := time.Now()
	a, err := owner.Send(context.Background(), running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "download/", id)})
	if err != nil {
		return 0, 0, 0, err
	}
	defer a.Body.Close()
	n, err = io.Copy(io.Discard, a.Body)
	return uploaded, n, time.Since(began), err
}

// measureUploads compares the server's processor time for an upload with that of a minimal program that decodes the same
// base64, hashes it and writes it durably.
func measureUploads(s *service, dir string) error {
	var server, bare []time.Duration
	for range 5 {
		var body bytes.Buffer
		began, err := s.CPUTime()
		if err != nil {
			return err
		}
		if _, err := s.uploadSized(s.people[0], large, 0, &body); err != nil {
			return err
		}
		ended, err := s.CPUTime()
		if err != nil {
			return err
		}
		server = append(server, ended-began)
		took, err := bareUpload(body.Bytes(), filepath.Join(dir, "bare"))
		if err != nil {
			return err
		}
		bare = append(bare, took)
	}
	a, b := median(server), median(bare)
	fmt.Printf("| processor time of an upload of 100 MB / bare decode, hash and write | %.2f | %.0f ms / %.0f ms, median of 5 |\n", float64(a)/float64(b), toMillis(a), toMillis(b))
	return nil
}

// bareUpload decodes base64 in bulk, hashes and writes it, and returns the processor time used.
func bareUpload(text []byte, name string) (time.Duration, error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer os.Remove(name)
	began := running.OwnCPUTime()
	h := sha256.New()
	if _, err := io.CopyBuffer(io.MultiWriter(f, h), base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)), make([]byte, 64<<10)); err != nil {
		return 0, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	return running.OwnCPUTime() - began, nil
}
