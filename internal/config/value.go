package config

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
)

// Size is a number of bytes, written such as 50MiB.
type Size int64

var units = []struct {
	name string
	n    int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// UnmarshalText parses a whole number with a unit; without a unit it is bytes.
func (s *Size) UnmarshalText(text []byte) error {
	digits, factor := string(text), int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(digits, u.name); ok {
			digits, factor = strings.TrimSpace(rest), u.n
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("%q is not a size; write it such as 50MiB", text)
	}
	*s = Size(n * factor)
	return nil
}

// String formats the size in the largest unit that divides it.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && int64(s)%u.n == 0 && u.n&(u.n-1) == 0 {
			return strconv.FormatInt(int64(s)/u.n, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Network is a range of addresses. A single address is a range too.
type Network struct{ netip.Prefix }

// UnmarshalText parses 10.0.0.0/8 or 127.0.0.1.
func (n *Network) UnmarshalText(text []byte) error {
	s := string(text)
	if a, err := netip.ParseAddr(s); err == nil {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return fmt.Errorf("%q is not a network; write it such as 10.0.0.0/8", s)
	}
	n.Prefix = p.Masked()
	return nil
}

// Hours are hours of a day, from 0 to 24. From may be later than Until: then they include midnight. Equal hours: none.
type Hours struct{ From, Until int }

// UnmarshalText parses 21-7.
func (h *Hours) UnmarshalText(text []byte) error {
	from, until, _ := strings.Cut(string(text), "-")
	f, err1 := strconv.Atoi(from)
	u, err2 := strconv.Atoi(until)
	if err1 != nil || err2 != nil || min(f, u) < 0 || max(f, u) > 24 {
		return fmt.Errorf("%q are not hours; write them such as 21-7", text)
	}
	*h = Hours{f, u}
	return nil
}

// String formats the hours.
func (h Hours) String() string {
	return fmt.Sprintf("%d-%d", h.From, h.Until)
}
