package pdf

// security undoes and applies encryption of one file.
type security struct{}

func (s *security) decryptStrings(ref Ref, o Object) Object            { return o }
func (s *security) decryptStream(st *Stream, b []byte) ([]byte, error) { return b, nil }

func (d *Document) unlock(password string) error {
	if d.trailer["Encrypt"] == nil {
		return nil
	}
	return &Error{Kind: Encrypted, Offset: -1}
}

func (d *Document) repair(password string) error {
	return &Error{Kind: Damaged, Offset: -1, Msg: "repair is not supported"}
}

// sealFor returns what encrypts the strings and data of an object, or nil.
func (d *Document) sealFor(ref Ref) func([]byte) ([]byte, error) { return nil }
