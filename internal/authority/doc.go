// Package authority is the built-in certificate authority, revocation service and time-stamp authority of a fresh
// installation: without any configuration each person gets a certificate, each signature a trusted time, and each
// completed file the validation data for twenty years.
//
// It is as trustworthy as the host it runs on, and readers trust its root only once it is imported.
//
// It has three levels: a root, which signs only the issuing certificates, the time-stamp authority's certificate and
// its own CRL; issuing certificates for persons; and their delegated OCSP responders. All but the root get
// successors with new keys before their certificates expire. No key signs outside the validity period of its certificate.
package authority
