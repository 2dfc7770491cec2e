package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

const (
	lookupTimeout = 5 * time.Second
	maxTXT        = 64   // records that are looked at
	maxTXTSize    = 1024 // bytes of a record
)

// LookupTXT returns the TXT records of a name, an empty slice if it has none. The name is absolute: search domains of this machine are not
// tried. Records that are too long are left out. The resolver is that of the options; of their other members none counts, since the only host that is
// asked is a name server of this machine.
func LookupTXT(ctx context.Context, o Options, name string) ([]string, error) {
	r := o.Resolver
	if r == nil {
		r = net.DefaultResolver
	}
	ctx, stop := context.WithTimeout(ctx, lookupTimeout)
	defer stop()
	found, err := r.LookupTXT(ctx, name+".")
	var missing *net.DNSError
	if errors.As(err, &missing) && missing.IsNotFound {
		return []string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the TXT records of %s: %w", name, err)
	}
	records := []string{}
	for _, f := range found[:min(len(found), maxTXT)] {
		if len(f) <= maxTXTSize {
			records = append(records, f)
		}
	}
	return records, nil
}

// LookupHost returns the addresses of a name, also of this machine's search domains. The options count as in [LookupTXT].
func LookupHost(ctx context.Context, o Options, name string) ([]netip.Addr, error) {
	r := o.Resolver
	if r == nil {
		r = net.DefaultResolver
	}
	ctx, stop := context.WithTimeout(ctx, lookupTimeout)
	defer stop()
	return r.LookupNetIP(ctx, "ip", name)
}
