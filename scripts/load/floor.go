package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"segel/scripts/running"
)

// What no program can leave out for one document with the embedded authority: the hash of the file, a signature of the signer
// and of the seal, their certificates, their timestamps and the document timestamp, and a file of the tails that is durable.
// Documents that are in progress at the same time can share one sync.
const (
	floorSignatures = 7
	floorTail       = 64 << 10
)

// measureFloor measures what a document cannot cost less than on this machine.
func measureFloor(o options, dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	content, tail := make([]byte, o.size), make([]byte, floorTail)
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		return err
	}
	defer f.Close()
	began, usedBefore := time.Now(), running.OwnCPUTime()
	for first := 0; first < o.documents; first += o.clients {
		group := min(o.clients, o.documents-first)
		failed := make([]error, group)
		var working sync.WaitGroup
		for i := range group {
			working.Go(func() {
				digest := sha256.Sum256(content)
				for range floorSignatures {
					if _, err := ecdsa.SignASN1(rand.Reader, key, digest[:]); err != nil {
						failed[i] = err
						return
					}
				}
				_, failed[i] = f.WriteAt(tail, int64(first+i)*floorTail)
			})
		}
		working.Wait()
		for _, err := range failed {
			if err != nil {
				return err
			}
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	took, cpu := time.Since(began), running.OwnCPUTime()-usedBefore
	n := float64(o.documents)
	fmt.Printf("| floor: SHA-256, %d P-256 signatures, one sync for %d documents | %.2f ms of processor time | %.0f documents a second |\n",
		floorSignatures, o.clients, cpu.Seconds()*1000/n, n/took.Seconds())
	return nil
}
