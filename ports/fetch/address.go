package fetch

import "net/netip"

// localNets are the networks beyond the ones that netip knows which lead to this machine, its neighbours
// or its cloud's control plane, or nowhere.
var localNets = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT
	netip.MustParsePrefix("168.63.129.16/32"), // metadata of a cloud, on a public address
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments
	netip.MustParsePrefix("192.88.99.0/24"),   // 6to4 relays
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast
	netip.MustParsePrefix("::/96"),            // IPv4-compatible
	netip.MustParsePrefix("64:ff9b:1::/48"),   // local NAT64
	netip.MustParsePrefix("2001::/23"),        // Teredo and other assignments
	netip.MustParsePrefix("fec0::/10"),        // site-local
}

var (
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
	sixTo = netip.MustParsePrefix("2002::/16")
)

// isLocal reports whether an address is anything but one on the public internet.
func isLocal(a netip.Addr) bool {
	a = a.Unmap()
	if a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return true // loopback, link-local, multicast, unspecified, private and unique-local among them
	}
	for _, n := range localNets {
		if n.Contains(a) {
			return true
		}
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return isLocal(netip.AddrFrom4([4]byte(b[12:16])))
	case sixTo.Contains(a):
		return isLocal(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return false
}
