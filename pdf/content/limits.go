package content

// Limits bound what a hostile file can make a Reader do. A zero field takes its default.
type Limits struct {
	Bytes     int64 // of content and of font tables, of all pages together, counted as often as they are gone through; default 64 MiB
	Operators int   // of all pages together; default 4,000,000
	Marks     int   // on one page; default 50,000
	Depth     int   // of forms within one another; default 12
	States    int   // of saved graphics states; default 512
	Annots    int   // on one page; default 5,000
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Bytes, 64<<20)
	setDefault(&l.Operators, 4_000_000)
	setDefault(&l.Marks, 50_000)
	setDefault(&l.Depth, 12)
	setDefault(&l.States, 512)
	setDefault(&l.Annots, 5_000)
	return l
}

func setDefault[T int | int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// maxOperands bounds what stands before one operator. An array of text has some hundred elements.
const maxOperands = 1 << 16
