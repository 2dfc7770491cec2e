package sniff

import "bufio"

// maxPiece is more than any tag or text of a real document has: addresses may contain pictures in Base64.
const maxPiece = 16 << 20

// maxAttributes is more than any element of the format has, including namespace declarations.
const maxAttributes = 256

// pieceReader passes markup to a decoder byte by byte and stops when a tag or a text becomes too large: the decoder
// buffers all of it, and some hundred bytes for every attribute.
type pieceReader struct {
	*bufio.Reader
	length int // of the current piece
	tag    bool
	quote  byte // the open quotation mark; 0: none
	quotes int  // in the current tag
}

// beginPiece starts a new piece.
func (p *pieceReader) beginPiece() { p.length = 0 }

// ReadByte implements [io.ByteReader]. Quotes are counted from each "<", which attributes cannot contain. Miscounting
// in a comment ends at the next "<".
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
