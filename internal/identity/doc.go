// Package identity knows who is asking: organisations, their users, guests of one document, and the secrets
// handed to them.
//
// A secret is random, recognisable by its prefix, and kept only as its SHA-256: whoever reads the database
// can log in as nobody. Passwords are kept as Argon2id. Nothing here logs a secret or puts one into an error.
//
// All tokens that descend from one login are a family. A refresh token is used once; using it again means
// that two hold it, so the whole family dies, access tokens included.
package identity
