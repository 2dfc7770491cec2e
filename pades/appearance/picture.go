package appearance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// PictureMemory returns the maximal number of bytes of memory that ExtractStrokes needs for a file: width times height
// times the bytes of a pixel, by the header, and what scaling needs. Nothing is decoded. A file of 44 KB may need 100
// MB, so a service that accepts pictures has to bound the sum of those that it decodes at a time.
//
// Errors: ErrImage, also for a JPEG file with more scans than any program writes; ErrPictureSize if ExtractStrokes would refuse the file for its size.
func PictureMemory(file []byte) (int64, error) {
	if len(file) > maxPictureBytes {
		return 0, fmt.Errorf("%w: %d bytes", ErrPictureSize, len(file))
	}
	config := png.DecodeConfig
	if isJPEG(file) {
		config = jpeg.DecodeConfig
		// Each scan of a progressive file can pass over all of the picture, and takes a few bytes.
		if n := bytes.Count(file, []byte{0xFF, 0xDA}); n > maxScans {
			return 0, fmt.Errorf("%w: %d scans", ErrImage, n)
		}
	}
	size, err := config(bytes.NewReader(file))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrImage, err)
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPicturePixels/size.Height {
		return 0, fmt.Errorf("%w: %d by %d pixels", ErrPictureSize, size.Width, size.Height)
	}
	most := estimateDecodedBytes(file, size) + estimateScaledBytes(size)
	if most > maxPictureMemory {
		return 0, fmt.Errorf("%w: %d bytes of memory", ErrPictureSize, most)
	}
	return most, nil
}

func isJPEG(file []byte) bool { return bytes.HasPrefix(file, []byte{0xFF, 0xD8, 0xFF}) }

// estimateDecodedBytes is what image/png and image/jpeg allocate for the pixels.
func estimateDecodedBytes(file []byte, size image.Config) int64 {
	pixels := int64(size.Width) * int64(size.Height)
	if isJPEG(file) {
		channels := int64(3)
		switch size.ColorModel {
		case color.GrayModel:
			channels = 1
		case color.CMYKModel, color.RGBAModel:
			channels = 4 + 4 // stored, and converted
		}
		// A progressive file (ITU-T T.81 §G.1) needs a coefficient of four bytes for each sample until its last scan.
		// The marker may also be that of a thumbnail, which only makes the estimate larger. Blocks are whole, so sides
		// are rounded up to 16 pixels.
		pixels = int64(size.Width+15) * int64(size.Height+15)
		if bytes.Contains(file, []byte{0xFF, 0xC2}) {
			channels += 4 * min(channels, 4)
		}
		return pixels * channels
	}
	depth := int64(4)
	switch size.ColorModel {
	case color.GrayModel:
		depth = 1
	case color.Gray16Model:
		depth = 2
	case color.RGBA64Model, color.NRGBA64Model:
		depth = 8
	}
	if _, palette := size.ColorModel.(color.Palette); palette {
		depth = 1
	}
	const interlace = 28 // offset of the byte in the header, which is the first chunk
	if len(file) > interlace && file[interlace] != 0 {
		depth += (depth + 1) / 2 // the largest pass has half of the pixels
	}
	return pixels * depth
}

// estimateScaledBytes is what drawing, scaling and masks need: package draw stores four float64 for each pixel that is scaled
// in one direction and not in the other.
func estimateScaledBytes(size image.Config) int64 {
	const perPixel = 64 // of the result: the pixels, several masks, sums
	w, h := int64(size.Width), int64(size.Height)
	longest := max(w, h)
	if longest <= maxStrokesSide {
		return w * h * perPixel
	}
	scaled := max(1, w*maxStrokesSide/longest)
	return 32*scaled*h + scaled*max(1, h*maxStrokesSide/longest)*perPixel
}

// readOrientation reads how a camera was held: the /Orientation of the Exif data in a JPEG file, from 1 to 8, or 1 if
// it is missing or invalid. It reads only the segments before the pixels.
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

// applyOrientation rotates and mirrors a picture by its orientation.
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
