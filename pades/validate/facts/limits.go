package facts

import "segel/pdf"

func (l Limits) withDefaults(size int64) Limits {
	setDefault(&l.Signatures, 1000)
	setDefault(&l.Revisions, 2000)
	setDefault(&l.Moves, 20_000)
	setDefault(&l.Hashed, 64<<20+size)
	setDefault(&l.StoreItems, 10_000)
	setDefault(&l.StoreBytes, 8<<20)
	setDefault(&l.Content, 80<<20)
	// A part of it is for all states of the file, and two of them at a time have one of their own.
	setDefault(&l.PDF.Cache, 4<<20)
	setDefault(&l.PDF.Decoded, 11<<20)
	return l
}

// LimitsForSigning returns the limits for accepting a file of that many bytes for signing. They are the defaults of a
// validation, less a quarter of what signing adds to: sections, revisions, signatures, fields, and the work that all
// states of the file share. So a file that is accepted can still be read when it is finished. How much validation data a
// file may contain is decided by [File.Unsignable].
func LimitsForSigning(size int64) Limits {
	l := Limits{}.withDefaults(size)
	l.PDF = l.PDF.Defaults(size)
	for _, n := range []*int{&l.Signatures, &l.Revisions, &l.PDF.Sections, &l.PDF.Fields} {
		*n -= *n / 4
	}
	for _, n := range []*int64{&l.Hashed, &l.PDF.Work} {
		*n -= *n / 4
	}
	return l
}

func setDefault[T int | int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

func (o Options) pdfOptions(repair bool) pdf.Options {
	return pdf.Options{Limits: o.Limits.PDF, Password: o.Password, Repair: repair, Budget: o.Budget}
}
