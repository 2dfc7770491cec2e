package pdf

import "errors"

// undoPredictor undoes the /Predictor of Flate and LZW data: none, TIFF's (2) or
// one of PNG's (10 and up, where each row says which).
func (d *Document) undoPredictor(b []byte, params Dict) ([]byte, error) {
	predictor, err := d.integerOrDefault(params["Predictor"], 1)
	if err != nil || predictor <= 1 {
		return b, err
	}
	colors, err1 := d.integerOrDefault(params["Colors"], 1)
	bits, err2 := d.integerOrDefault(params["BitsPerComponent"], 8)
	columns, err3 := d.integerOrDefault(params["Columns"], 1)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if colors < 1 || colors > 64 || bits < 1 || bits > 16 || columns < 1 || columns > 1<<28 {
		return nil, damaged(-1, "predictor parameters")
	}
	// A row longer than the data is cut to it, lest parameters ask for gigabytes.
	row := int(min((colors*bits*columns+7)/8, int64(len(b))))
	pixel := int(max(1, colors*bits/8))
	if predictor == 2 {
		return undoTIFFPredictor(b, row, pixel, bits)
	}
	return undoPNGPredictor(b, row, pixel)
}

// undoTIFFPredictor adds to each component the one a pixel to its left, in place.
func undoTIFFPredictor(b []byte, row, pixel int, bits int64) ([]byte, error) {
	if bits != 8 {
		return nil, &Error{Kind: Unsupported, Offset: -1, Msg: "TIFF predictor on components that are no bytes"}
	}
	for start := 0; start < len(b); start += row {
		line := b[start:min(start+row, len(b))]
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	}
	return b, nil
}

// undoPNGPredictor undoes PNG row filters in place: the output is never longer than what
// was read of the input.
func undoPNGPredictor(b []byte, row, pixel int) ([]byte, error) {
	out := b[:0]
	above := make([]byte, row)
	for len(b) > 0 {
		kind := b[0]
		line := b[1:min(row+1, len(b))]
		b = b[1+len(line):]
		if err := undoPNGRow(kind, line, above, pixel); err != nil {
			return nil, err
		}
		copy(above, line)
		out = append(out, line...)
	}
	return out, nil
}

func undoPNGRow(kind byte, line, above []byte, pixel int) error {
	left := func(i int) byte {
		if i < pixel {
			return 0
		}
		return line[i-pixel]
	}
	switch kind {
	case 0:
	case 1:
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	case 2:
		for i := range line {
			line[i] += above[i]
		}
	case 3:
		for i := range line {
			line[i] += byte((int(left(i)) + int(above[i])) / 2)
		}
	case 4:
		for i := range line {
			var corner byte
			if i >= pixel {
				corner = above[i-pixel]
			}
			line[i] += paeth(left(i), above[i], corner)
		}
	default:
		return damaged(-1, "PNG predictor %d", kind)
	}
	return nil
}

func paeth(left, up, corner byte) byte {
	a, b, c := int(left), int(up), int(corner)
	pa, pb, pc := abs(b-c), abs(a-c), abs(a+b-2*c)
	switch {
	case pa <= pb && pa <= pc:
		return left
	case pb <= pc:
		return up
	}
	return corner
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
