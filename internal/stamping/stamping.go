// Package stamping buys the serials of duty stamps and affixes them, one after the other, and compares the account at
// the stamp office with the register of serials. A serial costs money and is never taken back, so the intention of every
// call is durable before the call.
package stamping

import (
	"context"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// Store is the durable storage of stamping.
type Store interface {
	documents.Store
	store.Serials
	Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error)
	// AddReconciliation and LastReconciliation are those of [store.Administration].
	AddReconciliation(ctx context.Context, r contract.Reconciliation) (int64, error)
	LastReconciliation(ctx context.Context) (contract.Reconciliation, error)
}

// Stamping holds the dependencies of stamping.
type Stamping struct {
	*documents.Documents

	Store         Store
	Office        emeterai.Stamper
	InDoubtPeriod time.Duration // how long after a call the stamp office may still carry it out

	reconciling sync.Mutex // held by the running reconciliation
}
