package sqlstore

import (
	"encoding/json"
	"fmt"

	"segel/internal/contract"
)

// storedFinding is a finding as it is stored.
type storedFinding struct {
	Code     contract.FindingCode `json:"code"`
	Page     int                  `json:"page,omitempty"`
	Args     map[string]string    `json:"args,omitempty"`
	Refused  bool                 `json:"refused,omitempty"`
	Accepted bool                 `json:"accepted,omitempty"`
}

// encodeFindings returns findings as an argument of a statement.
func encodeFindings(all []contract.Finding) string {
	stored := make([]storedFinding, len(all))
	for i, f := range all {
		stored[i] = storedFinding(f)
	}
	b, _ := json.Marshal(stored) // a list of structs of strings, numbers and booleans cannot fail
	return string(b)
}

// scanFindings scans what [encodeFindings] returned. An empty list becomes nil.
func scanFindings(to *[]contract.Finding) scanner {
	return func(column any) error {
		s, ok := column.(string)
		if !ok {
			return fmt.Errorf("%T is not text", column)
		}
		var stored []storedFinding
		if err := json.Unmarshal([]byte(s), &stored); err != nil {
			return fmt.Errorf("read findings: %w", err)
		}
		*to = nil
		for _, f := range stored {
			*to = append(*to, contract.Finding(f))
		}
		return nil
	}
}
