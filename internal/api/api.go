package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"segel/internal/admission"
	"segel/internal/coding"
	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/notify"
	"segel/internal/notify/webhook"
	"segel/internal/process"
	"segel/internal/scim"
	"segel/internal/sso"
	"segel/internal/store"
	"segel/internal/tracing"
	"segel/internal/workflow"
)

// Options configures the HTTP interface. Workflow, Identity, Notices, Webhooks, Feed, SSO, SCIM, Answers, Process and AnswerSecret are required.
type Options struct {
	Workflow *workflow.Service
	Identity *identity.Service
	Notices  *notify.Service
	Webhooks *webhook.Service
	Feed     *webhook.Feed
	SSO      *sso.Service
	SCIM     *scim.Service
	Answers  store.Answers
	Process  process.Process // names this process among those that share the database

	// Rates are those of requests, which processes exchange; nil: they hold for this process alone.
	Rates *admission.RateExchange

	AnswerSecret [32]byte // seals stored answers for idempotency keys; the same in every process on a database

	Authority http.Handler                    // serves everything below /authority/; nil: 404
	Web       http.Handler                    // serves GET requests outside our endpoints and /v1; nil: 404
	Ready     func(context.Context) Readiness // whether the dependencies answer; nil: always ready
	Streams   *Streams                        // takes over streams of events; nil: net/http serves them
	Metrics   *prometheus.Registry            // nil: a new one, which only /metrics shows
	Clock     func() time.Time                // nil: time.Now
	Random    io.Reader                       // nil: crypto/rand
	Log       *slog.Logger                    // nil: slog.Default
	Tracer    trace.Tracer                    // makes a span of each request; nil: there are none

	HealthOnly bool // answers /healthz, /readyz and /metrics alone

	Version       string
	PublicURL     string            // base of the addresses in answers, without a trailing slash; empty: relative addresses
	Service       string            // the only accepted {service} segment; empty: any
	Paths         map[string]string // further paths and the endpoint paths they lead to, such as "/old/{document_id}"
	Origins       []string          // pages of these origins may call the service, such as "https://app.example"; "*": all
	Proxies       []netip.Prefix    // trusted to write X-Forwarded-For
	MetricsToken  string            // allows reading /metrics, besides an operator's token
	Rate          float64           // requests per second of one client in the long run; 0: unlimited
	Burst         int               // requests of one client at once; 0: ten seconds' worth
	MaxVerifies   int               // files verified at the same time; 0: unlimited
	KeyRate       float64           // requests per second of one API key in the long run; 0: unlimited
	VerifyRate    float64           // verifications per second of one client in the long run; 0: unlimited
	VerifyBurst   int               // verifications of one client at once; 0: ten seconds' worth
	StampRate     float64           // timestamps per second of one client in the long run; 0: unlimited
	StampBurst    int               // timestamps of one client at once; 0: ten seconds' worth
	StatusRate    float64           // OCSP answers per second of one client in the long run; 0: unlimited
	StatusBurst   int               // OCSP answers of one client at once; 0: ten seconds' worth
	ConvertWait   time.Duration     // how long an upload waits for its conversion
	UploadWait    time.Duration     // how long an upload waits for its turn before it is answered 503
	VerifyWait    time.Duration     // how long a file waits to be verified before its client is answered 503
	KeepAnswers   time.Duration     // for an Idempotency-Key; 0: one day
	Standstill    time.Duration     // how long a client may neither send nor take anything; 0: 30 seconds
	MinRate       int64             // bytes per second that a client must send and take, see [admission.Pace]; 0: 1 KiB
	AnswerTimeout time.Duration     // limit of endpoints that read or write a record; 0: five seconds
	WorkTimeout   time.Duration     // limit of endpoints that read a file, sign, or ask other machines; 0: two minutes
	LoginDelay    time.Duration     // longest delay of a login
	Limits        contract.Limits   // of documents

	// Shares: how much the callers of one organisation, one address (an IPv6 network of 64 bits) or one person may
	// use at a time, so that none takes what all share, and how much all may use together. 0: unlimited.

	MaxUploads                 int   // uploads whose bodies are being received
	MaxUploadsPerOrganisation  int   // those of one organisation
	MaxSpool                   int64 // bytes of uploads that no document refers to yet
	MaxSpoolPerOrganisation    int64
	MaxVerifyUploads           int // files to be verified that are being received
	MaxVerifyUploadsPerAddress int
	MaxVerifySpool             int64 // bytes of files to be verified
	MaxVerifySpoolPerAddress   int64
	MaxAnonymous               int // requests with a body but without an account, such as logins
	MaxAnonymousPerAddress     int
	MaxRequestsPerPerson       int // requests, except streams of events
	MaxRequestsPerKey          int // those of one API key
	MaxStreams                 int // streams of events
	MaxStreamsPerOrganisation  int
	MaxStreamsPerPerson        int
}

