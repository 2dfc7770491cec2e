package appearance

import (
	"bytes"
	"encoding/binary"
	"image"
)

// readOrientation reads how a camera was held: the /Orientation of the Exif data in a JPEG file, from 1 to 8, or 1 where it
// says nothing that can be read. Only the segments before the pixels are looked at.
func readOrientation(file []byte) int {
	const startOfImage, app1, startOfScan = 0xD8, 0xE1, 0xDA
	if len(file) < 4 || file[0] != 0xFF || file[1] != startOfImage {
		return 1
	}
	for at := 2; at+4 <= len(file) && file[at] == 0xFF; {
		marker, length := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if marker == startOfScan || length < 2 || at+2+length > len(file) {
			return 1
		}
		body := file[at+4 : at+2+length]
		if tiff, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok && marker == app1 {
			return readOrientationTag(tiff)
		}
		at += 2 + length
	}
	return 1
}

// readOrientationTag finds the tag in the first directory of a TIFF header.
func readOrientationTag(tiff []byte) int {
	const tag, short, entry = 0x0112, 3, 12
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 1
	}
	if len(tiff) < 8 {
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for n := order.Uint16(tiff[at:]); n > 0 && len(entries) >= entry; n, entries = n-1, entries[entry:] {
		if order.Uint16(entries) != tag || order.Uint16(entries[2:]) != short {
			continue
		}
		if v := order.Uint16(entries[8:]); v >= 1 && v <= 8 {
			return int(v)
		}
		return 1
	}
	return 1
}

// applyOrientation turns a picture the way its orientation says it was seen.
func applyOrientation(m *image.NRGBA, orientation int) *image.NRGBA {
	if orientation <= 1 || orientation > 8 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		out = image.NewNRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			copy(out.Pix[out.PixOffset(tx, ty):][:4], m.Pix[m.PixOffset(x, y):][:4])
		}
	}
	return out
}
