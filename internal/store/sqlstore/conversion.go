package sqlstore

import (
	"encoding/json"
	"fmt"

	"segel/internal/contract"
)

// storedWarning is a warning as it is stored. Arguments are text.
type storedWarning struct {
	Field string            `json:"field"`
	Code  string            `json:"code"`
	Args  map[string]string `json:"args,omitempty"`
}

// encodeWarnings returns warnings as an argument of a statement.
func encodeWarnings(all []contract.Warning) string {
	stored := make([]storedWarning, len(all))
	for i, w := range all {
		stored[i] = storedWarning{Field: w.Field, Code: w.Code}
		for name, v := range w.Args {
			if stored[i].Args == nil {
				stored[i].Args = map[string]string{}
			}
			stored[i].Args[name] = fmt.Sprint(v)
		}
	}
	b, _ := json.Marshal(stored) // a list of structs of strings cannot fail
	return string(b)
}

// scanWarnings scans what [encodeWarnings] returned. An empty list becomes nil.
func scanWarnings(to *[]contract.Warning) scanner {
	return func(column any) error {
		s, ok := column.(string)
		if !ok {
			return fmt.Errorf("%T is not text", column)
		}
		var stored []storedWarning
		if err := json.Unmarshal([]byte(s), &stored); err != nil {
			return fmt.Errorf("read warnings: %w", err)
		}
		*to = nil
		for _, w := range stored {
			c := contract.Warning{Field: w.Field, Code: w.Code}
			for name, v := range w.Args {
				if c.Args == nil {
					c.Args = map[string]any{}
				}
				c.Args[name] = v
			}
			*to = append(*to, c)
		}
		return nil
	}
}
