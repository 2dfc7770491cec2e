package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/contract"
)

// Options is what the wire is made of. Workflow, Identity, Answers, Process and AnswerSecret are required.
type Options struct {
	Workflow Workflow
	Identity Identity
	Answers  Answers
	Process  Process

	AnswerSecret [32]byte // with which answers for idempotency keys are sealed; the same in every process on a database

	Authority http.Handler                    // everything below /authority/; nil: nothing is there
	Web       http.Handler                    // GET of what is neither ours nor below /v1; nil: nothing is there
	Ready     func(context.Context) Readiness // whether what we depend on answers; nil: always
	Streams   *Streams                        // what streams of events become; nil: answers like others
	Metrics   *prometheus.Registry            // nil: one that is shown at /metrics alone
	Clock     func() time.Time                // nil: time.Now
	Random    io.Reader                       // nil: crypto/rand
	Log       *slog.Logger                    // nil: slog.Default

	Version       string
	PublicURL     string            // base of the addresses in answers, without a slash at its end; empty: relative ones
	Service       string            // the only {service} segment there is; empty: any
	Paths         map[string]string // further paths to the path of an endpoint, as "/old/{document_id}"
	Origins       []string          // what may call us from a browser elsewhere, as "https://app.example"; "*": all
	Proxies       []netip.Prefix    // whose X-Forwarded-For is believed
	MetricsToken  string            // what reads /metrics besides an administrator's token
	Rate          float64           // requests a second that one client may ask in the long run; 0: any number
	Burst         int               // requests it may ask at once; 0: ten seconds' worth
	MaxVerifies   int               // files judged at once; 0: any number
	VerifyRate    float64           // verifications a second that one client may ask in the long run; 0: any number
	VerifyBurst   int               // verifications it may ask at once; 0: ten seconds' worth
	StampRate     float64           // timestamps a second that one client may ask for in the long run; 0: any number
	StampBurst    int               // timestamps it may ask for at once; 0: ten seconds' worth
	StatusRate    float64           // OCSP answers a second that one client may ask for in the long run; 0: any number
	StatusBurst   int               // OCSP answers it may ask for at once; 0: ten seconds' worth
	ConvertWait   time.Duration     // how long an upload waits for its conversion
	UploadWait    time.Duration     // how long one waits for its turn before it is told to come again
	VerifyWait    time.Duration     // how long a file waits to be judged before its client is told to come again
	KeepAnswers   time.Duration     // for an Idempotency-Key; 0: a day
	Standstill    time.Duration     // for which a client may neither send nor take anything; 0: half a minute
	MinRate       int64             // bytes per second that a client has to send and to take, see [admission.Pace]; 0: 1 KiB
	AnswerTimeout time.Duration     // how long what reads or writes a record may take; 0: five seconds
	WorkTimeout   time.Duration     // how long what reads a file, signs, or asks other machines may take; 0: two minutes
	LoginDelay    time.Duration     // for which a login may be held up
	Limits        contract.Limits   // of documents

	// How many the callers of one organisation, one address (an IPv6 network of 64 bits) or one person may have at a time, so
	// that none takes what all share, and how many all may have together. 0: any number.

	MaxUploads                 int   // bodies of uploads that are received
	MaxUploadsPerOrganisation  int   // at most so many of one organisation
	MaxSpool                   int64 // bytes of uploads that no document refers to yet
	MaxSpoolPerOrganisation    int64
	MaxVerifyUploads           int // files to be judged that are received
	MaxVerifyUploadsPerAddress int
	MaxVerifySpool             int64 // bytes of files to be judged
	MaxVerifySpoolPerAddress   int64
	MaxAnonymous               int // requests with a body that come without an account, such as logins
	MaxAnonymousPerAddress     int
	MaxRequestsPerPerson       int // requests, but for streams of events
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
	o.KeepAnswers = cmp.Or(o.KeepAnswers, 24*time.Hour)
	o.Standstill = cmp.Or(o.Standstill, standstill)
	o.MinRate = cmp.Or(o.MinRate, defaultMinRate)
	o.AnswerTimeout, o.WorkTimeout = cmp.Or(o.AnswerTimeout, defaultAnswerTimeout), cmp.Or(o.WorkTimeout, defaultWorkTimeout)
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	o.Limits = o.Limits.Defaults()
	return o
}

// server serves the wire.
type server struct {
	Options
	mux               *http.ServeMux
	huma              huma.API
	endpoints         []endpoint
	aliases           pathAliases
	requestLimiters   clientLimiters
	verifyLimiters    clientLimiters
	timestampLimiters clientLimiters
	ocspLimiters      clientLimiters
	shares            callerShares
	metrics           metrics
	crossSite         http.CrossOriginProtection
	running           sync.Map // tokens of the claims whose requests are being answered
	spec              []byte   // the specification, JSON
	docs              manual
}

// New makes the handler of everything that is served. Its error is one of the options.
func New(o Options) (http.Handler, error) {
	s := &server{Options: o.withDefaults(), metrics: newMetrics()}
	if err := checkService(s.Service); err != nil {
		return nil, err
	}
	if err := s.metrics.registerWith(s.Metrics); err != nil {
		return nil, err
	}
	s.requestLimiters = clientLimiters{rate: s.Rate, burst: s.Burst}
	s.verifyLimiters = clientLimiters{rate: s.VerifyRate, burst: s.VerifyBurst}
	s.timestampLimiters = clientLimiters{rate: s.StampRate, burst: s.StampBurst}
	s.ocspLimiters = clientLimiters{rate: s.StatusRate, burst: s.StatusBurst}
	s.shares = newCallerShares(s.Options)
	s.registerAll()
	if err := s.writeSpecification(); err != nil {
		return nil, err
	}
	if err := s.addAliases(s.Paths); err != nil {
		return nil, err
	}
	return s.observeRequests(s.guardRequests(http.HandlerFunc(s.routeRequest))), nil
}

// registerAll makes the routes and the specification's operations.
func (s *server) registerAll() {
	s.mux = http.NewServeMux()
	s.huma = humago.New(s.mux, openAPIConfig(s.Version, s.PublicURL))
	s.registerIdentity()
	s.registerDocuments()
	s.registerAdmin()
	s.registerService()
}

// registerIdentity: who is asking.
func (s *server) registerIdentity() {
	s.registerLogin()
	s.registerRefresh()
	s.registerLogout()
	s.registerForgotPassword()
	s.registerPassword()
	s.registerMe()
	s.registerSession()
	s.registerGuest()
	s.registerDirectory()
	s.registerSpecimen()
	s.registerAvatar()
}

// registerDocuments: the verbs, in the order of a document's walk.
func (s *server) registerDocuments() {
	s.registerUpload()
	s.registerParticipants()
	s.registerDescribe()
	s.registerPlace()
	s.registerFinalize()
	s.registerGuestLink()
	s.registerGuestRevoke()
	s.registerSign()
	s.registerSpecimenPreview()
	s.registerReject()
	s.registerCancel()
	s.registerRemind()
	s.registerRestamp()
	s.registerRetry()
	s.registerDelete()
	s.registerLists()
	s.registerDetail()
	s.registerStatus()
	s.registerSigners()
	s.registerPlacements()
	s.registerAuditTrail()
	s.registerEvents()
	s.registerPreview()
	s.registerDownload()
	s.registerOriginal()
	s.registerBalance()
	s.registerVerify()
}

// registerService: what runs and describes the service.
func (s *server) registerService() {
	s.registerHealth()
	s.registerMetrics()
	s.registerDocumentation()
}
