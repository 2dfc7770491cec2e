package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// ErrRefused is a connection that the rules of this package forbid.
var ErrRefused = errors.New("connection forbidden by our rules")

// reserved are the IPv4 ranges that are not on the public internet (the registry of RFC 6890), and one address that
// only looks public.
var reserved = parsePrefixes(
	"0.0.0.0/8",          // this network
	"10.0.0.0/8",         // private
	"100.64.0.0/10",      // carrier-grade NAT
	"127.0.0.0/8",        // this machine
	"169.254.0.0/16",     // link-local; metadata services of clouds
	"172.16.0.0/12",      // private
	"192.0.0.0/24",       // protocols
	"192.0.2.0/24",       // documentation
	"192.88.99.0/24",     // 6to4 relays
	"192.168.0.0/16",     // private
	"198.18.0.0/15",      // benchmarks
	"198.51.100.0/24",    // documentation
	"203.0.113.0/24",     // documentation
	"224.0.0.0/4",        // multicast
	"240.0.0.0/4",        // future use and broadcast
	"168.63.129.16/32",   // host service in virtual machines of Azure
	"255.255.255.255/32", // broadcast
)

// global6 is the IPv6 range allocated so far. Everything else is this host, this link, this site, multicast, an
// embedded IPv4 address, or a translator to one.
var global6 = netip.MustParsePrefix("2000::/3")

// reserved6 are the parts of global6 that are not on the public internet.
var reserved6 = parsePrefixes(
	"2001::/23",     // protocols; Teredo, a tunnel to an IPv4 address
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4, a tunnel to an IPv4 address
	"3fff::/20",     // documentation
)

func parsePrefixes(all ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range all {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// IsPublic reports whether an address is on the public internet.
func IsPublic(a netip.Addr) bool { return checkAddress(a, nil) == nil }

// checkAddress refuses an address that is not public, unless one of the allowed networks contains it.
func checkAddress(a netip.Addr, allowed []netip.Prefix) error {
	// The system connects to an IPv4-mapped IPv6 address over IPv4. A zone names a link.
	a = a.Unmap().WithZone("")
	in := func(p netip.Prefix) bool { return p.Contains(a) }
	switch {
	case !a.IsValid():
		return fmt.Errorf("%w: no address", ErrRefused)
	case slices.ContainsFunc(allowed, in):
		return nil
	case a.Is4() && !slices.ContainsFunc(reserved, in):
		return nil
	case a.Is6() && global6.Contains(a) && !slices.ContainsFunc(reserved6, in):
		return nil
	}
	return fmt.Errorf("%w: %s is not on the public internet", ErrRefused, a)
}
