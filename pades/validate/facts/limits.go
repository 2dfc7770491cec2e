package facts

import "segel/pdf"

func (l Limits) withDefaults(size int64) Limits {
	def(&l.Signatures, 1000)
	def(&l.Revisions, 2000)
	def(&l.Moves, 20_000)
	def(&l.Hashed, 64<<20+size)
	def(&l.Proofs, 10_000)
	def(&l.ProofBytes, 8<<20)
	def(&l.Content, 80<<20)
	// A part of it is for all states of the file, and two of them at a time have one of their own.
	def(&l.PDF.Cache, 4<<20)
	def(&l.PDF.Decoded, 11<<20)
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

func def[T int | int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

func (o Options) file(repair bool) pdf.Options {
	return pdf.Options{Limits: o.Limits.PDF, Password: o.Password, Repair: repair, Budget: o.Budget}
}
