package peruri

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"golang.org/x/sync/semaphore"

	"segel/internal/emeterai"
)

// Form is the way in which documents reach the office.
type Form string

// The forms.
const (
	Adapter Form = "adapter" // through a folder shared with the office's adapter; the office does not see the document
	Cloud   Form = "cloud"   // uploaded to the office
)

// Collector is the collector of the duty, for accounts that must state it: what stampv2 calls dipungut.
type Collector struct {
	Identity string // KTP, NPWP or PASSPORT; empty: no collector is stated
	Number   string
	Name     string // empty: the payer's of the order
}

// Options of a driver. Those without a default in their comment are required.
type Options struct {
	Client *http.Client // reaches the office and its adapters; redirects are never followed here
	Clock  func() time.Time
	Random io.Reader // names of files
	Log    *slog.Logger
	// Known reports whether a serial is in the register; such a serial is not adopted. It must read the
	// database in which serials are unique. Named says that its name is that of the order: a serial that was only found in the account is
	// not known then.
	Known func(ctx context.Context, serial string, named bool) (bool, error)
	// Leases shares slots and purchases with the drivers of other processes; nil: there are none.
	Leases Leases
	// MaySend is asked right before a call that changes something at the office; its error is returned and nothing is sent.
	// Nil: always.
	MaySend func(ctx context.Context) error
	Dir     string // private folder of the driver: pictures of serials, quarantine; created if missing
	// Records holds what the office returned with serials, for several drivers of one account. Dir has only temporary files then. nil: Dir.
	Records Records

	Form      Form
	LoginURL  string // login, status of a serial, balance
	SerialURL string // kinds of documents, serials, uploads; empty: LoginURL
	CloudURL  string // stamping in the cloud form; empty: SerialURL
	User      string
	Password  string

	Adapters []string // addresses of adapters; required in the adapter form. Processes that share Leases have them in the same order
	Slots    int      // documents that one adapter works on at a time; 0: 1
	Shared   string   // folder shared with the adapters; required in the adapter form
	Mount    string   // path of that folder as the adapters see it; empty: /sharefolder

	Kinds     map[string]string // the office's code or name by our name of a kind of document
	Kind      string            // name or code of the kind for orders that name none
	Collector Collector
	Picture   string // path from which a serial's picture can be fetched again, with {serial} in it; empty: it cannot

	Specimen bool // the stamps of this office have no legal value

	Timeout      time.Duration // of one call; 0: 30 seconds
	StampTimeout time.Duration // of docSigningZ, an upload or fetching a file; 0: 2 minutes
	Settle       time.Duration // time after which a call that timed out can have no effect any more; 0: 2 minutes
	MaxTail      int64         // bytes that a stamp may add to a file; 0: 8 MiB

	BreakAfter int           // consecutive failures after which calls stop; 0: 5
	BreakFor   time.Duration // how long calls stop at first; doubled by each failed probe, up to 5 minutes; 0: 10 seconds

	Observe func(call, outcome string, took time.Duration) // counts calls; nil: calls are not counted
	Tracer  trace.Tracer                                   // makes a span of each call; nil: there are none. The office is not told of it
}

// Defaults.
const (
	callTimeout  = 30 * time.Second
	stampTimeout = 2 * time.Minute
	settleTime   = 2 * time.Minute
	maxTail      = 8 << 20
	mountPath    = "/sharefolder"
)

