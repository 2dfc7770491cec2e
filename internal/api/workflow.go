package api

import (
	"context"
	"io"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// Workflow is what callers can do with documents. [AdaptWorkflow] makes one from the workflow service.
type Workflow interface {
	Stage(ctx context.Context) (Staging, error)
	Upload(ctx context.Context, by contract.Actor, r UploadRequest) (contract.Document, error)
	WaitForConversion(ctx context.Context, by contract.Actor, d contract.Document, wait time.Duration) (contract.Document, error)
	SetParticipants(ctx context.Context, by contract.Actor, id contract.DocumentID, people []PersonRequest, parallel *bool) (contract.Document, error)
	Describe(ctx context.Context, by contract.Actor, id contract.DocumentID, to contract.Description) (contract.Document, error)
	Place(ctx context.Context, by contract.Actor, id contract.DocumentID, requests []contract.PlaceRequest) (contract.Document, []contract.Warning, error)
	Finalize(ctx context.Context, by contract.Actor, id contract.DocumentID, o contract.FinalizeOptions) (contract.Document, []contract.Warning, error)
	PlacementWarnings(ctx context.Context, d contract.Document) []contract.Warning
	Sign(ctx context.Context, by contract.Actor, id contract.DocumentID, r SignRequest) (contract.Document, error)
	Reject(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error)
	Cancel(ctx context.Context, by contract.Actor, id contract.DocumentID, reason string) (contract.Document, error)
	Remind(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error)
	Restamp(ctx context.Context, by contract.Actor, id contract.DocumentID, newSerial bool) (contract.Document, error)
	RetryOwn(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error)
	Delete(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error)
	GuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (url string, err error)
	RevokeGuestLink(ctx context.Context, by contract.Actor, id contract.DocumentID, guest contract.PersonID) (contract.Document, error)
	Detail(ctx context.Context, by contract.Actor, op contract.Operation, id contract.DocumentID) (contract.Document, error)
	List(ctx context.Context, by contract.Actor, r ListRequest) (store.List, error)
	AuditTrail(ctx context.Context, by contract.Actor, id contract.DocumentID) ([]contract.Event, error)
	WaitForChange(ctx context.Context, by contract.Actor, id contract.DocumentID, after int64) (*contract.Document, error)
	Preview(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error)
	Download(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error)
	Original(ctx context.Context, by contract.Actor, id contract.DocumentID) (*Content, error)
	Balance(ctx context.Context, by contract.Actor) (map[contract.Unit]store.Quota, error)
	Verifier
	Administration
}

// Staging takes the bytes of a file while they arrive. Abort discards them and does nothing after Upload took them.
type Staging interface {
	io.Writer
	Abort()
}

// UploadRequest is a new document whose file was staged.
type UploadRequest struct {
	Title     string
	Filename  string
	Parallel  bool
	People    []PersonRequest
	ExpiresAt time.Time
	File      Staging
}

// Types of the workflow that the interface uses unchanged.
type (
	PersonRequest = workflow.PersonRequest
	SignRequest   = workflow.SignRequest
	ListRequest   = workflow.ListRequest
)

// Content is a file to be sent.
type Content struct {
	io.ReadSeekCloser
	Name     string // file name as uploaded
	Digest   [32]byte
	Modified time.Time
	Specimen bool // stamped by the sandbox stamp office
}

// Administration is the workflow behind the administration endpoints. It decides what each caller may do.
type Administration interface {
	Quotas(ctx context.Context, by contract.Actor, of contract.OrganisationID) ([]workflow.OrganisationQuota, error)
	GrantQuota(ctx context.Context, by contract.Actor, r workflow.GrantRequest) (workflow.OrganisationQuota, error)
	QuotaLedger(ctx context.Context, by contract.Actor, q store.QuotaQuery) (workflow.LedgerPage, error)
	Attempts(ctx context.Context, by contract.Actor, q store.AttemptQuery) (workflow.AttemptPage, error)
	EachAttempt(ctx context.Context, by contract.Actor, q store.AttemptQuery, yield func(workflow.AttemptLine) error) error
	Serials(ctx context.Context, by contract.Actor, q store.SerialQuery) (workflow.SerialPage, error)
	Evidence(ctx context.Context, by contract.Actor, serial string) (*Content, error)
	Reconciliation(ctx context.Context, by contract.Actor) (contract.Reconciliation, error)
	Reconcile(ctx context.Context, by contract.Actor) (contract.Reconciliation, error)
	Waiting(ctx context.Context, by contract.Actor, q store.WaitingQuery) (workflow.WaitingPage, error)
	Retry(ctx context.Context, by contract.Actor, id contract.DocumentID) (contract.Document, error)
	CertificateList(ctx context.Context, by contract.Actor, q store.CertificateQuery) (workflow.CertificatePage, error)
	AuditLog(ctx context.Context, by contract.Actor, q store.LogQuery) (workflow.LogPage, error)
}
