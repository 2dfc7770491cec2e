package api

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// maxKey bounds an Idempotency-Key, in bytes.
const maxKey = 255

// claimTimeout bounds how long an answer waits until the end of its claim is stored.
const claimTimeout = 2 * time.Second

// repeatedHeaders are the headers that a repeated answer shares with the first.
var repeatedHeaders = []string{"Content-Type", "Content-Language", "Cache-Control", "Content-Security-Policy"}

// keyedCall is the state of a call with an Idempotency-Key. It belongs to one request.
type keyedCall struct {
	answerKeys
	pending  *store.PendingAnswer
	request  *hashingBody    // the body
	rendered *bufferedAnswer // the last answer that pending rendered; if the change was committed, the one stored with it

	unfinished bool // a repeat of the request may do what this one could not, so its answer is not stored
}

// runOnce runs an endpoint, at most once for an Idempotency-Key.
//
// The key is claimed before anything runs, so that of two requests at the same moment one is refused. The digest of
// the body is not known then: a body of 50 MiB is hashed while the endpoint reads it, and the digest is stored with
// the answer. A repeat hashes its own body and compares, without running anything.
//
// Durable before anything runs: the claim. Durable with the change: the answer and the end of the claim. If the
// process dies before the change, the claim of an ended process remains; the next request with the key ends it and
// runs. If it dies after the change, a repeat gets the stored answer.
func (c *call) runOnce(do func(*call) error) error {
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" || !c.endpoint.takesKey() {
		return do(c)
	}
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return contract.Refuse(contract.Invalid, "idempotency.malformed").With("limit", maxKey)
	}
	claim := store.Claim{Account: string(c.by.ID), Path: c.r.URL.Path, ClearKey: key, Token: rand.Text(), Process: c.Process.Name(), At: c.Clock()}
	keys, err := c.deriveKeys(claim, c.by.Key != nil && c.by.Key.Test)
	if err != nil {
		return err
	}
	claim.Key = keys.name
	c.running.Store(claim.Token, true)
	defer c.running.Delete(claim.Token)
	met, err := c.claimKey(claim)
	switch {
	case err != nil:
		return fmt.Errorf("claim idempotency key: %w", err)
	case met.Holder != "":
		return contract.ErrKeyRunning
	case met.Answer != nil:
		return c.repeatAnswer(keys, met.Answer)
	}
	return c.runAndStoreAnswer(claim, keys, do)
}

// answersSecret lists the operations of administration that answer a password or the secret of a webhook.
var answersSecret = []contract.AdminOperation{contract.AdminAddPerson, contract.AdminResetPassword, contract.AdminAddWebhook, contract.AdminRotateWebhook}

// takesKey reports whether the endpoint accepts an Idempotency-Key. Every POST does, except those below /v1/auth/ and
// those whose answers are secrets, those without an account to store an answer for, and the one that
// begins an upload: it is a step of another protocol, and a repeat begins another upload, which expires.
func (e *row) takesKey() bool {
	return e.method == http.MethodPost && e.access != anybody && !strings.HasPrefix(e.path, "/v1/auth/") && e.path != uploadsPath && !slices.Contains(answersSecret, e.access.admin)
}

// answerKeys are the keys derived from an Idempotency-Key.
type answerKeys struct {
	name string      // under which the answer is stored
	seal cipher.AEAD // AES-256-GCM, with a random nonce
	body []byte      // key of the HMAC-SHA256 of the request's body, which may contain a one-time password
}

