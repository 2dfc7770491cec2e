package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"segel/internal/admission"
	"segel/internal/contract"
	"segel/internal/identity"
)

// callerShares bounds what callers use at a time and queues them fairly. A nil member bounds nothing.
type callerShares struct {
	uploads       *admission.Queue // uploads whose bodies are being received, by organisation
	verifyUploads *admission.Queue // files to be verified that are being received, by address
	verifications *admission.Queue // verifications that are running, by address

	spool       *admission.Shares // bytes of uploads, by organisation
	verifySpool *admission.Shares // bytes of files to be verified, by address
	bodies      *admission.Shares // bytes of other bodies while they are received, by organisation
	anonymous   *admission.Shares // requests with a body but without an account, by address
	requests    *admission.Shares // requests of one person
	keyRequests *admission.Shares // those of one API key
	directories *admission.Shares // requests of the directory of one organisation
	streams     *admission.Shares // streams of events, by organisation
	ownStreams  *admission.Shares // those of one person
}

// Bounds on waiting requests. Each costs a connection and a goroutine; its body is not read meanwhile, or is already
// on the disk.
const (
	waitingUploads       = 256
	waitingVerifications = 64
	waitingPerKey        = 4 // fraction of the queue that one key may fill
)

// Bounds on bodies other than uploads while they are received into memory, of all organisations and of one, in bytes.
const (
	maxBodies                = 256 << 20
	maxBodiesPerOrganisation = 64 << 20
)

// maxDirectoryRequests is how many requests the directory of one organisation may have in progress. Directories send a few at a time.
const maxDirectoryRequests = 8

func newCallerShares(o Options) callerShares {
	queue := func(slots, perKey, waiting int) *admission.Queue {
		if slots == 0 {
			return nil
		}
		return admission.NewQueue(admission.Limits{Slots: slots, PerKey: min(perKey, slots), Waiting: waiting, WaitingPerKey: waiting / waitingPerKey})
	}
	// One file of the largest size always fits.
	space := func(all, perKey int64) *admission.Shares {
		least := o.Limits.FileSize + spoolStep
		if all > 0 {
			all = max(all, least)
		}
		if perKey > 0 {
			perKey = max(perKey, least)
		}
		return admission.NewShares(all, perKey)
	}
	return callerShares{
		uploads:       queue(o.MaxUploads, o.MaxUploadsPerOrganisation, waitingUploads),
		verifyUploads: queue(o.MaxVerifyUploads, o.MaxVerifyUploadsPerAddress, waitingVerifications),
		// One address never gets all slots, unless there is only one.
		verifications: queue(o.MaxVerifies, max(1, o.MaxVerifies-1), waitingVerifications),
		spool:         space(o.MaxSpool, o.MaxSpoolPerOrganisation),
		verifySpool:   space(o.MaxVerifySpool, o.MaxVerifySpoolPerAddress),
		bodies:        admission.NewShares(maxBodies, maxBodiesPerOrganisation),
		anonymous:     admission.NewShares(int64(o.MaxAnonymous), int64(o.MaxAnonymousPerAddress)),
		requests:      admission.NewShares(0, int64(o.MaxRequestsPerPerson)),
		keyRequests:   admission.NewShares(0, int64(o.MaxRequestsPerKey)),
		directories:   admission.NewShares(0, maxDirectoryRequests),
		streams:       admission.NewShares(int64(o.MaxStreams), int64(o.MaxStreamsPerOrganisation)),
		ownStreams:    admission.NewShares(0, int64(o.MaxStreamsPerPerson)),
	}
}

// Refusals of callers that have reached their own limit, or the limit of all together.
var (
	errShareUsed  = errors.New("the caller has reached their limit")
	errNoCapacity = errors.New("the capacity for all callers is used")
)

// acquireSlot waits for a slot of a queue, for a limited time. A nil queue never waits.
func (c *call) acquireSlot(q *admission.Queue, key string, maxWait time.Duration) (release func(), err error) {
	if q == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), maxWait)
	defer cancel()
	release, err = q.Acquire(ctx, key)
	if err != nil && c.r.Context().Err() == nil {
		err = errUnavailable.WithCause(fmt.Errorf("wait for a turn: %w", err))
	}
	return release, err
}

