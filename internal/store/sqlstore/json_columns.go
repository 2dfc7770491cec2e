package sqlstore

import (
	"encoding/json"
	"fmt"
	"time"

	"segel/internal/contract"
)

// Warnings, findings, deliveries and delegations are stored in text columns, as JSON.

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
	return scanList(to, func(w storedWarning) contract.Warning {
		c := contract.Warning{Field: w.Field, Code: w.Code}
		for name, v := range w.Args {
			if c.Args == nil {
				c.Args = map[string]any{}
			}
			c.Args[name] = v
		}
		return c
	})
}

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
	return scanList(to, func(f storedFinding) contract.Finding { return contract.Finding(f) })
}

// scanList scans a JSON list. An empty one becomes nil.
func scanList[Stored, T any](to *[]T, convert func(Stored) T) scanner {
	return func(column any) error {
		var s string
		if err := scanText(&s).Scan(column); err != nil {
			return err
		}
		*to = nil
		if s == "[]" { // most are
			return nil
		}
		var stored []Stored
		if err := json.Unmarshal([]byte(s), &stored); err != nil {
			return fmt.Errorf("read a list of %T: %w", *to, err)
		}
		for _, v := range stored {
			*to = append(*to, convert(v))
		}
		return nil
	}
}

// storedDelivery is how people are reached, as it is stored.
type storedDelivery struct {
	Message    string              `json:"message,omitempty"`
	Code       contract.CodePolicy `json:"code,omitempty"`
	Silent     bool                `json:"silent,omitempty"`
	Delegation bool                `json:"delegation,omitempty"`
	Attach     bool                `json:"attach,omitempty"`

	HideAddresses bool `json:"hide_addresses,omitempty"` // see visibleWith

	Reminders contract.Reminders           `json:"reminders,omitzero"`
	Languages map[contract.PersonID]string `json:"languages,omitempty"`

	Channels map[contract.PersonID]contract.Channel `json:"channels,omitempty"`
}

// encodeDelivery returns a delivery as an argument of a statement. The default is an empty text.
func encodeDelivery(d contract.Delivery) string {
	b, _ := json.Marshal(storedDelivery(d)) // a struct of texts and booleans cannot fail
	if string(b) == "{}" {
		return ""
	}
	return string(b)
}

// scanDelivery scans what [encodeDelivery] returned.
func scanDelivery(to *contract.Delivery) *deliveryColumn { return (*deliveryColumn)(to) }

type deliveryColumn contract.Delivery

// Scan implements [sql.Scanner].
func (to *deliveryColumn) Scan(column any) error {
	s, ok := column.(string)
	if !ok {
		return fmt.Errorf("%T is not a delivery", column)
	}
	*to = deliveryColumn{}
	if s == "" {
		return nil
	}
	var stored storedDelivery
	if err := json.Unmarshal([]byte(s), &stored); err != nil {
		return fmt.Errorf("read a delivery: %w", err)
	}
	*to = deliveryColumn(stored)
	return nil
}

// storedAccountFacts are the facts of a notice about an account as they are stored.
type storedAccountFacts struct {
	Language  string `json:"language,omitempty"`
	Reference string `json:"reference,omitempty"`
	Email     string `json:"email,omitempty"`
	IP        string `json:"ip,omitempty"`
	UserAgent string `json:"user_agent,omitempty"`
}

// encodeAccountFacts returns the facts as an argument of a statement; empty for the zero value.
func encodeAccountFacts(f contract.AccountFacts) string {
	if f == (contract.AccountFacts{}) {
		return ""
	}
	b, _ := json.Marshal(storedAccountFacts(f)) // a struct of texts cannot fail
	return cleanText(string(b))
}

// scanAccountFacts scans what [encodeAccountFacts] returned.
func scanAccountFacts(to *contract.AccountFacts) scanner {
	return func(column any) error {
		var s string
		if err := scanText(&s).Scan(column); err != nil {
			return err
		}
		var stored storedAccountFacts
		if s != "" {
			if err := json.Unmarshal([]byte(s), &stored); err != nil {
				return fmt.Errorf("read the facts of a notice about an account: %w", err)
			}
		}
		*to = contract.AccountFacts(stored)
		return nil
	}
}

// storedDelegation is a delegation as it is stored.
type storedDelegation struct {
	From   contract.PersonID `json:"from"`
	To     contract.PersonID `json:"to"`
	At     int64             `json:"at"` // in microseconds since 1970
	Reason string            `json:"reason,omitempty"`
}

// encodeDelegations returns delegations as an argument of a statement. None is an empty text.
func encodeDelegations(all []contract.Delegation) string {
	if len(all) == 0 {
		return ""
	}
	stored := make([]storedDelegation, len(all))
	for i, g := range all {
		stored[i] = storedDelegation{g.From, g.To, toMicros(g.At), g.Reason}
	}
	b, _ := json.Marshal(stored) // a list of structs of strings and numbers cannot fail
	return string(b)
}

// scanDelegations scans what [encodeDelegations] returned. An empty text becomes nil.
func scanDelegations(to *[]contract.Delegation) *delegationsColumn { return (*delegationsColumn)(to) }

type delegationsColumn []contract.Delegation

// Scan implements [sql.Scanner].
func (to *delegationsColumn) Scan(column any) error {
	if column == "" { // most are
		*to = nil
		return nil
	}
	return scanList((*[]contract.Delegation)(to), func(g storedDelegation) contract.Delegation {
		return contract.Delegation{From: g.From, To: g.To, At: time.UnixMicro(g.At).UTC(), Reason: g.Reason}
	})(column)
}
