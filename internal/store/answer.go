package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrClaimLost means that a request no longer holds its claim: its process was assumed to be dead, and another request with
// the key may have run. Nothing was applied.
var ErrClaimLost = errors.New("the claim on the idempotency key is lost")

// Lease is how long a claim is valid without being renewed. It matters only for processes whose end cannot be observed because
// they ran on a machine with another data folder.
const Lease = 30 * time.Second

// Claim records that a request with an Idempotency-Key is in progress, so that no other request with the key runs.
type Claim struct {
	Account  string
	Path     string
	Key      string // a keyed hash of the Idempotency-Key
	ClearKey string // the Idempotency-Key itself; used only to find answers stored before migration 0015, never stored
	Token    string // identifies this claim among all claims on the key
	Process  string // that handles the request
	At       time.Time
}

// Answer is the final answer to the first request with an Idempotency-Key.
type Answer struct {
	Body    [32]byte // keyed digest of that request's body; its SHA-256 if the answer is not sealed
	Status  int
	Header  map[string]string
	Content []byte
	Sealed  bool // Content is encrypted; false only for answers stored before migration 0015
	At      time.Time
}

// Claimed is the result of a claim. If it has neither an answer nor a holder, the claim succeeded.
type Claimed struct {
	Answer *Answer // to an earlier request
	Holder string  // process that handles an earlier request, or did

	HolderToken string // of that request's claim
}

// Answers stores claims and answers for idempotency keys. Effects store their answers themselves, see [WithFinalAnswer].
type Answers interface {
	// Claim claims a key for a request. It ignores answers older than keep and claims whose lease has expired.
	Claim(ctx context.Context, c Claim, keep time.Duration) (Claimed, error)

	// FinishClaim stores the answer to a request that changed nothing, or whose effect stored a provisional answer, and ends its
	// claim. It returns ErrClaimLost if the request does not hold the claim.
	FinishClaim(ctx context.Context, c Claim, a Answer) error

	// DropClaim ends a claim. It leaves an answer that the effect stored, and other requests' claims.
	DropClaim(ctx context.Context, c Claim) error

	// ReleaseClaims ends all claims of a process that has ended.
	ReleaseClaims(ctx context.Context, process string) error

	// RenewClaims restarts the leases of all claims of a process.
	RenewClaims(ctx context.Context, process string, now time.Time) error

	// PurgeAnswers deletes claims and answers made before that moment.
	PurgeAnswers(ctx context.Context, before time.Time) error
}

// PendingAnswer is the answer to a request with an Idempotency-Key, to be stored in the transaction of the request's
// effect. The context of the request carries it. It belongs to one request and is not safe for concurrent use.
type PendingAnswer struct {
	Claim Claim

	// Render builds the answer from the result of the operation, or from a permanent error. It runs within the
	// transaction, again if the transaction is retried, and does no I/O.
	Render func(result any) (Answer, error)

	// Stored says what of the answer is durable once the effect is.
	Stored AnswerState
}

// AnswerState says what of an answer is durable.
type AnswerState uint8

// What is durable: nothing; an answer that counts only if the process dies before it finishes the request; or the final
// answer.
const (
	NoAnswer AnswerState = iota
	ProvisionalAnswer
	FinalAnswer
)

// EffectAnswer is the answer that a transaction stores because it is the effect of a request.
type EffectAnswer struct {
	*PendingAnswer
	Stores AnswerState                    // ProvisionalAnswer or FinalAnswer
	Answer func(made any) (Answer, error) // builds the answer from the result of the store's method
}

type (
	pendingKey struct{}
	effectKey  struct{}
)

// WithPendingAnswer returns the context of a request whose answer is to be stored.
func WithPendingAnswer(ctx context.Context, p *PendingAnswer) context.Context {
	return context.WithValue(ctx, pendingKey{}, p)
}

// WithFinalAnswer returns a context for the one call of the store that is the effect of the request: Commit, Grant or
// AddReconciliation. Its transaction also stores the request's answer and ends its claim, or fails with [ErrClaimLost].
// Result turns what the call returns, of type R, into the result of the operation; it does no I/O. Without a pending answer,
// WithFinalAnswer returns ctx.
//
// Calls with any other context, such as commits of an intention, store no answer: after a crash that follows them, a repeated
// request runs again.
func WithFinalAnswer[R any](ctx context.Context, result func(R) any) context.Context {
	return withEffect(ctx, FinalAnswer, result)
}

// WithProvisionalAnswer is [WithFinalAnswer] for an effect after which the request goes on working. The claim stays until the
// request is finished; if its process dies before, repeated requests get the provisional answer.
func WithProvisionalAnswer[R any](ctx context.Context, result func(R) any) context.Context {
	return withEffect(ctx, ProvisionalAnswer, result)
}

func withEffect[R any](ctx context.Context, keeps AnswerState, result func(R) any) context.Context {
	p, _ := ctx.Value(pendingKey{}).(*PendingAnswer)
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, effectKey{}, &EffectAnswer{PendingAnswer: p, Stores: keeps, Answer: func(made any) (Answer, error) {
		r, ok := made.(R)
		if !ok {
			return Answer{}, fmt.Errorf("the answer needs a result of type %T, and the store returned %T", r, made)
		}
		return p.Render(result(r))
	}})
}

// EffectAnswerOf returns what ctx makes the next transaction store; nil if that is nothing. Implementations of the store call it.
func EffectAnswerOf(ctx context.Context) *EffectAnswer {
	e, _ := ctx.Value(effectKey{}).(*EffectAnswer)
	return e
}
