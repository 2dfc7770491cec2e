package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"slices"
)

// encryptionDict is what the standard security handler states about a file.
type encryptionDict struct {
	version, revision int64
	length            int // bytes of the key
	o, u, oe, ue      []byte
	permissions       int64
	id                []byte // first element of /ID
	plainMetadata     bool
}

// readEncryptionDict reads and checks an encryption dictionary.
func (d *Document) readEncryptionDict(dict Dict) (*encryptionDict, error) {
	filter, err := d.Name(dict["Filter"])
	if err != nil || filter != "Standard" {
		return nil, &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("security handler /%s", filter), Err: err}
	}
	h := &encryptionDict{}
	var bits int64
	for _, n := range []struct {
		key      Name
		to       *int64
		fallback int64
	}{{"V", &h.version, 0}, {"R", &h.revision, 0}, {"P", &h.permissions, 0}, {"Length", &bits, 40}} {
		if *n.to, err = d.integerOrDefault(dict[n.key], n.fallback); err != nil {
			return nil, fmt.Errorf("/%s of encryption: %w", n.key, err)
		}
	}
	for _, s := range []struct {
		key Name
		to  *[]byte
	}{{"O", &h.o}, {"U", &h.u}, {"OE", &h.oe}, {"UE", &h.ue}} {
		v, err := d.String(dict[s.key])
		if err != nil {
			return nil, fmt.Errorf("/%s of encryption: %w", s.key, err)
		}
		*s.to = v.Bytes
	}
	if h.id, _, err = d.readFirstID(); err != nil {
		return nil, err
	}
	if v, ok := dict["EncryptMetadata"].(Boolean); ok {
		h.plainMetadata = !bool(v)
	}
	return h, h.checkVersion(bits)
}

// checkVersion refuses combinations that the derivation below does not know.
func (h *encryptionDict) checkVersion(bits int64) error {
	switch {
	case h.version == 1 && h.revision >= 2 && h.revision <= 3:
		h.length = 5
	case (h.version == 2 || h.version == 3) && h.revision >= 2 && h.revision <= 3 && bits >= 40 && bits <= 128 && bits%8 == 0:
		h.length = int(bits / 8)
	case h.version == 4 && h.revision == 4:
		h.length = 16
	case h.version == 5 && (h.revision == 5 || h.revision == 6):
		h.length = 32
	default:
		return &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("encryption version %d revision %d of %d bits", h.version, h.revision, bits)}
	}
	if want := map[bool]int{false: 32, true: 48}[h.length == 32]; len(h.o) < want || len(h.u) < want {
		return damaged(-1, "/O or /U of encryption")
	}
	if h.length == 32 && (len(h.oe) < 32 || len(h.ue) < 32) {
		return damaged(-1, "/OE or /UE of encryption")
	}
	return nil
}

// deriveFileKey derives the key of the file, or returns nil if the password is
// neither the user's nor the owner's.
func (h *encryptionDict) deriveFileKey(password []byte) []byte {
	if h.length == 32 {
		return h.deriveFileKey256(password)
	}
	if key := h.deriveUserKey(password); key != nil {
		return key
	}
	return h.deriveUserKey(h.decryptUserPassword(password))
}

// passwordPadding fills passwords up to 32 bytes.
var passwordPadding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

func padPassword(password []byte) []byte {
	return append(bytes.Clone(password), passwordPadding...)[:32]
}

// deriveUserKey is algorithm 2, and then 4 or 5 to check it, of ISO 32000-1 §7.6.3.
func (h *encryptionDict) deriveUserKey(password []byte) []byte {
	p := uint32(h.permissions)
	m := md5.New()
	m.Write(padPassword(password))
	m.Write(h.o[:32])
	m.Write([]byte{byte(p), byte(p >> 8), byte(p >> 16), byte(p >> 24)})
	m.Write(h.id)
	if h.revision >= 4 && h.plainMetadata {
		m.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	key := h.stretchKey(m.Sum(nil))
	if h.revision == 2 {
		if subtle.ConstantTimeCompare(applyRC4(key, passwordPadding), h.u[:32]) == 1 {
			return key
		}
		return nil
	}
	check := md5.Sum(append(bytes.Clone(passwordPadding), h.id...))
	out := check[:]
	for i := range 20 {
		out = applyRC4(xorKey(key, byte(i)), out)
	}
	if subtle.ConstantTimeCompare(out, h.u[:16]) == 1 {
		return key
	}
	return nil
}

// decryptUserPassword decrypts /O with the owner's password: algorithm 7.
func (h *encryptionDict) decryptUserPassword(owner []byte) []byte {
	sum := md5.Sum(padPassword(owner))
	key := h.stretchKey(sum[:])
	if h.revision == 2 {
		return applyRC4(key, h.o[:32])
	}
	out := h.o[:32]
	for i := 19; i >= 0; i-- {
		out = applyRC4(xorKey(key, byte(i)), out)
	}
	return out
}

// stretchKey hashes 50 times from revision 3 on and cuts to the length of a key.
func (h *encryptionDict) stretchKey(sum []byte) []byte {
	if h.revision >= 3 {
		for range 50 {
			next := md5.Sum(sum[:h.length])
			sum = next[:]
		}
	}
	return sum[:h.length]
}

func xorKey(key []byte, with byte) []byte {
	out := make([]byte, len(key))
	for i, c := range key {
		out[i] = c ^ with
	}
	return out
}

// deriveFileKey256 is algorithm 2.A of ISO 32000-2 §7.6.4.3.
func (h *encryptionDict) deriveFileKey256(password []byte) []byte {
	password = password[:min(len(password), 127)]
	u, o := h.u[:48], h.o[:48]
	switch {
	case subtle.ConstantTimeCompare(h.hashPassword(password, o[32:40], u), o[:32]) == 1:
		return unwrapKey(h.hashPassword(password, o[40:48], u), h.oe[:32])
	case subtle.ConstantTimeCompare(h.hashPassword(password, u[32:40], nil), u[:32]) == 1:
		return unwrapKey(h.hashPassword(password, u[40:48], nil), h.ue[:32])
	}
	return nil
}

// hashPassword is algorithm 2.B for revision 6, and plain SHA-256 for revision 5.
func (h *encryptionDict) hashPassword(password, salt, user []byte) []byte {
	first := sha256.Sum256(slices.Concat(password, salt, user))
	k := first[:]
	if h.revision == 5 {
		return k
	}
	var e []byte
	for i := 0; i < 64 || int(e[len(e)-1]) > i-32; i++ {
		e = bytes.Repeat(slices.Concat(password, k, user), 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil // 16 bytes are a key of AES
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		sum := 0
		for _, c := range e[:16] {
			sum += int(c)
		}
		switch sum % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		default:
			s := sha512.Sum512(e)
			k = s[:]
		}
	}
	return k[:32]
}

// unwrapKey decrypts the key of the file, which is stored without padding.
func unwrapKey(key, wrapped []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil // 32 bytes are a key of AES
	}
	out := make([]byte, len(wrapped))
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, wrapped)
	return out
}
