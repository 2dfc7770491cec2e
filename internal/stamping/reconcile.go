package stamping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
	a, err := s.fetchAccount(ctx)
	switch {
	case ctx.Err() != nil:
		return contract.Reconciliation{}, ctx.Err() // the process is stopping; the stamp office has no fault
	case err != nil:
		s.Log.WarnContext(ctx, "the account at the stamp office could not be read", "cause", err)
		r.Problem = problemText(err)
	default:
		if err := s.compareAccount(ctx, a, scope.Organisations, &r); err != nil {
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
	number, err := s.Store.AddReconciliation(store.WithFinalAnswer(ctx, func(number int64) any { return numbered(number) }), r)
	if err != nil {
		return contract.Reconciliation{}, documents.KeyRefusal(err)
	}
	return numbered(number), nil
}

// problemText returns the stamp office's own text of a problem.
func problemText(err error) string {
	var p *emeterai.Problem
	if errors.As(err, &p) {
		return cmp.Or(p.Text, p.Code)
	}
	return err.Error()
}

// officeAccount is the account at the stamp office.
type officeAccount struct {
	serials []emeterai.Serial
	balance emeterai.Balance
}

func (s *Stamping) fetchAccount(ctx context.Context) (a officeAccount, err error) {
	if availability := s.Office.Availability(); availability.Down {
		return a, fmt.Errorf("%w: %s", errOfficePaused, availability.Reason)
	}
	if a.serials, err = s.Office.ListSerials(ctx); err != nil {
		return a, err
	}
	a.balance, err = s.Office.Balance(ctx)
	return a, err
}

// compareAccount fills in the report. It reads the register and the orders in doubt after the list; see
// [contract.ReconcileInput].
func (s *Stamping) compareAccount(ctx context.Context, a officeAccount, names documents.OrganisationsByID, r *contract.Reconciliation) error {
	b, err := s.loadBooks(ctx, r.At, names)
	if err != nil {
		return err
	}
	c := comparison{Stamping: s, books: b, unexplained: map[string]contract.OfficeSerial{}, report: r}
	c.indexAccount(a)
	if err := c.compareRegister(ctx); err != nil {
		return err
	}
	if err := c.explainUnregistered(ctx); err != nil {
		return err
	}
	c.compareBalance(len(b.OrdersInDoubt) > 0)
	return nil
}

func (s *Stamping) loadBooks(ctx context.Context, at time.Time, names documents.OrganisationsByID) (contract.ReconcileInput, error) {
	b := contract.ReconcileInput{SettledBefore: at.Add(-s.InDoubtPeriod), OrdersInDoubt: map[string]bool{}, Now: at}
	doubts, err := s.Store.OrdersInDoubt(ctx)
	if err != nil {
		return b, err
	}
	for _, o := range doubts {
		b.OrdersInDoubt[o.Order] = true
	}
	if len(names) == 1 {
		for id := range names {
			b.OnlyOrganisation = id
		}
	}
	return b, nil
}

// comparison is the state of one reconciliation.
type comparison struct {
	*Stamping
	books       contract.ReconcileInput
	unexplained map[string]contract.OfficeSerial // serials of the office's list without an explanation so far
	moving      bool                             // stamps were being affixed while the list was read
	report      *contract.Reconciliation
}

func (c *comparison) indexAccount(a officeAccount) {
	n := &c.report.Office
	n.Left, n.Reported = a.balance.Left, a.balance.Unused
	for _, o := range a.serials {
		state := contract.OfficeUnused
		if o.Status == emeterai.Affixed {
			state = contract.OfficeAffixed
			n.Affixed++
		} else {
			n.Unused++
		}
		c.unexplained[o.Serial] = contract.OfficeSerial{Serial: o.Serial, State: state, File: o.File, Order: o.OrderID()}
	}
}

// compareRegister compares every serial of the register with the list.
func (c *comparison) compareRegister(ctx context.Context) error {
	c.report.Register = map[contract.SerialState]int{}
	var failed error
	err := c.Store.EachSerial(ctx, store.SerialQuery{}, func(k contract.StampSerial) bool {
		o := c.unexplained[k.Serial]
		delete(c.unexplained, k.Serial)
		c.moving = c.moving || k.ChangedAt.After(c.books.SettledBefore)
		j, err := c.explainSerial(ctx, k, o)
		if err == nil {
			err = c.applyVerdict(ctx, j)
		}
		failed = err
		c.report.Register[cmp.Or(j.Difference.RegisterState, k.State)]++
		return err == nil
	})
	return errors.Join(failed, err)
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

// explainUnregistered explains the serials of the list that the register lacks.
func (c *comparison) explainUnregistered(ctx context.Context) error {
	for _, serial := range slices.Sorted(maps.Keys(c.unexplained)) {
		o := c.unexplained[serial]
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
	return nil
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

// compareBalance compares the list with the balance, which the stamp office keeps separately.
func (c *comparison) compareBalance(doubts bool) {
	n := c.report.Office
	switch {
	case n.Unused == n.Reported:
	case c.moving || doubts:
		c.report.AddDifference(contract.Difference{Kind: contract.DifferBalance})
	default:
		c.report.AddDifference(contract.Difference{Kind: contract.DifferCount})
	}
}

// GiveSerial assigns a serial that was found in the account and belongs to no organisation. A serial that the register
// lacks is entered if the stamp office reports it as unused now: if the office's lists have no file names and an order
// is in doubt, reconciliation does not enter such a serial, and the order cannot be settled while it may have bought
// this serial. A serial whose file name contains another organisation's order can only be assigned to that
// organisation.
func (s *Stamping) GiveSerial(ctx context.Context, by contract.Actor, serial string, to contract.OrganisationID) error {
	if _, err := s.AuthoriseAdmin(ctx, by, contract.AdminReconcile, to); err != nil {
		return err
	}
	k, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		k = contract.StampSerial{Serial: serial}
		err = s.requireUnused(ctx, serial, contract.ErrNotUnused)
	}
	if err != nil {
		return err
	}
	m, e, err := contract.AssignSerial(k, to, by, s.Clock())
	if err != nil {
		return err
	}
	if err := s.requireSameOrganisation(ctx, serial, to); err != nil {
		return err
	}
	err = s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return contract.ErrSerialNotUnassigned.With("serial", serial).WithCause(err) // another writer assigned or used it
	}
	return err
}

// requireSameOrganisation refuses a serial whose file name at the stamp office contains an order of another
// organisation.
func (s *Stamping) requireSameOrganisation(ctx context.Context, serial string, to contract.OrganisationID) error {
	serials, err := s.Office.ListSerials(ctx)
	if err != nil {
		return contract.ErrOfficeDown.WithCause(err)
	}
	for _, o := range serials {
		if o.Serial != serial {
			continue
		}
		document, organisation, err := s.findOrder(ctx, o.OrderID())
		if err != nil {
			return err
		}
		if organisation != "" && organisation != to {
			return contract.ErrOtherOrganisationsOrder.With("serial", serial).WithCause(fmt.Errorf("its file is %q, of document %d", o.File, document))
		}
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
