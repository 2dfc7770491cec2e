package pdf

import "fmt"

// Signature is a signature field that has a value: a signature or a document
// timestamp. What it states is reported, not judged.
type Signature struct {
	Field             *Field
	Ref               Ref // of the signature dictionary; zero if it is direct
	Dict              Dict
	Type              Name // Sig or DocTimeStamp; Sig if the file does not say
	Filter, SubFilter Name
	ByteRange         []int64 // as stated, nil if missing or no integers
	Contents          []byte  // as stated, zero padding included
	// ContentsAt and ContentsEnd delimit the /Contents string in the file,
	// angle brackets included. Both are zero if it is in an object stream.
	ContentsAt, ContentsEnd int64
}

// Signatures lists the signed signature fields in the order of the form.
func (d *Document) Signatures() ([]*Signature, error) {
	fields, err := d.Fields()
	if err != nil {
		return nil, err
	}
	var all []*Signature
	for _, f := range fields {
		if f.Type != "Sig" {
			continue
		}
		dict, err := d.Dict(f.Value)
		if err != nil {
			return nil, fmt.Errorf("value of signature field %q: %w", f.Name, err)
		}
		if dict == nil {
			continue
		}
		s, err := d.readSignature(f, dict)
		if err != nil {
			return nil, fmt.Errorf("signature in field %q: %w", f.Name, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func (d *Document) readSignature(f *Field, dict Dict) (*Signature, error) {
	s := &Signature{Field: f, Dict: dict, Type: "Sig"}
	s.Ref, _ = f.Value.(Ref)
	for _, n := range []struct {
		key Name
		to  *Name
	}{{"Type", &s.Type}, {"Filter", &s.Filter}, {"SubFilter", &s.SubFilter}} {
		v, err := d.Name(dict[n.key])
		if err != nil {
			return nil, fmt.Errorf("/%s: %w", n.key, err)
		}
		if v != "" {
			*n.to = v
		}
	}
	contents, err := d.String(dict["Contents"])
	if err != nil {
		return nil, fmt.Errorf("/Contents: %w", err)
	}
	s.Contents = contents.Bytes
	s.ContentsAt, s.ContentsEnd = contents.FileRange()
	ranges, err := d.Array(dict["ByteRange"])
	if err != nil {
		return nil, fmt.Errorf("/ByteRange: %w", err)
	}
	for _, o := range ranges {
		n, err := d.Integer(o)
		if err != nil {
			return nil, fmt.Errorf("/ByteRange: %w", err)
		}
		s.ByteRange = append(s.ByteRange, n)
	}
	return s, nil
}
