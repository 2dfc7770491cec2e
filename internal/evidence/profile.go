package evidence

import (
	"encoding/binary"
	"math"
)

// srgbProfile returns an ICC profile of version 2 (ICC.1:2001-04) of a display with the primaries and the tone curve of sRGB (IEC 61966-2-1),
// adapted to the white of the profile connection space, D50.
func srgbProfile() []byte {
	be := binary.BigEndian
	typed := func(signature string) []byte { return append([]byte(signature), 0, 0, 0, 0) }
	xyz := func(x, y, z float64) []byte {
		b := typed("XYZ ")
		for _, v := range []float64{x, y, z} {
			b = be.AppendUint32(b, uint32(int32(math.Round(v*65536))))
		}
		return b
	}
	const name = "sRGB IEC61966-2.1"
	description := be.AppendUint32(typed("desc"), uint32(len(name)+1))
	description = append(append(description, name...), make([]byte, 1+4+4+2+1+67)...) // no Unicode, no script code
	const points = 1024
	curve := be.AppendUint32(typed("curv"), points)
	for i := range points {
		curve = be.AppendUint16(curve, uint16(math.Round(65535*linearise(float64(i)/(points-1)))))
	}
	tags := []struct {
		names []string
		data  []byte
	}{
		{[]string{"desc"}, description},
		{[]string{"cprt"}, append(typed("text"), "No copyright, use freely\x00"...)},
		{[]string{"wtpt"}, xyz(0.9642, 1, 0.8249)},
		{[]string{"rXYZ"}, xyz(0.4360, 0.2225, 0.0139)},
		{[]string{"gXYZ"}, xyz(0.3851, 0.7169, 0.0971)},
		{[]string{"bXYZ"}, xyz(0.1431, 0.0606, 0.7139)},
		{[]string{"rTRC", "gTRC", "bTRC"}, curve},
	}
	count := 0
	for _, t := range tags {
		count += len(t.names)
	}
	const header, entry = 128, 12
	table := be.AppendUint32(nil, uint32(count))
	var data []byte
	for _, t := range tags {
		at := header + 4 + entry*count + len(data)
		for _, name := range t.names {
			table = be.AppendUint32(be.AppendUint32(append(table, name...), uint32(at)), uint32(len(t.data)))
		}
		data = append(append(data, t.data...), make([]byte, (4-len(t.data)%4)%4)...)
	}
	b := make([]byte, header)
	be.PutUint32(b, uint32(header+len(table)+len(data)))
	be.PutUint32(b[8:], 0x02100000) // version 2.1
	copy(b[12:], "mntrRGB XYZ ")
	for i, v := range []uint16{2026, 1, 1} {
		be.PutUint16(b[24+2*i:], v)
	}
	copy(b[36:], "acsp")
	copy(b[68:], xyz(0.9642, 1, 0.8249)[8:])
	return append(append(b, table...), data...)
}

// linearise returns the light of a value of sRGB, both from 0 to 1.
func linearise(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}
