package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"io"
	"slices"
)

// Encryption describes how a file is encrypted. None of it is secret.
type Encryption struct {
	Version, Revision int // /V and /R of the standard security handler
	Bits              int // length of the key
	// Strings, Streams and Files (embedded ones) are encrypted with "RC4",
	// "AES-128", "AES-256" or "none", unless a stream names another filter.
	Strings, Streams, Files string
	// Permissions are the bits of /P, which viewers are asked to respect
	// (ISO 32000-2 §7.6.4.2, table 22). They are not enforced: a program that can open
	// the file has its key.
	Permissions   int32
	PlainMetadata bool // the metadata stream is not encrypted
}

func (m cryptMethod) String() string {
	return [...]string{noEncryption: "none", rc4Method: "RC4", aes128Method: "AES-128", aes256Method: "AES-256"}[m]
}

// encodePassword returns the byte strings that a password may stand for. Files up to revision 4 encode it in
// PDFDocEncoding, later ones in UTF-8; some producers confuse the two.
func encodePassword(password string) [][]byte {
	all := [][]byte{nil}
	if password == "" {
		return all
	}
	all = append(all, []byte(password))
	var old []byte
	for _, r := range password {
		c, ok := encodeDocChar(r)
		if !ok {
			return all
		}
		old = append(old, c)
	}
	if string(old) != password {
		all = append(all, old)
	}
	return all
}

// encodeDocChar is the inverse of decodeDocChar.
func encodeDocChar(r rune) (byte, bool) {
	if r < 0x18 || r >= 0x20 && r < 0x7F {
		return byte(r), true
	}
	for c := 0x18; c < 0x100; c++ {
		if decodeDocChar(byte(c)) == r && r != '\uFFFD' {
			return byte(c), true
		}
	}
	return 0, false
}

// encryptionDict is the content of the encryption dictionary of the standard security handler.
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
		return nil, &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("unsupported security handler /%s", filter), Err: err}
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

// checkVersion refuses combinations that the key derivation does not support.
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
		return &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("unsupported encryption version %d revision %d of %d bits", h.version, h.revision, bits)}
	}
	if want := map[bool]int{false: 32, true: 48}[h.length == 32]; len(h.o) < want || len(h.u) < want {
		return damaged(-1, "invalid /O or /U of encryption")
	}
	if h.length == 32 && (len(h.oe) < 32 || len(h.ue) < 32) {
		return damaged(-1, "invalid /OE or /UE of encryption")
	}
	return nil
}

// deriveFileKey derives the key of the file, or returns nil if the password is neither the user's nor the owner's.
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

// stretchKey hashes 50 times from revision 3 on, and truncates to the key length.
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
			return nil // cannot happen: 16 bytes are a valid AES key
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
		return nil // cannot happen: 32 bytes are a valid AES key
	}
	out := make([]byte, len(wrapped))
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, wrapped)
	return out
}

// securityHandler decrypts and encrypts with the standard security handler (ISO 32000-2 §7.6) and the key of one file.
type securityHandler struct {
	key           []byte
	strings       cryptMethod // of strings
	streams       cryptMethod // of streams without a crypt filter
	files         cryptMethod // of embedded files without one
	filters       map[Name]cryptMethod
	plainMetadata bool // /EncryptMetadata is false
	dict          Ref  // the encryption dictionary, which is never encrypted
	random        io.Reader
	facts         Encryption
}

// cryptMethod is how one kind of data is encrypted.
type cryptMethod uint8

const (
	noEncryption cryptMethod = iota // not at all
	rc4Method
	aes128Method
	aes256Method
)

// readEncryption reads /Encrypt and derives the key, from an empty password or the given one, as user or owner.
func (d *Document) readEncryption(password string) error {
	if d.trailer["Encrypt"] == nil {
		return nil
	}
	dict, err := d.Dict(d.trailer["Encrypt"])
	if err != nil {
		return fmt.Errorf("read encryption dictionary: %w", err)
	}
	h, err := d.readEncryptionDict(dict)
	if err != nil {
		return err
	}
	s := &securityHandler{plainMetadata: h.plainMetadata, dict: d.trailer.Ref("Encrypt"), random: d.random}
	if err := d.readCryptMethods(s, dict, h.version); err != nil {
		return err
	}
	s.facts = Encryption{
		Version: int(h.version), Revision: int(h.revision), Bits: 8 * h.length,
		Strings: s.strings.String(), Streams: s.streams.String(), Files: s.files.String(),
		Permissions: int32(h.permissions), PlainMetadata: h.plainMetadata,
	}
	for _, p := range encodePassword(password) {
		if s.key = h.deriveFileKey(p); s.key != nil {
			d.DropCache() // objects parsed so far were not decrypted
			d.security = s
			return nil
		}
	}
	return &Error{Kind: PasswordNeeded, Offset: -1}
}

