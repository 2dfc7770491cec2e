package cms

import (
	"bytes"
	"crypto"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
)

// verifyLargeRSA checks a signature by a key that crypto/rsa refuses, such as one with an exponent of more than 31 bits.
// Errors: ErrAlgorithm, ErrSignature.
func (s Scheme) verifyLargeRSA(k *LargeRSAKey, digest, signature []byte) error {
	if err := CheckKey(k); err != nil {
		return err
	}
	if !s.Hash.Available() || len(digest) != s.Hash.Size() {
		return fmt.Errorf("%w: hash %v", ErrAlgorithm, s.Hash)
	}
	// Signatures by such keys prove nothing: crypto/rsa refuses them for that reason.
	if k.N.Bit(0) == 0 || k.E.Bit(0) == 0 || k.E.BitLen() < 2 {
		return fmt.Errorf("%w: RSA key with an even number or the exponent 1", ErrAlgorithm)
	}
	size := (k.N.BitLen() + 7) / 8
	v := new(big.Int).SetBytes(signature)
	if len(signature) != size || v.Cmp(k.N) >= 0 {
		return ErrSignature
	}
	block := v.Exp(v, k.E, k.N).FillBytes(make([]byte, size))
	holds := s.verifyPSSBlock
	if !s.PSS {
		holds = s.verifyPKCS1Block
	}
	if !holds(block, k.N.BitLen()-1, digest) {
		return ErrSignature
	}
	return nil
}

// verifyPKCS1Block compares a block with what EMSA-PKCS1-v1_5 makes of a digest (RFC 8017 §9.2).
func (s Scheme) verifyPKCS1Block(block []byte, _ int, digest []byte) bool {
	for _, h := range hashes {
		if h.hash != s.Hash {
			continue
		}
		info, err := asn1.Marshal(struct {
			Algorithm pkix.AlgorithmIdentifier
			Digest    []byte
		}{pkix.AlgorithmIdentifier{Algorithm: h.oid, Parameters: asn1Null}, digest})
		padding := len(block) - 3 - len(info)
		if err != nil || padding < 8 {
			return false
		}
		want := append([]byte{0, 1}, bytes.Repeat([]byte{0xff}, padding)...)
		return bytes.Equal(block, append(append(want, 0), info...))
	}
	return false
}

// verifyPSSBlock does EMSA-PSS-VERIFY with a salt of any length (RFC 8017 §9.1.2). Bits are those of the encoded message.
func (s Scheme) verifyPSSBlock(block []byte, bits int, digest []byte) bool {
	size := (bits + 7) / 8
	if size < len(block) { // the modulus has one bit more than whole bytes
		if block[0] != 0 {
			return false
		}
		block = block[len(block)-size:]
	}
	h := s.Hash.New()
	length := h.Size()
	if size < length+2 || block[size-1] != 0xbc {
		return false
	}
	db, sum := bytes.Clone(block[:size-length-1]), block[size-length-1:size-1]
	unused := byte(0xff) << (8 - (8*size - bits))
	if db[0]&unused != 0 {
		return false
	}
	maskMGF1(db, s.Hash, sum)
	db[0] &^= unused
	i := bytes.IndexByte(db, 1)
	if i < 0 || len(bytes.Trim(db[:i], "\x00")) > 0 {
		return false
	}
	h.Write(make([]byte, 8))
	h.Write(digest)
	h.Write(db[i+1:])
	return bytes.Equal(h.Sum(nil), sum)
}

// maskMGF1 applies the mask that MGF1 makes of a seed (RFC 8017 §B.2.1).
func maskMGF1(b []byte, hash crypto.Hash, seed []byte) {
	for counter := uint32(0); len(b) > 0; counter++ {
		h := hash.New()
		h.Write(seed)
		h.Write([]byte{byte(counter >> 24), byte(counter >> 16), byte(counter >> 8), byte(counter)})
		for _, m := range h.Sum(nil) {
			if len(b) == 0 {
				return
			}
			b[0] ^= m
			b = b[1:]
		}
	}
}