func (o Options) withDefaults() Options {
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Log = slog.New(tracing.NewLogHandler(o.Log.Handler()))
	if o.Tracer == nil {
		o.Tracer = tracing.Off
	}
	if o.Rates == nil {
		o.Rates = admission.NewRateExchange("", [32]byte{})
	}
	o.KeepAnswers = cmp.Or(o.KeepAnswers, 24*time.Hour)
	o.Standstill = cmp.Or(o.Standstill, standstill)
	o.MinRate = cmp.Or(o.MinRate, defaultMinRate)
	o.AnswerTimeout, o.WorkTimeout = cmp.Or(o.AnswerTimeout, defaultAnswerTimeout), cmp.Or(o.WorkTimeout, defaultWorkTimeout)
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	o.Limits = o.Limits.Defaults()
	return o
}

// segmentPattern matches one segment of a path.
var segmentPattern = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

// server serves the HTTP interface.
type server struct {
	Options
	mux            *http.ServeMux
	endpoints      []endpoint
	paths          map[string]bool // of endpoints
	aliases        pathAliases
	requestRates   *admission.Rates // by client, like the others
	keyRates       *admission.Rates // by API key
	verifyRates    *admission.Rates
	timestampRates *admission.Rates
	ocspRates      *admission.Rates
	shares         callerShares
	metrics        metrics
	crossSite      http.CrossOriginProtection
	scim           func() (scim.Handler, error) // made for the first request
	rechecks       chan struct{}                // holds one for each stream that authenticates again
	running        sync.Map                     // tokens of the claims whose requests are being answered
	manual         func() (*manual, error)      // makes the specification and its page when they are first wanted
}

// New returns the handler of everything the service serves. It returns an error if an option is invalid.
func New(o Options) (http.Handler, error) {
	s := &server{Options: o.withDefaults(), metrics: newMetrics(), rechecks: make(chan struct{}, mostAuthenticating)}
	if s.Service != "" && !segmentPattern.MatchString(s.Service) {
		return nil, fmt.Errorf("service %q is not one segment of a path", s.Service)
	}
	if err := errors.Join(s.Metrics.Register(s.metrics.requests), s.Metrics.Register(s.metrics.durations), s.Metrics.Register(s.metrics.running)); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	s.requestRates = s.Rates.NewRates("requests", s.Rate, s.Burst)
	s.keyRates = s.Rates.NewRates("keys", s.KeyRate, 0)
	s.verifyRates = s.Rates.NewRates("verifications", s.VerifyRate, s.VerifyBurst)
	s.timestampRates = s.Rates.NewRates("timestamps", s.StampRate, s.StampBurst)
	s.ocspRates = s.Rates.NewRates("statuses", s.StatusRate, s.StatusBurst)
	s.shares = newCallerShares(s.Options)
	s.registerEndpoints()
	s.manual = sync.OnceValues(s.writeManual)
	s.scim = sync.OnceValues(s.SCIM.NewHandler)
	if err := s.addAliases(s.Paths); err != nil {
		return nil, err
	}
	return s.observeRequests(coding.CompressText(s.guardRequests(http.HandlerFunc(s.routeRequest)))), nil
}