// readCryptMethods reads how strings and streams are encrypted: by /V alone up to version 2, by named crypt filters
// from version 4 on.
func (d *Document) readCryptMethods(s *securityHandler, dict Dict, version int64) error {
	if version < 4 {
		s.strings, s.streams, s.files = rc4Method, rc4Method, rc4Method
		return nil
	}
	named, err := d.Dict(dict["CF"])
	if err != nil {
		return fmt.Errorf("crypt filters: %w", err)
	}
	s.filters = map[Name]cryptMethod{"Identity": noEncryption}
	for name, o := range named {
		filter, err := d.Dict(o)
		if err != nil {
			return fmt.Errorf("crypt filter /%s: %w", name, err)
		}
		m, err := d.Name(filter["CFM"])
		if err != nil {
			return fmt.Errorf("crypt filter /%s: %w", name, err)
		}
		switch m {
		case "V2":
			s.filters[name] = rc4Method
		case "AESV2":
			s.filters[name] = aes128Method
		case "AESV3":
			s.filters[name] = aes256Method
		case "None", "":
			s.filters[name] = noEncryption
		}
	}
	if s.strings, err = d.findCryptMethod(s, dict["StrF"]); err != nil {
		return err
	}
	if s.streams, err = d.findCryptMethod(s, dict["StmF"]); err != nil {
		return err
	}
	s.files = s.streams
	if dict["EFF"] != nil {
		s.files, err = d.findCryptMethod(s, dict["EFF"])
	}
	return err
}

func (d *Document) findCryptMethod(s *securityHandler, o Object) (cryptMethod, error) {
	name, err := d.Name(o)
	if err != nil {
		return 0, err
	}
	if name == "" {
		return noEncryption, nil
	}
	return s.findFilter(name)
}

// findFilter returns how a crypt filter encrypts.
func (s *securityHandler) findFilter(name Name) (cryptMethod, error) {
	m, ok := s.filters[name]
	if !ok {
		return 0, &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("unknown crypt filter /%s", name)}
	}
	return m, nil
}

// decryptStrings decrypts the strings of an object that is not in an object stream. It changes o in place where it can.
// A string that cannot be decrypted stays as it is.
func (s *securityHandler) decryptStrings(ref Ref, o Object) Object {
	if ref == s.dict {
		return o
	}
	switch o := o.(type) {
	case String:
		if b, err := s.decrypt(s.strings, ref, o.Bytes); err == nil {
			o.Bytes = b
		}
		return o
	case Array:
		for i, v := range o {
			o[i] = s.decryptStrings(ref, v)
		}
	case Dict:
		signature := isSignature(o)
		for k, v := range o {
			if !signature || k != "Contents" {
				o[k] = s.decryptStrings(ref, v)
			}
		}
	case *Stream:
		if o.Dict["Type"] != Object(Name("XRef")) {
			s.decryptStrings(ref, o.Dict)
		}
	}
	return o
}

func (s *securityHandler) decryptStream(st *Stream, b []byte) ([]byte, error) {
	m, err := s.findStreamMethod(st.Dict)
	if err != nil {
		return nil, err
	}
	return s.decrypt(m, st.ref, b)
}

func (s *securityHandler) encryptStream(ref Ref, dict Dict, b []byte) ([]byte, error) {
	m, err := s.findStreamMethod(dict)
	if err != nil {
		return nil, err
	}
	return s.encrypt(m, ref, b)
}

// findStreamMethod returns how a stream is encrypted. Cross-reference streams never are; others may name a crypt filter
// first.
func (s *securityHandler) findStreamMethod(dict Dict) (cryptMethod, error) {
	if dict["Type"] == Object(Name("XRef")) {
		return noEncryption, nil
	}
	if dict["Type"] == Object(Name("Metadata")) && s.plainMetadata {
		return noEncryption, nil
	}
	filter, params := dict["Filter"], dict["DecodeParms"]
	if a, ok := filter.(Array); ok && len(a) > 0 {
		filter = a[0]
	}
	if filter != Object(Name("Crypt")) {
		if dict["Type"] == Object(Name("EmbeddedFile")) {
			return s.files, nil
		}
		return s.streams, nil
	}
	if a, ok := params.(Array); ok && len(a) > 0 {
		params = a[0]
	}
	p, _ := params.(Dict)
	name, ok := p["Name"].(Name)
	if !ok {
		name = "Identity"
	}
	return s.findFilter(name)
}

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
	if len(b) == 0 || len(b) == aes.BlockSize { // some writers leave out the padding, or the initialization vector too
		return b[:0], nil
	}
	if len(b)%aes.BlockSize != 0 {
		return nil, damaged(-1, "invalid length of AES data: %d bytes", len(b))
	}
	block, err := aes.NewCipher(s.deriveObjectKey(m, ref))
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(b)-aes.BlockSize)
	cipher.NewCBCDecrypter(block, b[:aes.BlockSize]).CryptBlocks(out, b[aes.BlockSize:])
	pad := int(out[len(out)-1])
	if pad < 1 || pad > aes.BlockSize {
		return nil, damaged(-1, "invalid padding of AES data")
	}
	return out[:len(out)-pad], nil
}

// encrypt encrypts b into new memory.
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
		return nil, fmt.Errorf("read random initialization vector: %w", err)
	}
	out = append(append(out, b...), bytes.Repeat([]byte{byte(pad)}, pad)...)
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], out[aes.BlockSize:])
	return out, nil
}

// applyRC4 encrypts or decrypts b with a key that is never empty.
func applyRC4(key, b []byte) []byte {
	out := make([]byte, len(b))
	c, err := rc4.NewCipher(key)
	if err != nil {
		return out // keys have 5 to 16 bytes, which RC4 takes
	}
	c.XORKeyStream(out, b)
	return out
}
