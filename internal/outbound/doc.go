// Package outbound is the one door through which this program reaches other machines: time-stamp authorities, OCSP
// responders, revocation lists, whatever else an operator or a stranger's certificate names.
//
// Addresses in certificates are written by strangers, and a name may lead anywhere. So every connection is checked
// by the address that it is made to, after names were resolved and again for each redirect: a machine that is not
// on the public internet is refused, unless the operator allowed its network. What cannot be resolved is refused.
//
// Proxies named by the environment (HTTP_PROXY and the like) are not used: a proxy resolves names itself, and what
// it would reach for us could not be checked. Where traffic has to pass one, it is for the machine's network to say.
package outbound
