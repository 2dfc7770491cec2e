package pades

import (
	"crypto"
	"encoding/json"
	"errors"
	"fmt"

	"segel/cms"
)

// preparedFormat is the first member of an encoded Prepared; docs/formats/prepared.md.
const preparedFormat = "segel prepared signature 1"

// preparedJSON is the stored form of a Prepared.
type preparedJSON struct {
	Format      string   `json:"format"`
	Size        int64    `json:"size"`
	State       []byte   `json:"state"`
	Field       string   `json:"field"`
	ContentsAt  int      `json:"contents_at"`
	ContentsLen int      `json:"contents_len"`
	Hash        string   `json:"hash"`
	PSS         bool     `json:"pss,omitempty"`
	Chain       [][]byte `json:"chain"`
	Attributes  []byte   `json:"attributes"`
	Tail        []byte   `json:"tail"`
}

// preparedHashes are the supported hashes by name.
var preparedHashes = map[string]crypto.Hash{"SHA-256": crypto.SHA256, "SHA-384": crypto.SHA384, "SHA-512": crypto.SHA512}

// MarshalBinary encodes the prepared signature.
func (p *Prepared) MarshalBinary() ([]byte, error) {
	s := p.Signature
	if s == nil || preparedHashes[s.Scheme.Hash.String()] != s.Scheme.Hash {
		return nil, errors.New("prepared signature without a scheme that can be stored")
	}
	return json.Marshal(preparedJSON{
		Format: preparedFormat, Size: p.Size, State: p.State, Field: p.Field, ContentsAt: p.ContentsAt, ContentsLen: p.ContentsLen,
		Hash: s.Scheme.Hash.String(), PSS: s.Scheme.PSS, Chain: s.Chain, Attributes: s.Attributes, Tail: p.Tail,
	})
}

// UnmarshalBinary decodes what MarshalBinary returned. It checks that the parts are consistent, not that they are
// authentic: an attacker who can change the stored bytes can have another file signed.
func (p *Prepared) UnmarshalBinary(b []byte) error {
	var v preparedJSON
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("prepared signature: %w", err)
	}
	if v.Format != preparedFormat {
		return fmt.Errorf("prepared signature of format %q", v.Format)
	}
	hash, known := preparedHashes[v.Hash]
	if !known {
		return fmt.Errorf("prepared signature: hash %q", v.Hash)
	}
	at, length, all := v.ContentsAt, v.ContentsLen, len(v.Tail)
	if v.Size <= 0 || at < 0 || at > all || length < len("<>") || length > all-at || v.Tail[at] != '<' || v.Tail[at+length-1] != '>' ||
		len(v.Attributes) == 0 || len(v.Chain) == 0 {
		return errors.New("prepared signature: its parts are inconsistent")
	}
	*p = Prepared{
		Size: v.Size, State: v.State, Tail: v.Tail, ContentsAt: at, ContentsLen: length, Field: v.Field,
		Signature: &cms.Signature{
			ContentType: cms.OIDData, Chain: v.Chain, Scheme: cms.Scheme{Hash: hash, PSS: v.PSS}, Attributes: v.Attributes,
		},
	}
	return nil
}
