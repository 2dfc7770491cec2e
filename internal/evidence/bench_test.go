package evidence

import "testing"

// BenchmarkWrite measures a certificate of four people, without and with pictures of two pages.
func BenchmarkWrite(b *testing.B) {
	for name, pictures := range map[string]int{"text": 0, "pictures": 2} {
		b.Run(name, func(b *testing.B) {
			in := newInput(b)
			in.Pictures = in.Pictures[:pictures]
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Write(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
