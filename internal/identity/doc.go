// Package identity authenticates callers. It manages organisations, their users, guests of one document, and the secrets
// that they get.
//
// A secret is random, recognisable by its prefix, and stored only as its SHA-256: a person who reads the database
// cannot log in with what they find. Passwords are stored as Argon2id hashes. This package never logs a secret and never
// puts one into an error.
//
// All tokens that descend from one login are a family. A refresh token is used once. If it is used again, two parties
// hold it, so the whole family is revoked, access tokens included.
package identity
