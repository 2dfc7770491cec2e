// Package oidc talks to OpenID Connect providers: it reads their metadata and keys, sends people there to log in, exchanges codes for
// tokens and verifies tokens. What a token means for an account is decided elsewhere.
//
// Providers are named by administrators of organisations, so they are untrusted: all requests use a client of internal/outbound, with
// limits of time and size. Metadata is kept for an hour and used for a day while the provider does not answer. Keys are read again when a token names one
// that is not known, at most once in ten seconds.
package oidc
