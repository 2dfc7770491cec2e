package workflow

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/cms"
	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/store"
)

// signingCredential is a private key with its chain, leaf first.
type signingCredential struct {
	key   crypto.Signer
	chain []*x509.Certificate
}

// renewBefore is how long before its expiry a certificate stops being used for signing. A document may wait that long for others: its
// validation data are collected when it is completed, and a good status that was stated after a certificate had expired proves
// nothing (RFC 5280 §3.3: issuers need not list expired certificates).
const renewBefore = 365 * 24 * time.Hour

// readSigning reads a document with what a signature of the person needs, or without a person what the organisation's seal needs.
func (s *Service) readSigning(ctx context.Context, id contract.DocumentID, person contract.PersonID) (store.Signing, error) {
	now := s.Clock()
	r, err := s.Store.ReadSigning(ctx, store.SigningQuery{Document: id, Person: person, Begun: now, Until: now.Add(renewBefore)})
	if errors.Is(err, store.ErrNotFound) {
		err = contract.ErrNotFound
	}
	return r, err
}

// participantHolder returns the subject of a participant's certificate. The organisation is that of the document; proved is what a guest
// proved in their session.
func participantHolder(d *contract.Document, p contract.Participant, o store.Organisation, proved contract.Contact) Holder {
	return Holder{ID: string(p.ID), Name: p.DisplayName(), Email: p.Email, Attestation: d.AttestParticipant(p, o.Name, proved)}
}

// organisationHolder returns the subject of the certificate of an organisation's seal.
func organisationHolder(o store.Organisation) Holder {
	name := contract.Person{ID: contract.PersonID(o.ID), Name: o.Name}.DisplayName()
	return Holder{ID: string(o.ID), Name: name, Attestation: contract.Attestation{Assurance: contract.AssuranceSeal, Organisation: name}}
}

// issueGuestCredential makes a guest's credential. It is for one signature and never stored, so the key cannot sign again. The
// caller commits the returned record of the certificate before the key signs.
func (s *Service) issueGuestCredential(h Holder) (signingCredential, *contract.Certificate, error) {
	key, err := newSigningKey()
	if err != nil {
		return signingCredential{}, nil, err
	}
	chain, record, err := s.Issuer.IssueUnrecorded(h, key.Public())
	if err != nil {
		return signingCredential{}, nil, fmt.Errorf("certify key of guest %s: %w", h.ID, err)
	}
	return signingCredential{key, chain}, &record, nil
}

func newSigningKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return key, nil
}

// loadUserCredential loads the credential of a user, or makes one; see useOrCreateCredential.
func (s *Service) loadUserCredential(ctx context.Context, h Holder, now time.Time) (signingCredential, error) {
	sealed, err := s.Store.Credential(ctx, h.ID, now, now.Add(renewBefore))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return signingCredential{}, fmt.Errorf("read credential: %w", err)
	}
	return s.useOrCreateCredential(ctx, h, sealed, now)
}

// useOrCreateCredential decrypts a credential that was read for a holder, or makes and stores one. If two are made at the
// same moment, both are valid and the newer one is used from then on. A credential that is not valid now is replaced: one
// that expired, was revoked, or begins in the future because it was made while the clock was ahead. A credential whose
// certificate describes the holder differently from a new one, or belongs to another holder, is not used either: it is older
// than the attestation in certificates, or its row was moved in the database.
//
// Sealed has no ID if there is none. Now is the local time, checked by the caller: certificates are issued for it.
func (s *Service) useOrCreateCredential(ctx context.Context, h Holder, sealed store.SealedCredential, now time.Time) (signingCredential, error) {
	if sealed.ID != "" {
		c, err := s.decryptCredential(sealed)
		if err != nil {
			return signingCredential{}, err
		}
		revoked := !sealed.RevokedAt.IsZero()
		if !sealed.Recorded { // such as a row that was moved
			if revoked, err = s.Issuer.IsRevoked(ctx, c.chain[0]); err != nil {
				return signingCredential{}, fmt.Errorf("check revocation of credential %s: %w", sealed.ID, err)
			}
		}
		if !revoked && c.isValidAt(now) && s.Issuer.MatchesHolder(c.chain[0], h) {
			return c, nil
		}
	}
	key, err := newSigningKey()
	if err != nil {
		return signingCredential{}, err
	}
	chain, err := s.Issuer.Certify(ctx, h, key.Public())
	if err != nil {
		return signingCredential{}, fmt.Errorf("certify key of %s: %w", h.ID, err)
	}
	c := signingCredential{key, chain}
	id, err := blob.NewKey(s.Random) // a credential has a random ID of the same form as a blob
	if err != nil {
		return signingCredential{}, err
	}
	plain, err := x509.MarshalPKCS8PrivateKey(c.key)
	if err != nil {
		return signingCredential{}, fmt.Errorf("encode key: %w", err)
	}
	sealed = store.SealedCredential{ID: string(id), Holder: h.ID, NotBefore: c.chain[0].NotBefore, NotAfter: c.chain[0].NotAfter, CreatedAt: now}
	for _, cert := range c.chain {
		sealed.Chain = append(sealed.Chain, cert.Raw)
	}
	if sealed.Key, err = s.Sealer.Seal(sealed.ID, plain); err != nil {
		return signingCredential{}, fmt.Errorf("seal key: %w", err)
	}
	if err := s.Store.AddCredential(ctx, sealed); err != nil {
		return signingCredential{}, fmt.Errorf("store credential: %w", err)
	}
	return c, nil
}

// isValidAt reports whether every certificate of the chain is within its validity period at the given time.
func (c signingCredential) isValidAt(at time.Time) bool {
	return !slices.ContainsFunc(c.chain, func(cert *x509.Certificate) bool { return at.Before(cert.NotBefore) || at.After(cert.NotAfter) })
}

func (s *Service) decryptCredential(c store.SealedCredential) (signingCredential, error) {
	plain, err := s.Sealer.Open(c.ID, c.Key)
	if err != nil {
		return signingCredential{}, fmt.Errorf("unseal credential %s: %w", c.ID, err)
	}
	k, err := x509.ParsePKCS8PrivateKey(plain)
	if err != nil {
		return signingCredential{}, fmt.Errorf("parse credential %s: %w", c.ID, err)
	}
	key, ok := k.(crypto.Signer)
	if !ok {
		return signingCredential{}, fmt.Errorf("credential %s is a %T, which cannot sign", c.ID, k)
	}
	out := signingCredential{key: key}
	for _, der := range c.Chain {
		cert, err := cms.ParseStrictCertificate(der)
		if err != nil {
			return signingCredential{}, fmt.Errorf("parse certificate of credential %s: %w", c.ID, err)
		}
		out.chain = append(out.chain, cert)
	}
	if len(out.chain) == 0 {
		return signingCredential{}, fmt.Errorf("credential %s has no certificate", c.ID)
	}
	return out, nil
}