func (o *Options) completeOptions() error {
	o.SerialURL = cmp.Or(o.SerialURL, o.LoginURL)
	o.CloudURL = cmp.Or(o.CloudURL, o.SerialURL)
	o.Mount = strings.TrimRight(cmp.Or(o.Mount, mountPath), "/")
	o.Slots = cmp.Or(o.Slots, 1)
	o.Timeout, o.StampTimeout, o.Settle = cmp.Or(o.Timeout, callTimeout), cmp.Or(o.StampTimeout, stampTimeout), cmp.Or(o.Settle, settleTime)
	o.MaxTail = cmp.Or(o.MaxTail, maxTail)
	o.BreakAfter, o.BreakFor = cmp.Or(o.BreakAfter, breakAfter), cmp.Or(o.BreakFor, breakFor)
	if o.Tracer == nil {
		o.Tracer = noop.NewTracerProvider().Tracer("")
	}
	if o.Observe == nil {
		o.Observe = func(string, string, time.Duration) {}
	}
	if o.User == "" || o.Password == "" {
		return errors.New("user and password of the office are required")
	}
	urls := []*string{&o.LoginURL, &o.SerialURL, &o.CloudURL}
	switch o.Form {
	case Cloud:
	case Adapter:
		if len(o.Adapters) == 0 || o.Shared == "" {
			return errors.New("the adapter form requires adapters and a shared folder")
		}
		o.Adapters = slices.Clone(o.Adapters)
		for i := range o.Adapters {
			urls = append(urls, &o.Adapters[i])
		}
	default:
		return fmt.Errorf("unknown form %q", o.Form)
	}
	for _, u := range urls {
		p, err := url.Parse(*u)
		if err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" || p.User != nil {
			return fmt.Errorf("%q is not the http or https URL of an office", *u)
		}
		*u = strings.TrimRight(*u, "/")
	}
	switch o.Collector.Identity {
	case "", "KTP", "NPWP", "PASSPORT":
	default:
		return fmt.Errorf("identity %q of the collector is not KTP, NPWP or PASSPORT", o.Collector.Identity)
	}
	return nil
}

// normalizeAddress returns the form of an address that all its spellings have.
func normalizeAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // it was parsed before
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port + u.Path
}

// maxPurchases is how many purchases may run at the same time.
const maxPurchases = 64

// Driver is one account at the office.
type Driver struct {
	o             Options
	client        *http.Client
	officeBreaker *addressBreaker
	session       *tokenSession
	addresses     *addresses
	records       *recordStore
	shared        *sharedFolder // nil in the cloud form

	// purchaseLock is shared by purchases, each of which holds 1 of it, and held whole while an order in doubt is resolved.
	purchaseLock *semaphore.Weighted

	mu            sync.Mutex // guards all below
	orders        map[string]*pendingOrder
	orderBySerial map[string]string    // order by serial, from BuySerial until the first Stamp
	stampCalls    map[string]time.Time // serials whose docSigningZ was called by this process

	stampCallsSwept time.Time      // when old ones were last forgotten
	kinds           []documentKind // the office's list, current until kindsUntil
	kindsUntil      time.Time
}

var _ emeterai.Stamper = (*Driver)(nil)

// Open returns a driver. It does not call the office yet. Files that an earlier process left in the shared folder are
// removed.
func Open(o Options) (*Driver, error) {
	if err := o.completeOptions(); err != nil {
		return nil, fmt.Errorf("stamp office: %w", err)
	}
	client := *o.Client
	// A redirect would send the token, or the order for a serial, to another host.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	d := &Driver{
		o: o, client: &client, officeBreaker: newBreaker(&o, "office"), session: &tokenSession{turn: semaphore.NewWeighted(1)}, purchaseLock: semaphore.NewWeighted(maxPurchases),
		orders: map[string]*pendingOrder{}, orderBySerial: map[string]string{}, stampCalls: map[string]time.Time{},
	}
	var err error
	if d.records, err = openRecordStore(o.Dir, o.Records, o.Form == Adapter && o.Picture != "", o.Clock()); err != nil {
		return nil, fmt.Errorf("stamp office: %w", err)
	}
	if o.Form == Cloud {
		d.addresses = newAddresses(&o, []string{o.CloudURL})
		return d, nil
	}
	d.addresses = newAddresses(&o, o.Adapters)
	if d.shared, err = openSharedFolder(&o); err != nil {
		return nil, fmt.Errorf("stamp office: %w", errors.Join(err, d.records.close()))
	}
	return d, nil
}

// Close closes the folders. Running calls must have ended.
func (d *Driver) Close() error {
	err := d.records.close()
	if d.shared != nil {
		err = errors.Join(err, d.shared.close())
	}
	return err
}

// IsSpecimen reports what the configuration says.
func (d *Driver) IsSpecimen() bool { return d.o.Specimen }

// Availability reports whether the office and at least one stamping address can be called.
func (d *Driver) Availability() emeterai.Availability {
	if a := d.officeBreaker.availability(); a.Down {
		return a
	}
	return d.addresses.availability()
}
