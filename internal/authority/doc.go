// Package authority is the certificate authority, revocation service and time-stamp authority that make a fresh
// install whole: with nothing configured, everybody gets a certificate of his own, every signature gets trusted
// time, and every finished file carries the proof it needs for twenty years.
//
// It is as trustworthy as the machine it runs on, and no reader trusts its root until somebody imports it.
//
// Three levels: a root that signs only the issuing certificate, the time-stamp authority's and its own lists; an
// issuing certificate that signs people's; an OCSP responder that the issuing certificate delegates to. The time-stamp
// authority is succeeded by another before its certificate ends. None of them signs anything outside its validity.
package authority
