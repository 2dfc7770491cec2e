package font

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Subset returns a TrueType font with these glyphs, in this order, numbered from 0; the first one should be 0, the
// missing glyph. Components of composite glyphs follow. Instructions and everything a PDF reader does not need are
// omitted (ISO 32000-2 §9.9.1). It also returns the number of glyphs, including components.
func (f *Face) Subset(glyphs []uint16) (file []byte, count int, err error) {
	s := &subsetter{face: f, glyphs: slices.Clone(glyphs), number: map[uint16]int{}}
	for i, g := range glyphs {
		s.number[g] = i
	}
	head, hhea, maxp := f.tableData("head"), f.tableData("hhea"), f.tableData("maxp")
	if len(head) < 54 || len(hhea) < 36 || len(maxp) < 32 {
		return nil, 0, unusableError("a table is missing")
	}
	s.long = binary.BigEndian.Uint16(head[50:]) != 0
	// The list grows during the loop, by components of composite glyphs.
	for i := 0; i < len(s.glyphs); i++ {
		if len(s.glyphs) > 0xFFFF {
			return nil, 0, unusableError("too many glyphs")
		}
		if err := s.copyGlyph(s.glyphs[i]); err != nil {
			return nil, 0, err
		}
	}
	head, hhea, maxp = slices.Clone(head[:54]), slices.Clone(hhea[:36]), slices.Clone(maxp[:32])
	binary.BigEndian.PutUint32(head[8:], 0) // the checksum of the whole file is filled in below
	binary.BigEndian.PutUint16(head[50:], 1)
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(s.glyphs)))
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(s.glyphs)))
	clear(maxp[14:28]) // twilight points, storage, functions, instructions, stack, their size: none
	maxp[15] = 1       // one zone
	hmtx, err := s.buildWidths()
	if err != nil {
		return nil, 0, err
	}
	var loca []byte
	for _, at := range append(s.loca, uint32(len(s.glyf))) { // one more entry for the end
		loca = binary.BigEndian.AppendUint32(loca, at)
	}
	whole := assembleFont([]table{
		{"glyf", s.glyf}, {"head", head}, {"hhea", hhea}, {"hmtx", hmtx}, {"loca", loca}, {"maxp", maxp},
	})
	return whole, len(s.glyphs), nil
}

type subsetter struct {
	face   *Face
	glyphs []uint16       // of the face, by new number
	number map[uint16]int // new numbers
	long   bool           // format of loca
	glyf   []byte
	loca   []uint32
}

// buildWidths returns the metrics table: advance and left side bearing of each glyph.
func (s *subsetter) buildWidths() ([]byte, error) {
	from := s.face.tableData("hmtx")
	n := int(binary.BigEndian.Uint16(s.face.tableData("hhea")[34:]))
	if n == 0 || len(from) < 4*n {
		return nil, unusableError("glyph widths")
	}
	var b []byte
	for _, g := range s.glyphs {
		i := min(int(g), n-1)
		b = append(b, from[4*i:4*i+2]...)
		at := 4*i + 2
		if int(g) >= n {
			at = 4*n + 2*(int(g)-n)
		}
		if at+2 > len(from) {
			b = append(b, 0, 0)
			continue
		}
		b = append(b, from[at:at+2]...)
	}
	return b, nil
}

// glyphData returns the data of a glyph in the face, empty for one without an outline.
func (s *subsetter) glyphData(g uint16) ([]byte, error) {
	loca, glyf := s.face.tableData("loca"), s.face.tableData("glyf")
	var from, to int
	if s.long {
		if len(loca) < 4*int(g)+8 {
			return nil, unusableError("glyph that is not there")
		}
		from, to = int(binary.BigEndian.Uint32(loca[4*int(g):])), int(binary.BigEndian.Uint32(loca[4*int(g)+4:]))
	} else {
		if len(loca) < 2*int(g)+4 {
			return nil, unusableError("glyph that is not there")
		}
		from, to = 2*int(binary.BigEndian.Uint16(loca[2*int(g):])), 2*int(binary.BigEndian.Uint16(loca[2*int(g)+2:]))
	}
	if from > to || to > len(glyf) {
		return nil, unusableError("glyph outside of its table")
	}
	return glyf[from:to], nil
}

