package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
)

// DelegationRequest names the person to whom a signer passes their part.
type DelegationRequest struct {
	Name, Email, Phone string
	Language           string // of messages to them: "id", "en", or empty for that of the organisation
	Reason             string
}

// Delegate passes the caller's part to another person. As when people are named, a person with an account of the document's organisation takes
// part with it, under the name of the account; others are guests. See [contract.Delegate].
func (s *Service) Delegate(ctx context.Context, by contract.Actor, id contract.DocumentID, r DelegationRequest) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		// Callers who may not pass their part on must not learn from the answer who has an account.
		if err := d.CheckDelegate(by, s.Clock()); err != nil {
			return nil, err
		}
		// As the rule reads it: with spaces around it, a person with an account would be a guest.
		if address, code := contract.ParseEmail(r.Email); code == "" {
			r.Email = address
		}
		to := contract.Participant{Person: contract.Person{Name: r.Name, Email: r.Email}, Phone: r.Phone, Guest: true}
		request := PersonRequest{Email: r.Email}
		members, err := s.findActiveMembers(ctx, d.Organisation, d.Participants, []PersonRequest{request})
		if err != nil {
			return nil, err
		}
		if member := members[0]; member.ID != "" {
			to.Person, to.Guest = member.Person, false
		} else if to.ID, err = s.guestID(nil, request); err != nil {
			return nil, err
		}
		return documents.ChangeOf(contract.Delegate(d, to, r.Language, r.Reason, by, s.Limits, s.Clock()))
	})
}
