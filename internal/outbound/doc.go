// Package outbound restricts the connections of this program to other hosts: time-stamp authorities, OCSP responders,
// revocation lists, and whatever else an operator or a certificate in a file names. Every such connection goes through
// it.
//
// Addresses in certificates are untrusted, and a name may resolve to any host. So every connection is checked by its IP
// address, after name resolution and again for each redirect: hosts that are not on the public internet are refused,
// unless the operator allowed their network. Names that cannot be resolved are refused.
//
// Proxies from the environment (HTTP_PROXY and the like) are not used: a proxy resolves names itself, so the addresses
// could not be checked. If traffic must pass a proxy, configure that in the host's network.
package outbound
