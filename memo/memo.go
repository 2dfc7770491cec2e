// Package memo remembers results that depend on nothing but their inputs, across files and requests: that a signature
// verified with a key, and which certificate paths lead to given trust anchors. The same issuers, responders and CRLs occur in
// every file of an authority, and verifying with a P-384 key takes longer than making a signature.
//
// Results are found by a SHA-256 over all their inputs, so a result is never used for other bytes. Whether a certificate is
// valid at a time, revoked or trusted is not remembered here.
package memo

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// Key identifies the inputs of a result.
type Key [sha256.Size]byte

// NewKey returns the key of a kind of result and its inputs. The lengths of all are hashed too.
func NewKey(kind string, inputs ...[]byte) Key {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	h.Reset()
	h.buffer = append(binary.BigEndian.AppendUint64(h.buffer[:0], uint64(len(kind))), kind...)
	for _, in := range inputs {
		h.buffer = binary.BigEndian.AppendUint64(h.buffer, uint64(len(in)))
	}
	h.Write(h.buffer)
	for _, in := range inputs {
		h.Write(in)
	}
	h.buffer = h.Sum(h.buffer[:0])
	return Key(h.buffer)
}

// hasher is a SHA-256 with a buffer for lengths and sums.
type hasher struct {
	hash.Hash
	buffer []byte
}

// hashers are reused: a key is needed for each verification.
var hashers = sync.Pool{New: func() any { return &hasher{Hash: sha256.New()} }}

// generation is the number of results after which a [Cache] drops those that were not used since about as many others.
const generation = 8192

// Cache holds results by their inputs, at most two generations of 8,192. The zero value is empty. It is safe for concurrent use.
type Cache[V any] struct {
	mu         sync.Mutex
	young, old map[Key]V
}

// Get returns a result.
func (c *Cache[V]) Get(k Key) (v V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, known = c.young[k]; known {
		return v, true
	}
	if v, known = c.old[k]; known {
		c.addYoung(k, v)
	}
	return v, known
}

// Put adds a result. The caller does not change it afterwards.
func (c *Cache[V]) Put(k Key, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addYoung(k, v)
}

func (c *Cache[V]) addYoung(k Key, v V) {
	if len(c.young) >= generation {
		c.old, c.young = c.young, nil
	}
	if c.young == nil {
		c.young = map[Key]V{}
	}
	c.young[k] = v
}

// Clear removes all results, so that a benchmark measures what the first one costs.
func (c *Cache[V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old = nil, nil
}

// Signatures holds which signatures verified. Failures are not remembered: they are rare, and attackers could fill the cache with them.
var Signatures Cache[struct{}]

// VerifyOnce calls verify, unless it succeeded for the same kind and inputs before. The inputs are all that verify depends on:
// the key, the signed bytes, the signature and the algorithm, or certificates that contain them.
func VerifyOnce(verify func() error, kind string, inputs ...[]byte) error {
	k := NewKey(kind, inputs...)
	if _, known := Signatures.Get(k); known {
		return nil
	}
	err := verify()
	if err == nil {
		Signatures.Put(k, struct{}{})
	}
	return err
}
