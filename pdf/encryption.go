package pdf

// Encryption is how a file is encrypted. Nothing of it is secret.
type Encryption struct {
	Version, Revision int // /V and /R of the standard security handler
	Bits              int // length of the key
	// Strings, Streams and Files (embedded ones) are encrypted with "RC4",
	// "AES-128", "AES-256" or "none", unless a stream names another filter.
	Strings, Streams, Files string
	// Permissions are the bits of /P, which viewers are asked to respect
	// (ISO 32000-2 §7.6.4.2, table 22). They are no lock: whoever can open
	// the file has its key.
	Permissions   int32
	PlainMetadata bool // the metadata stream is not encrypted
}

func (m cryptMethod) String() string {
	switch m {
	case rc4Method:
		return "RC4"
	case aes128Method:
		return "AES-128"
	case aes256Method:
		return "AES-256"
	}
	return "none"
}

func (h *encryptionDict) describe(s *securityHandler) Encryption {
	return Encryption{
		Version: int(h.version), Revision: int(h.revision), Bits: 8 * h.length,
		Strings: s.strings.String(), Streams: s.streams.String(), Files: s.files.String(),
		Permissions: int32(h.permissions), PlainMetadata: h.plainMetadata,
	}
}

// encodePassword are the byte strings that a password may stand for. Files up to
// revision 4 were locked with what PDFDocEncoding makes of it, later ones with
// UTF-8; some producers did either in place of the other.
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

// encodeDocChar is the inverse of docEncoding.
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
