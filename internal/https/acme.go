package https

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
)

// Storage keeps the account, the certificate and the open challenges where all nodes read them. It seals what it stores.
type Storage interface {
	// Read returns what is stored under a name; fs.ErrNotExist: nothing is.
	Read(ctx context.Context, name string) ([]byte, error)

	// Write stores content under a name in place of what was. Durable on return.
	Write(ctx context.Context, name string, content []byte) error

	// Lock lets one node at a time order a certificate. It does not wait: ok is false while another node has the lock.
	Lock(ctx context.Context) (release func(), ok bool, err error)
}

// ACMEOptions are the options of ACME.
type ACMEOptions struct {
	Directory string   // URL of the server's directory
	Hosts     []string // in the certificate; the first is its subject
	Email     string   // contact of the account; empty: none
	BindingID string   // identifier and key of an account outside of ACME to which the account is bound; empty: none
	Binding   []byte
	HTTP01    bool // Challenges answers on port 80

	Client  *http.Client
	Storage Storage
	Clock   func() time.Time
	Log     *slog.Logger
}

// ACME is a certificate from an ACME server (RFC 8555), which is ordered and renewed by one of the nodes that share the storage and served by
// all. A handshake never orders one.
type ACME struct {
	Served
	o ACMEOptions

	mu         sync.Mutex // guards the fields below
	challenges []challenge
	readAt     time.Time // of challenges
	served     []byte    // the record of the certificate that is served
}

// NewACME returns a certificate that Run reads and orders.
func NewACME(o ACMEOptions) *ACME { return &ACME{o: o} }

// Names in the storage.
const (
	accountRecord     = "account"
	certificateRecord = "certificate"
	challengeRecord   = "challenges"
	attemptRecord     = "attempt"
)

// Times of Run and of an order.
const (
	readEvery      = time.Minute     // a node looks for the certificate that another one got
	readFirstEvery = 2 * time.Second // the same while it has none
	orderTimeout   = 5 * time.Minute
	challengeFresh = time.Second // how long the open challenges that were read are believed
	challengeRead  = 5 * time.Second
)

// backoff is how long no node orders again after so many orders that failed one after the other. ACME servers refuse accounts that try
// more often.
var backoff = []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour}

// certificate is the record of a certificate. Directory and Hosts are those it was ordered with: others need another certificate.
type certificate struct {
	Version   int
	Directory string
	Hosts     []string
	Chain     []byte // PEM
	Key       []byte // PEM
}

// attempt is the record of the orders since the last certificate.
type attempt struct {
	Version  int
	Failures int       // orders that began and did not end with a certificate
	NextAt   time.Time // no order before
}

// challenge is an open challenge: what the ACME server asks for to see who answers at a host.
type challenge struct {
	Host     string
	Token    string
	Response string // over http-01
	Chain    []byte // PEM, over tls-alpn-01, and its key
	Key      []byte
}

// recordVersion is the version of all records.
const recordVersion = 1

// TLSConfig returns the configuration of a listener that uses the certificate and answers tls-alpn-01 (RFC 8737).
func (a *ACME) TLSConfig() *tls.Config {
	return newTLSConfig(func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
			return a.answerTLS(hello)
		}
		return a.currentCertificate(hello)
	}, acme.ALPNProto)
}

// Challenges answers http-01 and has next answer all other requests.
func (a *ACME) Challenges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.URL.Path, "/.well-known/acme-challenge/")
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		for _, c := range a.openChallenges() {
			if c.Token == token && c.Response != "" {
				w.Header().Set("Content-Type", "application/octet-stream")
				_, _ = w.Write([]byte(c.Response)) // if this fails, the server asks again
				return
			}
		}
		http.NotFound(w, r)
	})
}

// answerTLS returns the certificate that proves who answers at a host.
func (a *ACME) answerTLS(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	for _, c := range a.openChallenges() {
		if strings.EqualFold(c.Host, hello.ServerName) && len(c.Chain) > 0 {
			cert, err := tls.X509KeyPair(c.Chain, c.Key)
			return &cert, err
		}
	}
	return nil, fmt.Errorf("no open challenge for %q", hello.ServerName)
}

