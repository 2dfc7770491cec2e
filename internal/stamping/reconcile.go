package stamping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// Reconcile compares the account at the stamp office with the register of serials. Released serials that are unused
// become free, unknown unused serials enter the register, and every other difference is reported with its explanation.
// If the stamp office cannot be reached, that is the problem of the report and not an error.
//
// Each move is a separate commit. If the process dies in between, the next run makes the remaining moves, and there is
// no report. The report is the commit that stores the answer for a request with an Idempotency-Key: a repeat after a
// crash before it continues with the remaining moves.
func (s *Stamping) Reconcile(ctx context.Context, by contract.Actor) (contract.Reconciliation, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminReconcile, "")
	if err != nil {
		return contract.Reconciliation{}, err
	}
	s.reconciling.Lock()
	defer s.reconciling.Unlock()
	r := contract.Reconciliation{At: s.Clock(), By: by.Person}
	serials, balance, err := s.fetchAccount(ctx)
	switch {
	case ctx.Err() != nil:
		return contract.Reconciliation{}, ctx.Err() // the process is stopping; the stamp office has no fault
	case err != nil:
		s.Log.WarnContext(ctx, "the account at the stamp office could not be read", "cause", err)
		r.Problem = err.Error()
		if p := (*emeterai.Problem)(nil); errors.As(err, &p) {
			r.Problem = cmp.Or(p.Text, p.Code) // the stamp office's own text
		}
	default:
		r.Office.Left, r.Office.Reported = balance.Left, balance.Unused
		c := comparison{Stamping: s, report: &r}
		if err := c.compareAccount(ctx, serials, scope.Organisations); err != nil {
			return contract.Reconciliation{}, err
		}
	}
	r.EndedAt = s.Clock()
	for i := range r.Differences {
		r.Differences[i].OrganisationName = scope.Organisations[r.Differences[i].Organisation].Name
	}
	numbered := func(number int64) contract.Reconciliation {
		r := r
		r.Number = number
		return r
	}
	var events []contract.Event // none of the daily work: the log has the digest of its report
	if by.Name != "" {
		e := contract.Event{Type: contract.EventReconciled, At: r.EndedAt, Details: map[string]string{"differences": strconv.Itoa(len(r.Differences) + r.Omitted)}}
		if r.Problem != "" {
			e.Details = map[string]string{"problem": "true"}
		}
		events = append(events, by.SignEvent(e))
	}
	number, err := s.Store.AddReconciliation(store.WithFinalAnswer(ctx, func(number int64) any { return numbered(number) }), r, events...)
	if err != nil {
		return contract.Reconciliation{}, documents.KeyRefusal(err)
	}
	return numbered(number), nil
}

func (s *Stamping) fetchAccount(ctx context.Context) ([]emeterai.Serial, emeterai.Balance, error) {
	if a := s.Office.Availability(); a.Down {
		return nil, emeterai.Balance{}, fmt.Errorf("%w: %s", errOfficePaused, a.Reason)
	}
	serials, err := s.Office.ListSerials(ctx)
	if err != nil {
		return nil, emeterai.Balance{}, err
	}
	balance, err := s.Office.Balance(ctx)
	return serials, balance, err
}

// comparison is the state of one reconciliation.
type comparison struct {
	*Stamping
	books  contract.ReconcileInput
	moving bool // stamps were being affixed while the list was read
	report *contract.Reconciliation
}

// compareAccount compares the stamp office's list with the register, and fills in the report. It reads the register and
// the orders in doubt after the list; see [contract.ReconcileInput].
func (c *comparison) compareAccount(ctx context.Context, list []emeterai.Serial, names documents.OrganisationsByID) error {
	c.books = contract.ReconcileInput{SettledBefore: c.report.At.Add(-c.InDoubtPeriod), OrdersInDoubt: map[string]bool{}, Now: c.report.At}
	doubts, err := c.Store.OrdersInDoubt(ctx)
	if err != nil {
		return err
	}
	for _, o := range doubts {
		c.books.OrdersInDoubt[o.Order] = true
	}
	if len(names) == 1 {
		for id := range names {
			c.books.OnlyOrganisation = id
		}
	}
	account := &c.report.Office
	unexplained := map[string]contract.OfficeSerial{} // serials of the list that the register lacks
	for _, o := range list {
		state := contract.OfficeUnused
		if o.Status == emeterai.Affixed {
			state = contract.OfficeAffixed
			account.Affixed++
		} else {
			account.Unused++
		}
		unexplained[o.Serial] = contract.OfficeSerial{Serial: o.Serial, State: state, File: o.File, Order: o.OrderID()}
	}

	c.report.Register = map[contract.SerialState]int{}
	var failed error
	err = c.Store.EachSerial(ctx, store.SerialQuery{}, func(k contract.StampSerial) bool {
		o := unexplained[k.Serial]
		delete(unexplained, k.Serial)
		c.moving = c.moving || k.ChangedAt.After(c.books.SettledBefore)
		var j contract.SerialResult
		if j, failed = c.explainSerial(ctx, k, o); failed == nil {
			failed = c.applyVerdict(ctx, j)
		}
		c.report.Register[cmp.Or(j.Difference.RegisterState, k.State)]++
		return failed == nil
	})
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	for _, serial := range slices.Sorted(maps.Keys(unexplained)) {
		o := unexplained[serial]
		document, organisation, err := c.findOrder(ctx, o.Order)
		if err != nil {
			return err
		}
		j := c.books.CompareUnknown(o, document, organisation)
		if err := c.applyVerdict(ctx, j); err != nil {
			return err
		}
		if j.Move != nil {
			c.report.Register[contract.SerialBought]++
		}
	}

	// The stamp office keeps the balance separately from the list.
	switch {
	case account.Unused == account.Reported:
	case c.moving || len(doubts) > 0:
		c.report.AddDifference(contract.Difference{Kind: contract.DifferBalance})
	default:
		c.report.AddDifference(contract.Difference{Kind: contract.DifferCount})
	}
	return nil
}

