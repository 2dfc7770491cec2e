package pdf

import "bytes"

// header is what the first kilobyte tells.
type header struct {
	offset     int64  // of %PDF-
	version    string // such as "1.7"
	linearized int64  // /L of the linearization dictionary, or 0
}

func (d *Document) readHeader() error {
	b, _, err := d.readWindow(0, 2*headerWindow)
	if err != nil {
		return err
	}
	i := bytes.Index(b[:min(len(b), headerWindow)], []byte("%PDF-"))
	if i < 0 {
		return &Error{Kind: NotPDF, Offset: -1, Msg: "no %PDF- header"}
	}
	d.header.offset = int64(i)
	v := b[i+5:]
	n := 0
	for n < len(v) && n < 8 && (v[n] == '.' || v[n] >= '0' && v[n] <= '9') {
		n++
	}
	d.header.version = string(v[:n])
	d.header.linearized = d.readLinearizedLength(b[i:], int64(i))
	return nil
}

// readLinearizedLength returns the file length that a linearization dictionary
// states. It is the first object of such a file, and within its first kilobyte
// (ISO 32000-1 §F.3.3).
func (d *Document) readLinearizedLength(b []byte, at int64) int64 {
	p := newParser(newBytesLexer(b, at), d.limits)
	if _, err := parseObjectHeader(p, at); err != nil {
		return 0
	}
	o, err := p.parseObject()
	if err != nil {
		return 0
	}
	dict, _ := o.(Dict)
	length, _ := dict["L"].(Integer)
	if dict["Linearized"] == nil || length < 0 {
		return 0
	}
	return int64(length)
}
