package revocation

import (
	"hash/maphash"
	"math/big"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"
)

// index leads from a serial to the entries about it: eight bytes for each entry, which is a fifth of the list.
type index struct {
	seed maphash.Seed
	err  error    // an entry was not understood, so the whole list is unfit
	rows []uint64 // in order: 32 bits of the serial's hash, and where in the list its entry begins
}

// newIndex reads every entry once, as [List.find] does for one serial.
func newIndex(l *List) *index {
	x := &index{seed: maphash.MakeSeed()}
	at := 0
	for rest := l.entries; !rest.Empty(); at = len(l.entries) - len(rest) {
		var whole, entry, number cryptobyte.String
		if !rest.ReadASN1Element(&whole, asn1.SEQUENCE) || !whole.ReadASN1(&entry, asn1.SEQUENCE) ||
			!entry.ReadASN1(&number, asn1.INTEGER) || !skipTime(&entry) {
			x.err = newUnusable("entry of the CRL cannot be read")
			return x
		}
		if _, x.err = readEntry(entry); x.err != nil {
			return x
		}
		if len(number) > 1 && number[0] == 0 {
			number = number[1:]
		}
		x.rows = append(x.rows, x.hashSerial(number)<<32|uint64(at))
	}
	slices.Sort(x.rows)
	return x
}

func (x *index) hashSerial(number []byte) uint64 { return maphash.Bytes(x.seed, number) >> 32 }

// findStatus makes s what the list says of a serial, which is not negative.
func (x *index) findStatus(l *List, serial *big.Int, s *Status) error {
	if x.err != nil {
		return x.err
	}
	number := serial.Bytes()
	if len(number) == 0 {
		number = []byte{0}
	}
	wanted := x.hashSerial(number)
	first, _ := slices.BinarySearch(x.rows, wanted<<32)
	for _, row := range x.rows[first:] {
		if row>>32 != wanted {
			break
		}
		one := l.entries[uint32(row):]
		var entry cryptobyte.String
		if !one.ReadASN1Element(&entry, asn1.SEQUENCE) {
			return newUnusable("entry of the CRL cannot be read")
		}
		if err := l.scanEntries(entry, serial, s); err != nil {
			return err
		}
	}
	return nil
}