// openChallenges returns the open challenges. Anyone may ask, so they are read at most once in challengeFresh, and a client that leaves
// does not cut off the reading for others.
func (a *ACME) openChallenges() []challenge {
	ctx, cancel := context.WithTimeout(context.Background(), challengeRead)
	defer cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.o.Clock(); now.Sub(a.readAt).Abs() >= challengeFresh {
		a.readAt, a.challenges = now, nil
		if err := a.readRecord(ctx, challengeRecord, &a.challenges); err != nil {
			a.o.Log.WarnContext(ctx, "the open challenges of the ACME server cannot be read", "error", err)
		}
	}
	return a.challenges
}

// Run reads the certificate, orders one when it is due, and warns of its expiry, until ctx ends.
func (a *ACME) Run(ctx context.Context) {
	warned := time.Time{}
	for {
		a.Reload(ctx)
		if err := a.orderIfDue(ctx); err != nil && ctx.Err() == nil {
			a.o.Log.ErrorContext(ctx, "no certificate from the ACME server", "error", err)
		}
		if now := a.o.Clock(); now.Sub(warned).Abs() >= warnEvery {
			a.warnOfExpiry(ctx, a.o.Log, now)
			warned = now
		}
		wait := readEvery
		if a.NotAfter().IsZero() {
			wait = readFirstEvery
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// Reload serves the certificate that is stored, which another node may have ordered.
func (a *ACME) Reload(ctx context.Context) {
	if _, err := a.readCertificate(ctx); err != nil && ctx.Err() == nil {
		a.o.Log.WarnContext(ctx, "the TLS certificate cannot be read", "error", err)
	}
}

// errCertificateRecord means that the stored certificate cannot be parsed.
var errCertificateRecord = errors.New("the stored certificate cannot be parsed")

// readCertificate serves the certificate that is stored, and returns its record; the zero record: there is none. Errors that are not of the
// storage are errCertificateRecord.
func (a *ACME) readCertificate(ctx context.Context) (c certificate, err error) {
	record, err := a.o.Storage.Read(ctx, certificateRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return certificate{}, nil
	}
	if err != nil {
		return certificate{}, err
	}
	if err := json.Unmarshal(record, &c); err != nil {
		return certificate{}, fmt.Errorf("%w: %w", errCertificateRecord, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if bytes.Equal(record, a.served) {
		return c, nil
	}
	pair, err := tls.X509KeyPair(c.Chain, c.Key)
	if err != nil {
		return certificate{}, fmt.Errorf("%w: %w", errCertificateRecord, err)
	}
	a.current.Store(&pair)
	a.served = record
	a.o.Log.InfoContext(ctx, "TLS certificate read", "not_after", pair.Leaf.NotAfter)
	return c, nil
}

// readIfDue reads the certificate that is stored, and reports whether another one is needed. One that cannot be parsed is replaced, else no node
// would ever order again; [ACME.Reload] logs it.
func (a *ACME) readIfDue(ctx context.Context) (bool, error) {
	c, err := a.readCertificate(ctx)
	if errors.Is(err, errCertificateRecord) {
		return true, nil
	}
	return err == nil && a.isDue(c), err
}

// isDue reports whether another certificate is needed than that of a record, which is served.
func (a *ACME) isDue(c certificate) bool {
	served := a.current.Load()
	if served == nil || c.Directory != a.o.Directory || !slices.Equal(c.Hosts, a.o.Hosts) {
		return true
	}
	// At two thirds of the lifetime, as the profiles of Let's Encrypt recommend: 30 days before the end of 90, 2 days before that of 6.
	lifetime := served.Leaf.NotAfter.Sub(served.Leaf.NotBefore)
	return a.o.Clock().After(served.Leaf.NotBefore.Add(lifetime * 2 / 3))
}

// orderIfDue orders a certificate if one is due and no other node orders one.
func (a *ACME) orderIfDue(ctx context.Context) error {
	due, err := a.readIfDue(ctx)
	if err != nil || !due {
		return err
	}
	release, ok, err := a.o.Storage.Lock(ctx)
	if err != nil || !ok {
		return err
	}
	defer release()
	// Another node may have got one since it was read, and tried in vain.
	if due, err = a.readIfDue(ctx); err != nil || !due {
		return err
	}
	var tries attempt
	if err := a.readRecord(ctx, attemptRecord, &tries); err != nil {
		return err
	}
	now := a.o.Clock()
	if now.Before(tries.NextAt) {
		return nil
	}
	// The attempt is recorded as failed before it begins: a node that crashes during each order must not order without end.
	preferHTTP := tries.Failures%2 == 1
	tries = attempt{recordVersion, tries.Failures + 1, now.Add(backoff[min(tries.Failures, len(backoff)-1)])}
	if err := a.writeRecord(ctx, attemptRecord, tries); err != nil {
		return err
	}
	a.o.Log.InfoContext(ctx, "ordering a TLS certificate", "directory", a.o.Directory, "hosts", a.o.Hosts)
	ordering, cancel := context.WithTimeout(ctx, orderTimeout)
	defer cancel()
	c, err := a.orderCertificate(ordering, preferHTTP)
	if err != nil {
		if after, limited := acme.RateLimit(err); limited && now.Add(after).After(tries.NextAt) {
			tries.NextAt = now.Add(after)
			err = errors.Join(err, a.writeRecord(ctx, attemptRecord, tries))
		}
		return fmt.Errorf("%w; the next try is at %s", err, tries.NextAt.UTC().Format(time.RFC3339))
	}
	// From here on all nodes serve it. If the process ends before, the certificate is lost, and the next try orders another one.
	if err := a.writeRecord(ctx, certificateRecord, c); err != nil {
		return err
	}
	if err := a.writeRecord(ctx, attemptRecord, attempt{Version: recordVersion}); err != nil {
		return err
	}
	_, err = a.readCertificate(ctx)
	return err
}

// orderCertificate takes an order from its beginning to the certificate. PreferHTTP says which challenge is answered where the server
// offers both.
func (a *ACME) orderCertificate(ctx context.Context, preferHTTP bool) (certificate, error) {
	client, err := a.openAccount(ctx)
	if err != nil {
		return certificate{}, fmt.Errorf("account: %w", err)
	}
	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(a.o.Hosts...))
	if err != nil {
		return certificate{}, fmt.Errorf("order: %w", err)
	}
	if err := a.authorizeHosts(ctx, client, order, preferHTTP); err != nil {
		return certificate{}, err
	}
	if order, err = client.WaitOrder(ctx, order.URI); err != nil {
		return certificate{}, fmt.Errorf("order: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate{}, err
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: a.o.Hosts}, key)
	if err != nil {
		return certificate{}, err
	}
	chain, _, err := client.CreateCertFromOrder(ctx, order, request, true)
	if err != nil {
		return certificate{}, fmt.Errorf("fetch: %w", err)
	}
	c := certificate{Version: recordVersion, Directory: a.o.Directory, Hosts: a.o.Hosts}
	for _, der := range chain {
		c.Chain = append(c.Chain, encodePEM("CERTIFICATE", der)...)
	}
	if c.Key, err = encodeKey(key); err != nil {
		return certificate{}, err
	}
	return c, a.requireUsable(c)
}

// requireUsable returns an error if a certificate is not one of the hosts, with the key.
func (a *ACME) requireUsable(c certificate) error {
	pair, err := tls.X509KeyPair(c.Chain, c.Key)
	if err != nil {
		return err
	}
	for _, host := range a.o.Hosts {
		if err := pair.Leaf.VerifyHostname(host); err != nil {
			return err
		}
	}
	if !a.o.Clock().Before(pair.Leaf.NotAfter) {
		return errors.New("the new certificate has expired")
	}
	return nil
}

// authorizeHosts answers a challenge for each host of an order that the server has not seen answered before.
func (a *ACME) authorizeHosts(ctx context.Context, client *acme.Client, order *acme.Order, preferHTTP bool) error {
	var open []challenge
	var accept []*acme.Challenge
	var waiting []string
	for _, at := range order.AuthzURLs {
		authorization, err := client.GetAuthorization(ctx, at)
		if err != nil {
			return fmt.Errorf("authorization: %w", err)
		}
		if authorization.Status != acme.StatusPending {
			continue // valid: answered for an earlier order; else the order says what is wrong
		}
		host := authorization.Identifier.Value
		chosen := a.chooseChallenge(authorization, preferHTTP)
		if chosen == nil {
			return fmt.Errorf("the ACME server offers no challenge for %s that is answered here: tls-alpn-01 on port 443, http-01 on port 80 with SEGEL_LISTEN_HTTP", host)
		}
		answer, err := newChallenge(client, chosen, host)
		if err != nil {
			return err
		}
		open, accept, waiting = append(open, answer), append(accept, chosen), append(waiting, at)
	}
	if len(open) == 0 {
		return nil
	}
	// All nodes answer from now on: the server may reach any of them. Whatever remains after a crash is overwritten by the next order, and
	// shows nothing but that a challenge was open.
	if err := a.writeRecord(ctx, challengeRecord, open); err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFirstEvery)
		defer cancel()
		if err := a.writeRecord(ending, challengeRecord, []challenge{}); err != nil {
			a.o.Log.WarnContext(ctx, "the challenges of an order are not removed", "error", err)
		}
	}()
	// A node that was asked in the last moment still believes that no challenge is open.
	if err := wait(ctx, challengeFresh); err != nil {
		return err
	}
	for _, c := range accept {
		if _, err := client.Accept(ctx, c); err != nil {
			return fmt.Errorf("accept %s: %w", c.Type, err)
		}
	}
	for i, at := range waiting {
		if _, err := client.WaitAuthorization(ctx, at); err != nil {
			return fmt.Errorf("%s over %s: %w", open[i].Host, accept[i].Type, err)
		}
	}
	return nil
}

// chooseChallenge returns the challenge that is answered; nil: none that the server offers can be.
func (a *ACME) chooseChallenge(authorization *acme.Authorization, preferHTTP bool) (chosen *acme.Challenge) {
	for _, c := range authorization.Challenges {
		isHTTP := c.Type == "http-01"
		if c.Type != "tls-alpn-01" && (!isHTTP || !a.o.HTTP01) {
			continue
		}
		if chosen == nil || isHTTP == preferHTTP {
			chosen = c
		}
	}
	return chosen
}

func newChallenge(client *acme.Client, chosen *acme.Challenge, host string) (challenge, error) {
	c := challenge{Host: host, Token: chosen.Token}
	if chosen.Type == "http-01" {
		var err error
		c.Response, err = client.HTTP01ChallengeResponse(chosen.Token)
		return c, err
	}
	pair, err := client.TLSALPN01ChallengeCert(chosen.Token, host)
	if err != nil {
		return challenge{}, err
	}
	for _, der := range pair.Certificate {
		c.Chain = append(c.Chain, encodePEM("CERTIFICATE", der)...)
	}
	c.Key, err = encodeKey(pair.PrivateKey)
	return c, err
}

// openAccount returns a client with the account of the directory, which it creates at the first order. The key is stored before the account
// exists: if the process ends in between, the next order finds the account by the key.
func (a *ACME) openAccount(ctx context.Context) (*acme.Client, error) {
	directory, err := url.Parse(a.o.Directory)
	if err != nil {
		return nil, err
	}
	name := accountRecord + " " + directory.Host // another server is another account
	encoded, err := a.o.Storage.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		key, newErr := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if newErr != nil {
			return nil, newErr
		}
		if encoded, err = encodeKey(key); err == nil {
			err = a.o.Storage.Write(ctx, name, encoded)
		}
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(encoded)
	if block == nil {
		return nil, errors.New("the stored key is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the stored key is a %T", parsed)
	}
	client := &acme.Client{Key: key, DirectoryURL: a.o.Directory, HTTPClient: a.o.Client, UserAgent: "segel"}
	account := &acme.Account{}
	if a.o.Email != "" {
		account.Contact = []string{"mailto:" + a.o.Email}
	}
	if a.o.BindingID != "" {
		account.ExternalAccountBinding = &acme.ExternalAccountBinding{KID: a.o.BindingID, Key: a.o.Binding}
	}
	if _, err := client.Register(ctx, account, acme.AcceptTOS); err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, err
	}
	return client, nil
}

// readRecord reads a record; without one v stays as it is.
func (a *ACME) readRecord(ctx context.Context, name string, v any) error {
	b, err := a.o.Storage.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

func (a *ACME) writeRecord(ctx context.Context, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.o.Storage.Write(ctx, name, b)
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func encodeKey(key any) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return encodePEM("PRIVATE KEY", der), err
}

// wait waits, or returns the error of the context when it ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
