package diff

import (
	"iter"
	"math/bits"
)

const perPage = 1024

// numberSet is a set of object numbers that allocates memory only near its members.
type numberSet struct{ pages []*[perPage / 64]uint64 }

func (s *numberSet) has(n uint32) bool {
	i := int(n / perPage)
	return i < len(s.pages) && s.pages[i] != nil && s.pages[i][n%perPage/64]>>(n%64)&1 == 1
}

func (s *numberSet) add(n uint32) {
	i := int(n / perPage)
	if i >= len(s.pages) {
		s.pages = append(s.pages, make([]*[perPage / 64]uint64, i+1-len(s.pages))...)
	}
	if s.pages[i] == nil {
		s.pages[i] = new([perPage / 64]uint64)
	}
	s.pages[i][n%perPage/64] |= 1 << (n % 64)
}

func (s *numberSet) remove(n uint32) {
	if s.has(n) {
		s.pages[n/perPage][n%perPage/64] &^= 1 << (n % 64)
	}
}

// all iterates over the members in order.
func (s *numberSet) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, page := range s.pages {
			if page == nil {
				continue
			}
			for j, word := range page {
				for ; word != 0; word &= word - 1 {
					if !yield(uint32(i*perPage + j*64 + bits.TrailingZeros64(word))) {
						return
					}
				}
			}
		}
	}
}

// numberMap maps object numbers to numbers; 0 is absent.
type numberMap struct{ pages []*[perPage]uint32 }

func (m *numberMap) get(n uint32) uint32 {
	if i := int(n / perPage); i < len(m.pages) && m.pages[i] != nil {
		return m.pages[i][n%perPage]
	}
	return 0
}

func (m *numberMap) set(n, v uint32) {
	i := int(n / perPage)
	if i >= len(m.pages) {
		m.pages = append(m.pages, make([]*[perPage]uint32, i+1-len(m.pages))...)
	}
	if m.pages[i] == nil {
		m.pages[i] = new([perPage]uint32)
	}
	m.pages[i][n%perPage] = v
}
