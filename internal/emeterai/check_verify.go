package emeterai

import (
	"crypto"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"

	"segel/cms"
)

// verifySignature checks the mathematics of the new signature, and that it covers the source and its own increment.
func (j *stampCheck) verifySignature() error {
	s := j.signature
	r := s.ByteRange
	end := j.increments[0].Revision.End
	if len(r) != 4 || r[0] != 0 || r[1] != s.ContentsAt || r[2] != s.ContentsEnd || r[3] < 0 || r[1] < j.want.Source.Size {
		return fmt.Errorf("byte range %v does not go round the signature", r)
	}
	if to := r[2] + r[3]; to != end && to != j.increments[0].Revision.EOF {
		return fmt.Errorf("byte range ends at %d, the increment at %d", to, end)
	}
	sd, err := cms.Parse(s.Contents)
	if err != nil {
		return err
	}
	if len(sd.Signers) != 1 || sd.Content != nil {
		return errors.New("a detached signature of one signer was expected")
	}
	digest, err := j.computeDigest(sd.Signers[0].Digest)
	if err != nil {
		return err
	}
	if err := sd.Verify(sd.Signers[0], digest); err != nil {
		return fmt.Errorf("signature does not verify: %w", err)
	}
	return nil
}

// computeDigest hashes what the signature covers. With the state of the hash of the source, SHA-256 reads the tail only.
func (j *stampCheck) computeDigest(algorithm crypto.Hash) ([]byte, error) {
	if !algorithm.Available() {
		return nil, fmt.Errorf("hash %v is not available", algorithm)
	}
	h, from := algorithm.New(), int64(0)
	if state := j.want.Source.State; algorithm == crypto.SHA256 && len(state) > 0 {
		resumed, err := resumeSHA256(state)
		if err != nil {
			return nil, err
		}
		h, from = resumed, j.want.Source.Size
	}
	r := j.signature.ByteRange
	for _, part := range [][2]int64{{from, r[1]}, {r[2], r[2] + r[3]}} {
		if source := j.want.Source.Size; part[0] >= source {
			h.Write(j.tail[part[0]-source : part[1]-source]) // which verifies has found to lie in it
			continue
		}
		if _, err := io.Copy(h, io.NewSectionReader(j.file, part[0], part[1]-part[0])); err != nil {
			return nil, fmt.Errorf("read what is signed: %w", err)
		}
	}
	return h.Sum(nil), nil
}

// resumeSHA256 returns the SHA-256 of the source, as its midstate says.
func resumeSHA256(state []byte) (hash.Hash, error) {
	h := sha256.New()
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return nil, fmt.Errorf("midstate of the source: %w", err)
	}
	return h, nil
}
