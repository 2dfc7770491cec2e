package sniff

import "bufio"

// maxPiece is more than a tag or a text of any real document has: addresses may hold pictures, as Base64.
const maxPiece = 16 << 20

// maxAttributes is more than any element of the format has, declarations of namespaces included.
const maxAttributes = 256

// pieceReader hands markup to a decoder byte by byte and stops it while a piece, a tag or a text, becomes too large: the
// decoder keeps all of it, and of every attribute some hundred bytes more.
type pieceReader struct {
	*bufio.Reader
	length int // of the piece so far
	tag    bool
	quote  byte // in which of the two kinds of quotes we are; 0: in none
	quotes int  // in this tag
}

// beginPiece begins another piece.
func (p *pieceReader) beginPiece() { p.length = 0 }

// ReadByte implements [io.ByteReader]. Quotes are counted from each "<" on, which no attribute holds. What a
// comment does to the count ends at the next.
func (p *pieceReader) ReadByte() (byte, error) {
	b, err := p.Reader.ReadByte()
	if err != nil {
		return b, err
	}
	switch {
	case b == '<':
		p.tag, p.quote, p.quotes = true, 0, 0
	case !p.tag:
	case p.quote == 0 && (b == '"' || b == '\''):
		p.quote = b
		p.quotes++
	case p.quote == 0 && b == '>':
		p.tag = false
	case p.quote == b:
		p.quote = 0
	}
	if p.length++; p.length > maxPiece {
		return 0, newRefusal(TooComplex, "more than %d bytes of one tag or text", maxPiece)
	}
	if p.quotes > maxAttributes {
		return 0, newRefusal(TooComplex, "more than %d attributes", maxAttributes)
	}
	return b, nil
}
