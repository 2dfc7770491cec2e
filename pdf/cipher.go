package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"io"
)

// deriveObjectKey derives the key of one object (ISO 32000-2 §7.6.3, algorithm 1).
// AES-256 uses the key of the file for all.
func (s *securityHandler) deriveObjectKey(m cryptMethod, ref Ref) []byte {
	if m == aes256Method {
		return s.key
	}
	h := md5.New()
	h.Write(s.key)
	n, g := ref.Number, ref.Generation
	h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(g), byte(g >> 8)})
	if m == aes128Method {
		h.Write([]byte("sAlT"))
	}
	return h.Sum(nil)[:min(len(s.key)+5, 16)]
}

// decrypt decrypts b; the result may share its memory.
func (s *securityHandler) decrypt(m cryptMethod, ref Ref, b []byte) ([]byte, error) {
	switch m {
	case noEncryption:
		return b, nil
	case rc4Method:
		return applyRC4(s.deriveObjectKey(m, ref), b), nil
	}
	if len(b) == 0 {
		return b, nil
	}
	if len(b) < 2*aes.BlockSize || len(b)%aes.BlockSize != 0 {
		return nil, damaged(-1, "%d bytes of AES data", len(b))
	}
	block, err := aes.NewCipher(s.deriveObjectKey(m, ref))
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(b)-aes.BlockSize)
	cipher.NewCBCDecrypter(block, b[:aes.BlockSize]).CryptBlocks(out, b[aes.BlockSize:])
	pad := int(out[len(out)-1])
	if pad < 1 || pad > aes.BlockSize {
		return nil, damaged(-1, "padding of AES data")
	}
	return out[:len(out)-pad], nil
}

// encrypt encrypts b into memory of its own.
func (s *securityHandler) encrypt(m cryptMethod, ref Ref, b []byte) ([]byte, error) {
	switch m {
	case noEncryption:
		return b, nil
	case rc4Method:
		return applyRC4(s.deriveObjectKey(m, ref), b), nil
	}
	block, err := aes.NewCipher(s.deriveObjectKey(m, ref))
	if err != nil {
		return nil, err
	}
	pad := aes.BlockSize - len(b)%aes.BlockSize
	out := make([]byte, aes.BlockSize, aes.BlockSize+len(b)+pad)
	if _, err := io.ReadFull(s.random, out); err != nil {
		return nil, fmt.Errorf("draw initialization vector: %w", err)
	}
	out = append(append(out, b...), bytes.Repeat([]byte{byte(pad)}, pad)...)
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], out[aes.BlockSize:])
	return out, nil
}

// applyRC4 returns b under a key that is never empty.
func applyRC4(key, b []byte) []byte {
	out := make([]byte, len(b))
	c, err := rc4.NewCipher(key)
	if err != nil {
		return out // keys have 5 to 16 bytes, which RC4 takes
	}
	c.XORKeyStream(out, b)
	return out
}
