package outbound

import (
	"errors"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.15.255.255": true, "172.32.0.0": true, "100.63.255.255": true, "100.128.0.0": true, "223.255.255.255": true,
		"2606:4700::1111": true, "2a00::1": true, "2001:200::1": true, "3ffe::1": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.100.100.200": false, "127.0.0.1": false, "127.255.255.255": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.192": false, "192.168.1.1": false, "198.19.255.255": false,
		"168.63.129.16": false, "192.88.99.1": false, "224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::8.8.8.8": false, "::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "::ffff:0:8.8.8.8": false,
		"64:ff9b::8.8.8.8": false, "64:ff9b::a00:1": false, "64:ff9b:1::a00:1": false, "100::1": false, "2001::1": false, "2001:db8::1": false,
		"2002:7f00:1::": false, "2002:808:808::": false, "3fff::1": false, "5f00::1": false, "fc00::1": false, "fd00:ec2::254": false,
		"fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false, "2606:4700::1111%eth0": true,
	} {
		err := checkAddress(netip.MustParseAddr(address), nil)
		if (err == nil) != public || err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := checkAddress(netip.Addr{}, nil); !errors.Is(err, ErrRefused) {
		t.Errorf("no address: %v", err)
	}
}

func TestWhatTheStandardLibraryCallsPrivateIsNeverReached(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := anyAddress(t)
		u := a.Unmap()
		local := u.IsPrivate() || u.IsLoopback() || u.IsLinkLocalUnicast() || u.IsMulticast() || u.IsUnspecified() || u.IsInterfaceLocalMulticast() || !u.IsGlobalUnicast()
		if local && checkAddress(a, nil) == nil {
			t.Fatalf("%s was allowed", a)
		}
	})
}

// An IPv4 address is treated the same in every notation, and addresses that embed one in another protocol are refused.
func TestAddressIsTreatedTheSameInEveryNotation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		four := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "IPv4")))
		b := four.As4()
		if plain, mapped := checkAddress(four, nil), checkAddress(netip.AddrFrom16(four.As16()), nil); (plain == nil) != (mapped == nil) {
			t.Fatalf("%s: %v as it is, %v mapped", four, plain, mapped)
		}
		for name, at := range map[string]int{"::": 12, "64:ff9b::": 12, "64:ff9b:1::": 12, "2002::": 2, "2001::": 12, "::ffff:0:0:0": 12} {
			six := netip.MustParseAddr(name).As16()
			copy(six[at:], b[:])
			if a := netip.AddrFrom16(six); checkAddress(a, nil) == nil {
				t.Fatalf("%s, which leads to %s, was allowed", a, four)
			}
		}
	})
}

func TestNetworksAllowedAreReachedAndNoOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, other := anyAddress(t), anyAddress(t)
		u := a.Unmap()
		allowed := []netip.Prefix{netip.PrefixFrom(u, rapid.IntRange(1, u.BitLen()).Draw(t, "bits")).Masked()}
		if err := checkAddress(a, allowed); err != nil {
			t.Fatalf("%s in %s: %v", a, allowed[0], err)
		}
		if !allowed[0].Contains(other.Unmap()) && (checkAddress(other, allowed) == nil) != (checkAddress(other, nil) == nil) {
			t.Fatalf("%s is treated differently because of %s", other, allowed[0])
		}
	})
}

// anyAddress draws addresses near the edges of the ranges as often as others.
func anyAddress(t *rapid.T) netip.Addr {
	if rapid.Bool().Draw(t, "near an edge") {
		all := append(append([]netip.Prefix{global6}, reserved...), reserved6...)
		first := rapid.SampledFrom(all).Draw(t, "range").Addr()
		if rapid.Bool().Draw(t, "before it") && first.Prev().IsValid() {
			return first.Prev()
		}
		return first
	}
	if rapid.Bool().Draw(t, "IPv4") {
		return netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "bytes")))
	}
	return netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes")))
}