// deriveKeys derives the keys with HKDF-SHA256 (RFC 5869). The salt is a secret of the service, so that even a key
// that is easy to guess protects its answer from a reader of the database. Without the Idempotency-Key, which is not
// stored, the service cannot read the answer either.
//
// Answers to test keys are apart from the others: they are about test documents, and a program that repeats its requests with another key
// wants documents with value.
func (s *server) deriveKeys(c store.Claim, test bool) (k answerKeys, err error) {
	purpose := "segel answer 1\x00"
	if test {
		purpose = "segel answer 1 test\x00"
	}
	keys, err := hkdf.Key(sha256.New, []byte(c.ClearKey), s.AnswerSecret[:], purpose+c.Account+"\x00"+c.Path, 96)
	if err != nil {
		return k, fmt.Errorf("derive keys of an answer: %w", err)
	}
	block, err := aes.NewCipher(keys[32:64])
	if err != nil {
		return k, fmt.Errorf("derive keys of an answer: %w", err)
	}
	k.name, k.body = hex.EncodeToString(keys[:32]), keys[64:]
	k.seal, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// claimKey claims the key. It first ends a claim whose request is not running any more, because its process has ended
// or could not end the claim while the database did not answer.
func (c *call) claimKey(claim store.Claim) (store.Claimed, error) {
	ctx, cancel := context.WithTimeout(c.r.Context(), c.AnswerTimeout)
	defer cancel()
	met, err := c.Answers.Claim(ctx, claim, c.KeepAnswers)
	if err != nil || met.Holder == "" {
		return met, err
	}
	ended := false
	if met.Holder == claim.Process {
		if _, running := c.running.Load(met.HolderToken); !running {
			former := claim
			former.Token, ended = met.HolderToken, true
			err = c.Answers.DropClaim(ctx, former)
		}
	} else {
		ended, err = c.Process.IfEnded(ctx, met.Holder, func() error { return c.Answers.ReleaseClaims(ctx, met.Holder) })
	}
	if err != nil || !ended {
		return met, err
	}
	return c.Answers.Claim(ctx, claim, c.KeepAnswers)
}

// repeatAnswer sends the stored answer of the first request with this key, if this is the same request.
func (c *call) repeatAnswer(keys answerKeys, first *store.Answer) error {
	h := hmac.New(sha256.New, keys.body)
	if !first.Sealed {
		h = sha256.New()
	}
	if _, err := io.Copy(h, c.r.Body); err != nil {
		return bodyReadError(err)
	}
	if [32]byte(h.Sum(nil)) != first.Body {
		return errKeyReused
	}
	content := first.Content
	if first.Sealed {
		var err error
		if content, err = keys.seal.Open(nil, nil, first.Content, first.Body[:]); err != nil {
			return fmt.Errorf("open the answer to the first request: %w", err)
		}
	}
	for name, value := range first.Header {
		c.w.Header().Set(name, value)
	}
	c.w.Header().Set("Idempotent-Replayed", "true")
	c.w.WriteHeader(first.Status)
	_, _ = c.w.Write(content) // if this fails, the client has gone; it can ask again
	return nil
}

// runAndStoreAnswer runs the endpoint and stores its answer.
//
// A change stores its answer in its own transaction, see [runOperation]. Stored here is the answer to a request that
// changed nothing, such as a refusal, and the last answer to an upload that waited for its conversion. If the process
// dies before that, a repeat runs and changes nothing either, or gets the provisional answer to the upload.
func (c *call) runAndStoreAnswer(claim store.Claim, keys answerKeys, do func(*call) error) error {
	k := &keyedCall{
		answerKeys: keys,
		pending: &store.PendingAnswer{Claim: claim, Render: func(any) (store.Answer, error) {
			return store.Answer{}, fmt.Errorf("%s does not say what its answer is made of", c.endpoint.id)
		}},
		request: &hashingBody{ReadCloser: c.r.Body, hash: hmac.New(sha256.New, keys.body)},
	}
	answer := newBufferedAnswer()
	inner := *c
	inner.w, inner.keyed = answer, k
	inner.r = c.r.Clone(store.WithPendingAnswer(c.r.Context(), k.pending))
	inner.r.Body = k.request

	settled := false
	// The claim must be ended even if the client has gone: it may ask again.
	background := context.WithoutCancel(c.r.Context())
	defer func() {
		if !settled && k.pending.Stored != store.FinalAnswer { // after a panic, or when the answer is not stored
			ctx, cancel := context.WithTimeout(background, claimTimeout)
			defer cancel()
			if err := c.Answers.DropClaim(ctx, claim); err != nil { // if this fails, the next request with the key ends the claim
				c.Log.ErrorContext(ctx, "drop idempotency key", "error", err)
			}
		}
	}()
	err := do(&inner)
	if err != nil {
		inner.answerError(err)
	}
	switch {
	case k.pending.Stored == store.FinalAnswer:
		answer = k.rendered // whatever happened afterwards: a repeat must get the same answer as the first request
	case k.request.readRest() == nil && isFinalStatus(answer.status) && !isRetryable(err) && !contract.AsksForFactor(err) && !k.unfinished:
		kept, err := k.sealAnswer(answer)
		ctx, cancel := context.WithTimeout(background, claimTimeout)
		defer cancel()
		if err == nil {
			err = c.Answers.FinishClaim(ctx, claim, kept)
		}
		settled = err == nil
		if err != nil {
			// The answer is correct even if it is not stored. A repeat then finds nothing left to change, or the
			// provisional answer.
			c.Log.ErrorContext(ctx, "keep answer for idempotency key", "error", err)
		}
	case k.pending.Stored == store.ProvisionalAnswer:
		answer = k.rendered
	}
	answer.writeTo(c.w)
	return nil
}

// sealAnswer returns an answer in its stored form.
func (k *keyedCall) sealAnswer(a *bufferedAnswer) (store.Answer, error) {
	if err := k.request.readRest(); err != nil {
		return store.Answer{}, err
	}
	kept := store.Answer{Body: [32]byte(k.request.hash.Sum(nil)), Status: a.status, Header: a.storedHeader(), Sealed: true, At: k.pending.Claim.At}
	kept.Content = k.seal.Seal(nil, nil, a.content.Bytes(), kept.Body[:])
	return kept, nil
}

// runOperation runs a workflow operation that changes something, and builds the answer from its result. With an
// Idempotency-Key, the answer is rendered and stored within the transaction of the change, so answer must do no I/O:
// it uses only the result and the request.
func runOperation[Result, Out any](c *call, verb func(context.Context) (Result, error), answer func(Result) Out) (out Out, err error) {
	if k := c.keyed; k != nil {
		// The digest of the whole body is stored with the answer. Reading it now keeps the transaction from waiting
		// for a client.
		if err := k.request.readRest(); err != nil {
			return out, bodyReadError(err)
		}
		k.pending.Render = func(result any) (store.Answer, error) {
			k.rendered = newBufferedAnswer()
			to := *c
			to.w = k.rendered
			switch r := result.(type) {
			case Result:
				if err := to.writeAnswer(http.StatusOK, answer(r)); err != nil {
					return store.Answer{}, err
				}
			case error:
				to.answerError(r)
			default:
				return store.Answer{}, fmt.Errorf("the answer of %s is made of %T, and the workflow returned %T", c.endpoint.id, *new(Result), result)
			}
			return k.sealAnswer(k.rendered)
		}
	}
	result, err := verb(c.r.Context())
	if err != nil {
		return out, err
	}
	return answer(result), nil
}

func newBufferedAnswer() *bufferedAnswer { return &bufferedAnswer{header: http.Header{}} }

// isFinalStatus reports whether an answer with this status is stored for repeats.
func isFinalStatus(status int) bool {
	return status < 500 && status != http.StatusUnauthorized && status != http.StatusTooManyRequests
}

// isRetryable reports a refusal after which the same request may succeed. If it were stored, it would refuse that
// very repeat.
func isRetryable(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Retryable
}

// hashingBody hashes a body while it is read.
type hashingBody struct {
	io.ReadCloser
	hash hash.Hash
	err  error // why the body could not be read to its end
}

func (b *hashingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.hash.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// readRest reads what the endpoint left unread, which is part of the digest. The endpoint bounds the body.
func (b *hashingBody) readRest() error {
	if b.err == nil {
		_, b.err = io.Copy(io.Discard, b)
	}
	return b.err
}

// bufferedAnswer holds an answer back until it is stored. Only JSON is written to it.
type bufferedAnswer struct {
	header  http.Header
	status  int
	content bytes.Buffer
}

func (a *bufferedAnswer) Header() http.Header { return a.header }

func (a *bufferedAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *bufferedAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.content.Write(p)
}

func (a *bufferedAnswer) storedHeader() map[string]string {
	kept := map[string]string{}
	for _, name := range repeatedHeaders {
		if v := a.header.Get(name); v != "" {
			kept[name] = v
		}
	}
	return kept
}

// writeTo writes the answer to the client.
func (a *bufferedAnswer) writeTo(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.content.Bytes()) // if this fails, the client has gone; a repeat gets the same
}