// acquireRequestShare counts one request in the rate and the shares of its caller. A stream counts in the rate alone: it has separate shares while it lasts.
func (c *call) acquireRequestShare() (release func(), err error) {
	nothing := func() {}
	if err := c.requireKeyRate(); err != nil {
		return nil, err
	}
	switch {
	case c.endpoint.handler.isStream:
		return nothing, nil
	case c.by.ID != "":
		leave, err := c.acquireKeyShare()
		if err != nil {
			return nil, err
		}
		person := string(c.by.ID)
		if !c.shares.requests.Take(person, 1) {
			leave()
			return nil, errTooMany.With("retry_after", 1).WithCause(errShareUsed)
		}
		return func() { c.shares.requests.Return(person, 1); leave() }, nil
	case c.r.Body == nil || c.r.ContentLength == 0 || c.endpoint.limit > tinyBody:
		return nothing, nil
	}
	address := identity.Network(c.client)
	if !c.shares.anonymous.Take(address, 1) {
		c.w.Header().Set("Connection", "close")
		return nil, errUnavailable.WithCause(errNoCapacity)
	}
	return func() { c.shares.anonymous.Return(address, 1) }, nil
}

// requireKeyRate counts one request in the rate of the API key that the caller came with, if any.
func (c *call) requireKeyRate() error {
	if c.by.Key == nil {
		return nil
	}
	if wait := c.keyRates.Take(string(c.by.Key.ID), c.Clock()); wait > 0 {
		return tooManyRequests(wait)
	}
	return nil
}

// acquireKeyShare counts one request in the share of the API key that the caller came with, if any: a program that asks without end takes a part of
// what its person may use, and the person still works in the web app.
func (c *call) acquireKeyShare() (release func(), err error) {
	if c.by.Key == nil {
		return func() {}, nil
	}
	key := string(c.by.Key.ID)
	if !c.shares.keyRequests.Take(key, 1) {
		return nil, errTooMany.With("retry_after", 1).WithCause(errShareUsed)
	}
	return func() { c.shares.keyRequests.Return(key, 1) }, nil
}

// acquireStreamShare counts one stream of events for the caller. A guest counts for the organisation of the document.
func (c *call) acquireStreamShare(of contract.OrganisationID) (release func(), err error) {
	person, organisation := string(c.by.ID), string(of)
	if !c.shares.ownStreams.Take(person, 1) {
		return nil, errTooMany.With("retry_after", int(heartbeat/time.Second)).WithCause(errShareUsed)
	}
	if !c.shares.streams.Take(organisation, 1) {
		c.shares.ownStreams.Return(person, 1)
		return nil, errUnavailable.WithCause(errNoCapacity)
	}
	shares := &c.shares // a stream must not keep the request in memory
	return func() {
		shares.ownStreams.Return(person, 1)
		shares.streams.Return(organisation, 1)
	}, nil
}

// How much space is acquired at a time, in bytes: on the disk, and in memory.
const (
	spoolStep = 1 << 20
	bodyStep  = 16 << 10
)

// meteringWriter passes bytes on, to the disk or to memory, while there is space for them. It belongs to one goroutine.
type meteringWriter struct {
	to       io.Writer
	shares   *admission.Shares
	key      string
	step     int64
	reserved int64
	used     int64
}

// Write refuses with 503 when all space is used.
func (s *meteringWriter) Write(p []byte) (int, error) {
	for s.used+int64(len(p)) > s.reserved {
		if !s.shares.Take(s.key, s.step) {
			return 0, errUnavailable.WithCause(errNoCapacity)
		}
		s.reserved += s.step
	}
	n, err := s.to.Write(p)
	s.used += int64(n)
	return n, err
}

// releaseSpace returns the space. It may be called more than once.
func (s *meteringWriter) releaseSpace() {
	s.shares.Return(s.key, s.reserved)
	s.reserved = 0
}

// clientAddress returns the client's address. It reads X-Forwarded-For from its end, only as far as trusted proxies
// wrote it: what stands before that is the client's own claim.
func clientAddress(r *http.Request, proxies []netip.Prefix) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if !isTrustedProxy(host, proxies) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		host = hop
		if !isTrustedProxy(hop, proxies) {
			break
		}
	}
	return host
}

func isTrustedProxy(host string, proxies []netip.Prefix) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// admitClient counts one request of a client, or of its IPv6 network, or returns how long it has to wait.
func admitClient(r *admission.Rates, client string, now time.Time) time.Duration {
	return r.Take(identity.Network(client), now)
}
