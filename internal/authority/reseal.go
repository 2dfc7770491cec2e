package authority

import (
	"context"
	"encoding/json"
	"fmt"

	"segel/internal/credential"
)

// SealedUnder counts the keys in a file of the authority by the master key that they are sealed under. A key that the sealer does not open is an
// error that wraps [credential.ErrSealed].
func SealedUnder(ctx context.Context, files Files, name string, s *credential.Sealer) (map[credential.KeyID]int, error) {
	_, under, err := openMembers(ctx, files, name, s)
	return under, err
}

// Reseal seals the keys in a file of the authority under the key that seals, and reports whether one was sealed under another key. Keys and
// certificates stay the same.
//
// Durable on return: the file with its keys sealed anew. After a crash the file has either form, and a repetition completes it.
func Reseal(ctx context.Context, files Files, name string, s *credential.Sealer) (changed bool, err error) {
	old, _, err := openMembers(ctx, files, name, s)
	if err != nil {
		return false, err
	}
	in, err := parseStored(old, name)
	if err != nil {
		return false, err
	}
	for member, stored := range in.Members {
		plain, under, err := s.OpenWithKey(sealedFor(member), stored.Key)
		if err != nil {
			return false, fmt.Errorf("key of the authority's %s: %w", member, err)
		}
		if under == s.ID() {
			continue
		}
		if stored.Key, err = s.Seal(sealedFor(member), plain); err != nil {
			return false, err
		}
		in.Members[member], changed = stored, true
	}
	if !changed {
		return false, nil
	}
	b, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return false, err
	}
	return true, files.ReplaceFile(ctx, name, old, b)
}

// openMembers reads a file, and counts under which master keys its keys are sealed.
func openMembers(ctx context.Context, files Files, name string, s *credential.Sealer) (content []byte, under map[credential.KeyID]int, err error) {
	if content, err = files.ReadFile(ctx, name); err != nil {
		return nil, nil, err
	}
	in, err := parseStored(content, name)
	if err != nil {
		return nil, nil, err
	}
	under = map[credential.KeyID]int{}
	for member, stored := range in.Members {
		_, key, err := s.OpenWithKey(sealedFor(member), stored.Key)
		if err != nil {
			return nil, nil, fmt.Errorf("key of the authority's %s: %w", member, err)
		}
		under[key]++
	}
	return content, under, nil
}

// sealedFor returns what the key of a member is sealed for.
func sealedFor(member string) string { return "authority/" + member }
