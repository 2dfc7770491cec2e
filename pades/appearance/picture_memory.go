package appearance

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// PictureMemory returns how many bytes of memory ExtractStrokes takes at most for a file: width times height times the
// bytes of a pixel, by the header, and what scaling takes. Nothing is decoded. A file of 44 KB may need 100 MB, so a
// service that takes pictures from others has to bound the sum of those that it decodes at a time.
//
// Errors: ErrImage; ErrPictureSize if ExtractStrokes would refuse the file for its size.
func PictureMemory(file []byte) (int64, error) {
	if len(file) > maxPictureBytes {
		return 0, fmt.Errorf("%w: %d bytes", ErrPictureSize, len(file))
	}
	config := png.DecodeConfig
	if isJPEG(file) {
		config = jpeg.DecodeConfig
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
			channels = 4 + 4 // as they are stored, and converted
		}
		// A progressive file (ITU-T T.81 §G.1) keeps a coefficient of four bytes for each sample up to its last scan. The
		// marker may also be that of a thumbnail, which only makes the estimate larger. Blocks are whole, so sides are
		// rounded up to 16 pixels.
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

// estimateScaledBytes is what drawing, scaling and masks take: package draw keeps four float64 for each pixel that is scaled in
// one direction and not in the other.
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
