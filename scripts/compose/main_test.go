package main

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// loadDeployment reads deploy/compose.yaml.
func loadDeployment(t *testing.T) *types.Project {
	t.Helper()
	env := []string{"POSTGRES_PASSWORD=-", "S3_SECRET_KEY=-", "SEGEL_MASTER_KEY=-"}
	o, err := cli.NewProjectOptions([]string{"../../deploy/compose.yaml"}, cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// servicesOn returns the services on a network, sorted.
func servicesOn(p *types.Project, network string) (names []string) {
	for name, s := range p.Services {
		if _, on := s.Networks[network]; on {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestGotenbergReachesNothingButTheNodes(t *testing.T) {
	t.Parallel()
	p := loadDeployment(t)
	networks := slices.Collect(maps.Keys(p.Services["gotenberg"].Networks))
	if len(networks) != 1 {
		t.Fatalf("it is on %v", networks)
	}
	if !p.Networks[networks[0]].Internal {
		t.Errorf("%s has a route outside", networks[0])
	}
	if on := servicesOn(p, networks[0]); !slices.Equal(on, []string{"gotenberg", "node1", "node2"}) {
		t.Errorf("on its network are %v", on)
	}
}

func TestOnlyTheProxyIsTrustedToForward(t *testing.T) {
	t.Parallel()
	p := loadDeployment(t)
	trusted := *p.Services["node1"].Environment["SEGEL_TRUSTED_PROXIES"]
	proxy := p.Services["proxy"].Networks
	if len(proxy) != 1 {
		t.Fatalf("the proxy is on %v", proxy)
	}
	for network, s := range proxy {
		if s == nil || s.Ipv4Address != trusted {
			t.Errorf("%s is trusted, and the proxy is %+v", trusted, s)
		}
		if on := servicesOn(p, network); !slices.Equal(on, []string{"node1", "node2", "proxy"}) {
			t.Errorf("on its network are %v", on)
		}
		for _, pool := range p.Networks[network].Ipam.Config {
			if given := netip.MustParsePrefix(pool.IPRange); given.Contains(netip.MustParseAddr(trusted)) {
				t.Errorf("%s, which is trusted, may be given to another container", trusted)
			}
		}
	}
}

func TestNodesReachThePrivateNetworksOfBucketAndGotenbergAlone(t *testing.T) {
	t.Parallel()
	p := loadDeployment(t)
	allowed := strings.Split(*p.Services["node1"].Environment["SEGEL_OUTBOUND_PRIVATE"], ",")
	var want []string
	for _, service := range []string{"s3", "gotenberg"} {
		for network := range p.Services[service].Networks {
			want = append(want, p.Networks[network].Ipam.Config[0].Subnet)
		}
	}
	if !slices.Equal(allowed, want) {
		t.Errorf("%v, want %v", allowed, want)
	}
}
