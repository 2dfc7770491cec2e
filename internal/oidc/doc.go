// Package oidc talks to OpenID Connect providers: it reads their metadata and keys, sends people there to log in, exchanges codes for
// tokens and verifies tokens. What a token means for an account is decided elsewhere.
//
// Administrators of organisations name the providers, so they are untrusted: all requests use a client of internal/outbound, with limits of time
// and size. Metadata is read again after an hour, and used for a day while the provider does not answer. Keys are fetched again when a token names
// an unknown one, at most once in ten seconds.
package oidc
