package workflow

import (
	"context"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// Attempts returns one page of the calls to the stamp office, newest first.
func (s *Service) Attempts(ctx context.Context, by contract.Actor, q store.AttemptQuery) (AttemptPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAttempts, q.Organisation)
	if err != nil {
		return AttemptPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.Attempts(ctx, q)
	if err != nil {
		return AttemptPage{}, err
	}
	lines, err := s.attemptLines(ctx, p.Attempts, scope.Organisations)
	return AttemptPage{Lines: lines, Total: p.Total}, err
}

// EachAttempt calls yield with every matching call to the stamp office, oldest first, until yield returns an error.
func (s *Service) EachAttempt(ctx context.Context, by contract.Actor, q store.AttemptQuery, yield func(AttemptLine) error) error {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminAttempts, q.Organisation)
	if err != nil {
		return err
	}
	q.Organisation = scope.Organisation
	lines := func(batch []contract.Attempt) ([]AttemptLine, error) {
		return s.attemptLines(ctx, batch, scope.Organisations)
	}
	return inBatches(func(yield func(contract.Attempt) bool) error { return s.Store.EachAttempt(ctx, q, yield) }, lines, yield)
}

func (s *Service) attemptLines(ctx context.Context, attempts []contract.Attempt, names documents.OrganisationsByID) ([]AttemptLine, error) {
	titles, err := titlesOf(ctx, s, attempts, func(a contract.Attempt) []contract.DocumentID { return []contract.DocumentID{a.Document} })
	if err != nil {
		return nil, err
	}
	var serials []string
	for _, a := range attempts {
		if a.Serial != "" {
			serials = append(serials, a.Serial)
		}
	}
	states, err := s.Store.SerialStates(ctx, serials)
	if err != nil {
		return nil, err
	}
	lines := make([]AttemptLine, len(attempts))
	for i, a := range attempts {
		lines[i] = AttemptLine{Attempt: a, Organisation: names[a.Organisation], Title: titles[a.Document], SerialState: states[a.Serial]}
	}
	return lines, nil
}

// Serials returns one page of the register of serials. Only operators see serials without an organisation.
func (s *Service) Serials(ctx context.Context, by contract.Actor, q store.SerialQuery) (SerialPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminSerials, q.Organisation)
	if err != nil {
		return SerialPage{}, err
	}
	q.Organisation = scope.Organisation
	p, err := s.Store.Serials(ctx, q)
	if err != nil {
		return SerialPage{}, err
	}
	titles, err := titlesOf(ctx, s, p.Serials, func(r contract.StampSerial) []contract.DocumentID {
		return []contract.DocumentID{r.Document, r.FormerDocument}
	})
	if err != nil {
		return SerialPage{}, err
	}
	lines := make([]SerialLine, len(p.Serials))
	for i, r := range p.Serials {
		lines[i] = SerialLine{StampSerial: r, Organisation: scope.Organisations[r.Organisation], Title: titles[r.Document], FormerTitle: titles[r.FormerDocument]}
	}
	return SerialPage{Lines: lines, Total: p.Total}, nil
}
