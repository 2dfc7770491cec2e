package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrClaimLost is a claim that its request does not hold any more: its process was taken for ended, and another request with
// the key may have run. Nothing was applied.
var ErrClaimLost = errors.New("the claim on the idempotency key is lost")

// Lease is how long a claim stands without being renewed. It matters only for processes whose end cannot be seen, because they
// ran on a machine with another data folder.
const Lease = 30 * time.Second

// Claim says that a request with an Idempotency-Key is being answered, so that no other with the same key runs meanwhile.
type Claim struct {
	Account string
	Path    string
	Key     string // a keyed hash of the Idempotency-Key
	Clear   string // the Idempotency-Key itself; looked up only among the answers of before migration 0015, never stored
	Token   string // names this claim, so that no other request passes for its own
	Process string // that answers the request
	At      time.Time
}

// Answer is the final answer to the first request with an Idempotency-Key.
type Answer struct {
	Body    [32]byte // keyed digest of that request's body; its SHA-256 where the answer is not sealed
	Status  int
	Header  map[string]string
	Content []byte
	Sealed  bool // Content is encrypted; false only in answers of before migration 0015
	At      time.Time
}

// Claimed tells what a claim met. It has an answer or a holder; with neither, the claim stands.
type Claimed struct {
	Answer *Answer // of an earlier request
	Holder string  // process that is answering an earlier request, or was

	HolderToken string // of that request's claim
}

// Answers keeps claims and answers for idempotency keys. Effects keep their answers themselves, see [KeepAnswer].
type Answers interface {
	// Claim claims a key for a request. An answer older than keep counts as none, and so does a claim whose lease has run out.
	Claim(ctx context.Context, c Claim, keep time.Duration) (Claimed, error)

	// FinishClaim keeps the answer to a request that changed nothing, or whose effect kept a provisional answer, and ends its
	// claim. ErrClaimLost when it has none.
	FinishClaim(ctx context.Context, c Claim, a Answer) error

	// DropClaim ends a claim. An answer that its effect kept stays, and so does another request's claim.
	DropClaim(ctx context.Context, c Claim) error

	// ReleaseClaims ends all claims of a process, which has ended.
	ReleaseClaims(ctx context.Context, process string) error

	// RenewClaims makes the leases of all claims of a process begin anew.
	RenewClaims(ctx context.Context, process string, now time.Time) error

	// PurgeAnswers removes what was claimed or answered before that moment.
	PurgeAnswers(ctx context.Context, before time.Time) error
}

// PendingAnswer is the answer to a request with an Idempotency-Key, which is to be kept in the transaction of the request's
// effect. The context of the request carries it. It belongs to one request and is not safe for concurrent use.
type PendingAnswer struct {
	Claim Claim

	// Render makes the answer of what the verb returns, or of an error that it returns for good. It runs within the
	// transaction, more than once if that starts over, and does no I/O.
	Render func(result any) (Answer, error)

	// Stored tells what is durable, once the effect is.
	Stored AnswerState
}

// AnswerState says what is durable of an answer.
type AnswerState uint8

// What is durable of an answer: nothing, one that stands only if the process ends before it finishes the request, or the final
// one.
const (
	NoAnswer AnswerState = iota
	ProvisionalAnswer
	FinalAnswer
)

// Effect is what turns a transaction into the effect of a request: its answer is kept with it.
type Effect struct {
	*PendingAnswer
	Stores AnswerState                    // KeptProvisional or KeptFinal
	Answer func(made any) (Answer, error) // of what the transaction made: the result of the store's method
}

type (
	pendingKey struct{}
	effectKey  struct{}
)

// WithPendingAnswer returns the context of a request whose answer is to be kept.
func WithPendingAnswer(ctx context.Context, p *PendingAnswer) context.Context {
	return context.WithValue(ctx, pendingKey{}, p)
}

// WithFinalAnswer returns a context for the one call of the store that is the effect of the request: Commit, Grant or
// KeepReconciliation. Its transaction also keeps the request's answer and ends its claim, or fails with [ErrClaimLost].
// Result makes what the verb returns of what the call returns, of type R; it does no I/O. Without a pending answer, the context
// is returned as it is.
//
// Calls with any other context, such as commits of an intention, keep no answer: after a crash behind them, a repeat runs.
func WithFinalAnswer[R any](ctx context.Context, result func(R) any) context.Context {
	return withEffect(ctx, FinalAnswer, result)
}

// WithProvisionalAnswer is [KeepAnswer] for an effect that the request goes on working on. The claim stands until the request
// is finished; if its process ends before, the provisional answer is the one that repeats get.
func WithProvisionalAnswer[R any](ctx context.Context, result func(R) any) context.Context {
	return withEffect(ctx, ProvisionalAnswer, result)
}

func withEffect[R any](ctx context.Context, keeps AnswerState, result func(R) any) context.Context {
	p, _ := ctx.Value(pendingKey{}).(*PendingAnswer)
	if p == nil {
		return ctx
	}
	return context.WithValue(ctx, effectKey{}, &Effect{PendingAnswer: p, Stores: keeps, Answer: func(made any) (Answer, error) {
		r, ok := made.(R)
		if !ok {
			return Answer{}, fmt.Errorf("the answer is made of %T, and the store made %T", r, made)
		}
		return p.Render(result(r))
	}})
}

// EffectOf returns the effect that a transaction with this context is; nil if it is none. Implementations of the store call it.
func EffectOf(ctx context.Context) *Effect {
	e, _ := ctx.Value(effectKey{}).(*Effect)
	return e
}
