package font

import (
	"encoding/binary"
	"io"
)

// Limits of what is read of a font before it is trusted.
const (
	maxTables = 64
	maxMap    = 4 << 20 // bytes of a character map
)

// hasCharacter reports whether a font has a glyph for a character. It reads the directory and the character map only, and
// takes nothing in them on trust: the library that draws glyphs sees a file first when it is known to be whole.
func hasCharacter(file io.ReaderAt, r rune) bool {
	m, err := readCharacterMap(file)
	if err != nil {
		return false
	}
	return findMappedGlyph(m, uint32(r)) != 0
}

// readCharacterMap reads the table of that name.
func readCharacterMap(file io.ReaderAt) ([]byte, error) {
	head := make([]byte, 16)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	at := int64(0)
	if string(head[:4]) == "ttcf" {
		at = int64(binary.BigEndian.Uint32(head[12:]))
		if _, err := file.ReadAt(head[:12], at); err != nil {
			return nil, err
		}
	}
	n := int(binary.BigEndian.Uint16(head[4:]))
	if n > maxTables {
		return nil, unusableError("too many tables")
	}
	directory := make([]byte, 16*n)
	if _, err := file.ReadAt(directory, at+12); err != nil {
		return nil, err
	}
	for ; len(directory) > 0; directory = directory[16:] {
		if string(directory[:4]) != "cmap" {
			continue
		}
		size := binary.BigEndian.Uint32(directory[12:])
		if size > maxMap {
			return nil, unusableError("character map too large")
		}
		m := make([]byte, size)
		_, err := file.ReadAt(m, int64(binary.BigEndian.Uint32(directory[8:])))
		return m, err
	}
	return nil, unusableError("no character map")
}

// findMappedGlyph looks a character up in the subtables for Unicode, and returns its glyph or 0.
func findMappedGlyph(m []byte, r uint32) uint32 {
	if len(m) < 4 {
		return 0
	}
	n := min(int(binary.BigEndian.Uint16(m[2:])), (len(m)-4)/8)
	for i := range n {
		record := m[4+8*i:]
		platform, encoding := binary.BigEndian.Uint16(record), binary.BigEndian.Uint16(record[2:])
		at := int64(binary.BigEndian.Uint32(record[4:]))
		if platform != 0 && (platform != 3 || encoding != 1 && encoding != 10) || at+16 > int64(len(m)) {
			continue
		}
		glyph := uint32(0)
		switch sub := m[at:]; binary.BigEndian.Uint16(sub) {
		case 4:
			glyph = findInSegments(sub, r)
		case 12:
			glyph = findInGroups(sub, r)
		}
		if glyph != 0 {
			return glyph
		}
	}
	return 0
}

// findInSegments looks up in a subtable of format 4: parallel arrays of 16 bits for segments in ascending order.
func findInSegments(b []byte, r uint32) uint32 {
	n := int(binary.BigEndian.Uint16(b[6:])) / 2
	if r > 0xFFFF || len(b) < 16+8*n {
		return 0
	}
	word := func(at int) uint32 { return uint32(binary.BigEndian.Uint16(b[at:])) }
	for i := range n {
		if r > word(14+2*i) {
			continue
		}
		start, delta, at := word(16+2*n+2*i), word(16+4*n+2*i), 16+6*n+2*i
		if r < start {
			return 0
		}
		offset := int(word(at))
		if offset == 0 {
			return (r + delta) & 0xFFFF
		}
		if at += offset + 2*int(r-start); at+2 > len(b) || word(at) == 0 {
			return 0
		}
		return (word(at) + delta) & 0xFFFF
	}
	return 0
}

// findInGroups looks up in a subtable of format 12: groups of first and last character and first glyph.
func findInGroups(b []byte, r uint32) uint32 {
	n := min(int64(binary.BigEndian.Uint32(b[12:])), int64(len(b)-16)/12)
	for b = b[16:]; n > 0; n, b = n-1, b[12:] {
		if r <= binary.BigEndian.Uint32(b[4:]) {
			if first := binary.BigEndian.Uint32(b); r >= first {
				return binary.BigEndian.Uint32(b[8:]) + r - first
			}
			return 0
		}
	}
	return 0
}

// hasValidChecksums reports whether the check sums of all tables are right. One that was cut off or damaged on its disk is not
// opened further.
func hasValidChecksums(data []byte, index int) bool {
	tables, sums, err := readDirectory(data, index)
	if err != nil {
		return false
	}
	for tag, t := range tables {
		b := data[t[0] : t[0]+t[1]]
		sum := computeChecksum(b)
		if tag == "head" && len(b) >= 12 {
			sum -= binary.BigEndian.Uint32(b[8:]) // depends on all others and counts as 0
		}
		if sum != sums[tag] {
			return false
		}
	}
	return true
}
