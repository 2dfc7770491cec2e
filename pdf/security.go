package pdf

import (
	"fmt"
	"io"
)

// securityHandler undoes and applies the standard security handler (ISO 32000-2
// §7.6) with the key of one file.
type securityHandler struct {
	key           []byte
	strings       cryptMethod // of strings
	streams       cryptMethod // of streams that name no crypt filter
	files         cryptMethod // of embedded files that name none
	filters       map[Name]cryptMethod
	plainMetadata bool // /EncryptMetadata is false
	dict          Ref  // the encryption dictionary, which is never encrypted itself
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

// readEncryption reads /Encrypt and derives the key, from an empty password or the one
// given, as user or owner.
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
	s.facts = h.describe(s)
	for _, p := range encodePassword(password) {
		if s.key = h.deriveFileKey(p); s.key != nil {
			// What was parsed so far was not decrypted.
			d.objects = newCache[uint32, Object](d.objects.budget)
			d.objectStreams = newCache[uint32, *objectStream](d.objectStreams.budget)
			d.security = s
			return nil
		}
	}
	return &Error{Kind: PasswordNeeded, Offset: -1}
}

// readCryptMethods finds how strings and streams are encrypted: by /V alone up to
// version 2, by named crypt filters from version 4 on.
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
	m, ok := s.filters[name]
	if !ok {
		return 0, &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("crypt filter /%s", name)}
	}
	return m, nil
}

// decryptStrings decrypts the strings of an object that is in the file for
// itself. It changes o in place where it can. A string that cannot have been
// encrypted is left as it is.
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

func (s *securityHandler) encryptString(ref Ref, b []byte) ([]byte, error) {
	return s.encrypt(s.strings, ref, b)
}

func (s *securityHandler) encryptStream(ref Ref, dict Dict, b []byte) ([]byte, error) {
	m, err := s.findStreamMethod(dict)
	if err != nil {
		return nil, err
	}
	return s.encrypt(m, ref, b)
}

// findStreamMethod tells how a stream is encrypted. Cross-reference streams never
// are; others may name a filter of their own first.
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
	m, ok := s.filters[name]
	if !ok {
		return 0, &Error{Kind: Encrypted, Offset: -1, Msg: fmt.Sprintf("crypt filter /%s", name)}
	}
	return m, nil
}
