// Package passkeytest is an authenticator in software, for tests.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Authenticator holds one passkey. Its fields are what it puts into answers; tests change them.
type Authenticator struct {
	RPID, Origin   string
	ID, Handle     []byte
	Verified       bool // the user was verified
	BackupEligible bool
	Count          uint32 // of its last signature
	Counts         bool   // it counts its signatures
	PublicKey      []byte // COSE_Key that it states at the registration; nil: its own
	Attestation    []byte // signature of a statement about itself in the format packed; nil: it makes none

	key *ecdsa.PrivateKey
}

// New returns an authenticator that verifies its user and counts.
func New(rpID, origin string) *Authenticator {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	a := &Authenticator{RPID: rpID, Origin: origin, ID: make([]byte, 32), Verified: true, Counts: true, key: key}
	_, _ = rand.Read(a.ID) // it never fails
	return a
}

// Flags of authenticator data (WebAuthn Level 3 §6.1).
const (
	flagPresent        = 1
	flagVerified       = 4
	flagBackupEligible = 8
	flagAttested       = 64
)

// options is what the authenticator reads of the options of either kind.
type options struct {
	Challenge string `json:"challenge"`
	User      struct {
		ID string `json:"id"`
	} `json:"user"`
}

func parseOptions(raw []byte) options {
	var o options
	if err := json.Unmarshal(raw, &o); err != nil {
		panic(fmt.Sprintf("options %s: %v", raw, err))
	}
	return o
}

// Create answers options for a new passkey.
func (a *Authenticator) Create(raw []byte) json.RawMessage {
	o := parseOptions(raw)
	var err error
	if a.Handle, err = base64.RawURLEncoding.DecodeString(o.User.ID); err != nil {
		panic(err)
	}
	client := a.clientData("webauthn.create", o.Challenge)
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err)
	}
	x, y := point[1:33], point[33:]
	// COSE_Key: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
	cose := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}, x...)
	cose = append(append(cose, 0x22, 0x58, 0x20), y...)
	if a.PublicKey != nil {
		cose = a.PublicKey
	}
	attested := make([]byte, 16, 128) // AAGUID
	attested = binary.BigEndian.AppendUint16(attested, uint16(len(a.ID)))
	attested = append(append(attested, a.ID...), cose...)
	data := append(a.authenticatorData(flagAttested), attested...)
	// {"fmt": "none", "attStmt": {}, "authData": data}
	format, statement := "\x64none", []byte{0xa0}
	if a.Attestation != nil { // {"alg": -7, "sig": a.Attestation}
		format, statement = "\x66packed", append([]byte("\xa2\x63alg\x26\x63sig\x58"), byte(len(a.Attestation)))
		statement = append(statement, a.Attestation...)
	}
	object := append([]byte("\xa3\x63fmt"+format+"\x67attStmt"), statement...)
	object = append(object, "\x68authData\x59"...)
	object = append(binary.BigEndian.AppendUint16(object, uint16(len(data))), data...)
	return a.answer(map[string]any{"clientDataJSON": encodeURL(client), "attestationObject": encodeURL(object), "transports": []string{"internal"}})
}

// Get answers options for a signature.
func (a *Authenticator) Get(raw []byte) json.RawMessage {
	client := a.clientData("webauthn.get", parseOptions(raw).Challenge)
	if a.Counts {
		a.Count++
	}
	data := a.authenticatorData(0)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		panic(err)
	}
	return a.answer(map[string]any{"clientDataJSON": encodeURL(client), "authenticatorData": encodeURL(data), "signature": encodeURL(signature), "userHandle": encodeURL(a.Handle)})
}

func (a *Authenticator) clientData(kind, challenge string) []byte {
	b, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": false})
	if err != nil {
		panic(err)
	}
	return b
}

func (a *Authenticator) authenticatorData(flags byte) []byte {
	flags |= flagPresent
	if a.Verified {
		flags |= flagVerified
	}
	if a.BackupEligible {
		flags |= flagBackupEligible
	}
	id := sha256.Sum256([]byte(a.RPID))
	return binary.BigEndian.AppendUint32(append(id[:], flags), a.Count)
}

func (a *Authenticator) answer(response map[string]any) json.RawMessage {
	b, err := json.Marshal(map[string]any{"id": encodeURL(a.ID), "rawId": encodeURL(a.ID), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	if err != nil {
		panic(err)
	}
	return b
}

func encodeURL(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