func (c *comparison) explainSerial(ctx context.Context, k contract.StampSerial, o contract.OfficeSerial) (contract.SerialResult, error) {
	var state contract.State
	if k.State == contract.SerialBound && o.State == contract.OfficeAffixed {
		d, err := c.LoadDocument(ctx, k.Document)
		if err != nil && !errors.Is(err, contract.ErrNotFound) {
			return contract.SerialResult{}, err
		}
		state = d.State
		c.moving = c.moving || state == contract.Processing
	}
	return c.books.CompareKnown(k, o, state), nil
}

// applyVerdict applies a result and adds it to the report. A serial that another writer moved in the meantime is not
// changed.
func (c *comparison) applyVerdict(ctx context.Context, j contract.SerialResult) error {
	if j.Move != nil {
		err := c.Store.MoveSerials(ctx, []contract.SerialMove{*j.Move}, j.Event)
		if errors.Is(err, store.ErrConflict) {
			j.Difference.Kind, j.Difference.RegisterState = contract.DifferChanged, j.Move.From
		} else if err != nil {
			return err
		}
	}
	if j.Difference.Kind != "" {
		c.report.AddDifference(j.Difference)
	}
	return nil
}

// findOrder returns the document of an order and its organisation. Both are zero if the order is not ours.
func (s *Stamping) findOrder(ctx context.Context, order string) (contract.DocumentID, contract.OrganisationID, error) {
	if order == "" {
		return 0, "", nil
	}
	id, err := s.Store.DocumentWithOrder(ctx, order)
	if errors.Is(err, store.ErrNotFound) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	d, err := s.LoadDocument(ctx, id)
	if err != nil && !errors.Is(err, contract.ErrNotFound) {
		return 0, "", err
	}
	return id, d.Organisation, nil
}

// Reconciliation returns the last report, or one without a number before the first. An admin sees only the differences
// of their own organisation, and not the contents of the account.
func (s *Stamping) Reconciliation(ctx context.Context, by contract.Actor) (contract.Reconciliation, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminReconciliation, "")
	if err != nil {
		return contract.Reconciliation{}, err
	}
	r, err := s.Store.LastReconciliation(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return contract.Reconciliation{}, nil
	}
	if err != nil {
		return contract.Reconciliation{}, err
	}
	if scope.Organisation != "" {
		r = r.ForOrganisation(scope.Organisation)
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		d.OrganisationName = scope.Organisations[d.Organisation].Name
	}
	return r, nil
}

// ReconcileDue reconciles on behalf of the service, unless the last reconciliation succeeded within the given period.
// If it is not due, it returns an empty report.
func (s *Stamping) ReconcileDue(ctx context.Context, every time.Duration) (contract.Reconciliation, error) {
	last, err := s.Store.LastReconciliation(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return contract.Reconciliation{}, err
	case last.Problem == "" && s.Clock().Before(last.At.Add(every)):
		return contract.Reconciliation{}, nil
	}
	return s.Reconcile(ctx, contract.Actor{})
}

// compareRestored compares the account with the register before the first stamp after the database was restored: what was bought meanwhile
// enters the register. While the stamp office does not answer it returns when to try again.
func (s *Stamping) compareRestored(ctx context.Context) (*contract.Later, error) {
	if s.RestoredAt.IsZero() || s.compared.Load() {
		return nil, nil
	}
	last, err := s.Store.LastReconciliation(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if err != nil || last.Problem != "" || !last.At.After(s.RestoredAt) {
		if last, err = s.Reconcile(ctx, contract.Actor{}); err != nil {
			return nil, err
		}
	}
	if last.Problem != "" {
		return &contract.Later{After: documents.ClockRetry, Err: fmt.Errorf("the account at the stamp office has to be compared with the register after the restoration: %s", last.Problem)}, nil
	}
	s.compared.Store(true)
	return nil, nil
}