// copyGlyph copies one glyph without its instructions.
func (s *subsetter) copyGlyph(g uint16) error {
	s.loca = append(s.loca, uint32(len(s.glyf)))
	data, err := s.glyphData(g)
	if err != nil || len(data) == 0 {
		return err
	}
	if len(data) < 10 {
		return unusableError("glyph that ends early")
	}
	if contours := int16(binary.BigEndian.Uint16(data)); contours < 0 {
		data, err = s.copyCompositeGlyph(data)
	} else {
		data, err = copySimpleGlyph(data, int(contours))
	}
	if s.glyf = append(s.glyf, data...); len(s.glyf) > len(s.face.tableData("glyf"))+4*len(s.glyphs) {
		return unusableError("glyphs that overlap")
	}
	for len(s.glyf)%4 != 0 {
		s.glyf = append(s.glyf, 0)
	}
	return err
}

func copySimpleGlyph(data []byte, contours int) ([]byte, error) {
	at := 10 + 2*contours
	if len(data) < at+2 {
		return nil, unusableError("glyph that ends early")
	}
	behind := at + 2 + int(binary.BigEndian.Uint16(data[at:]))
	if behind > len(data) {
		return nil, unusableError("glyph that ends early")
	}
	return append(append(slices.Clone(data[:at]), 0, 0), data[behind:]...), nil
}

// Flags of a component.
const (
	wordArguments    = 1 << 0
	hasScale         = 1 << 3
	moreComponents   = 1 << 5
	hasScales        = 1 << 6
	hasMatrix        = 1 << 7
	withInstructions = 1 << 8
)

// copyCompositeGlyph renumbers the components of a glyph, and adds new ones to the list.
func (s *subsetter) copyCompositeGlyph(data []byte) ([]byte, error) {
	out := slices.Clone(data[:10])
	for at := 10; ; {
		if len(data) < at+4 {
			return nil, unusableError("glyph that ends early")
		}
		flags, part := binary.BigEndian.Uint16(data[at:]), binary.BigEndian.Uint16(data[at+2:])
		size := 4 + 2
		if flags&wordArguments != 0 {
			size += 2
		}
		switch {
		case flags&hasScale != 0:
			size += 2
		case flags&hasScales != 0:
			size += 4
		case flags&hasMatrix != 0:
			size += 8
		}
		if len(data) < at+size {
			return nil, unusableError("glyph that ends early")
		}
		n, known := s.number[part]
		if !known {
			n = len(s.glyphs)
			s.number[part] = n
			s.glyphs = append(s.glyphs, part)
		}
		out = binary.BigEndian.AppendUint16(out, flags&^withInstructions)
		out = binary.BigEndian.AppendUint16(out, uint16(n))
		out = append(out, data[at+4:at+size]...)
		if at += size; flags&moreComponents == 0 {
			return out, nil
		}
	}
}

type table struct {
	tag  string
	data []byte
}

// assembleFont writes a font of tables that are sorted by tag.
func assembleFont(tables []table) []byte {
	n := len(tables)
	log := bits.Len(uint(n)) - 1
	b := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, v := range []int{n, 16 << log, log, 16*n - 16<<log} {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	at, head := 12+16*n, 0
	for _, t := range tables {
		if t.tag == "head" {
			head = at
		}
		b = append(b, t.tag...)
		b = binary.BigEndian.AppendUint32(b, computeChecksum(t.data))
		b = binary.BigEndian.AppendUint32(b, uint32(at))
		b = binary.BigEndian.AppendUint32(b, uint32(len(t.data)))
		at += (len(t.data) + 3) &^ 3
	}
	for _, t := range tables {
		b = append(b, t.data...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	binary.BigEndian.PutUint32(b[head+8:], 0xB1B0AFBA-computeChecksum(b))
	return b
}

func computeChecksum(b []byte) (sum uint32) {
	for len(b) >= 4 {
		sum, b = sum+binary.BigEndian.Uint32(b), b[4:]
	}
	var last [4]byte
	copy(last[:], b)
	return sum + binary.BigEndian.Uint32(last[:])
}
