// Package https has what the listener of the service needs for TLS: certificates from files that are read again when they change,
// certificates from an ACME server (RFC 8555) that nodes share, and the redirect from plain HTTP.
package https
