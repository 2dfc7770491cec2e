package peruri

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"segel/internal/emeterai"
)

// Form is how documents reach the office.
type Form string

// The forms.
const (
	Adapter Form = "adapter" // through a folder shared with the office's adapter; the office sees no document
	Cloud   Form = "cloud"   // uploaded to the office
)

// Collector is who collects the duty, for accounts that have to tell: what stampv2 calls dipungut.
type Collector struct {
	Identity string // KTP, NPWP or PASSPORT; empty: nothing is told
	Number   string
	Name     string // empty: the payer's of the order
}

// Options of a driver. Those without a default in their comment are required.
type Options struct {
	Client *http.Client // reaches the office and its adapters; follows redirects or not, here none is followed
	Clock  func() time.Time
	Random io.Reader // names of files
	Log    *slog.Logger
	// Known reports whether a serial is in the register, in any state: it is not up for adoption then. It answers from
	// the database in which serials are unique.
	Known func(ctx context.Context, serial string) (bool, error)
	Dir   string // folder of the driver's own: pictures of serials, quarantine; made if need be

	Form      Form
	LoginURL  string // login, status of a serial, balance
	SerialURL string // kinds of documents, serials, uploads; empty: LoginURL
	CloudURL  string // stamping in the cloud form; empty: SerialURL
	User      string
	Password  string

	Adapters []string // addresses of adapters; required in the adapter form
	Slots    int      // documents that one adapter works on at a time; 0: 1
	Shared   string   // folder shared with the adapters; required in the adapter form
	Mount    string   // how the adapters name that folder; empty: /sharefolder

	Kinds     map[string]string // our words for kinds of documents, and the office's code or name of each
	Kind      string            // the word, code or name for orders that name none
	Collector Collector
	Picture   string // path from which a serial's picture can be had again, {serial} in it; empty: it cannot

	Specimen bool // what this office issues has no legal value

	Timeout      time.Duration // of one call; 0: 30 seconds
	StampTimeout time.Duration // of docSigningZ, an upload or fetching a file; 0: 2 minutes
	Settle       time.Duration // after which a call that timed out will have no effect any more; 0: 2 minutes
	MaxTail      int64         // bytes that a stamp may add to a file; 0: 8 MiB

	BreakAfter int           // failures in a row after which the office is left alone; 0: 5
	BreakFor   time.Duration // at first; doubled by each probe that fails, up to 5 minutes; 0: 10 seconds

	Observe func(call, outcome string, took time.Duration) // counts calls; nil: nobody does
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
	o.SerialURL = orDefault(o.SerialURL, o.LoginURL)
	o.CloudURL = orDefault(o.CloudURL, o.SerialURL)
	o.Mount = strings.TrimRight(orDefault(o.Mount, mountPath), "/")
	o.Slots = orDefault(o.Slots, 1)
	o.Timeout, o.StampTimeout, o.Settle = orDefault(o.Timeout, callTimeout), orDefault(o.StampTimeout, stampTimeout), orDefault(o.Settle, settleTime)
	o.MaxTail = orDefault(o.MaxTail, maxTail)
	o.BreakAfter, o.BreakFor = orDefault(o.BreakAfter, breakAfter), orDefault(o.BreakFor, breakFor)
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
			return errors.New("the adapter form wants adapters and a shared folder")
		}
		o.Adapters = slices.Clone(o.Adapters)
		for i := range o.Adapters {
			urls = append(urls, &o.Adapters[i])
		}
	default:
		return fmt.Errorf("there is no form %q", o.Form)
	}
	for _, u := range urls {
		p, err := url.Parse(*u)
		if err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" || p.User != nil {
			return fmt.Errorf("%q is no address of an office", *u)
		}
		*u = strings.TrimRight(*u, "/")
	}
	switch o.Collector.Identity {
	case "", "KTP", "NPWP", "PASSPORT":
	default:
		return fmt.Errorf("identity %q of the collector; there are KTP, NPWP, PASSPORT", o.Collector.Identity)
	}
	return nil
}

func orDefault[T comparable](value, preset T) T {
	var zero T
	if value == zero {
		return preset
	}
	return value
}

// Driver is one account at the office.
type Driver struct {
	o             Options
	client        *http.Client
	officeBreaker *breaker
	session       *tokenSession
	kinds         *kindCache
	slots         *slots
	records       *recordStore
	shared        *sharedFolder // nil in the cloud form

	// purchaseLock keeps purchases out while somebody looks for one of doubtful end.
	purchaseLock *purchaseGate

	mu            sync.Mutex // guards all below
	orders        map[string]*pendingOrder
	orderBySerial map[string]string    // order by serial, from Take until the first Stamp
	stampCalls    map[string]time.Time // serials whose docSigningZ was called by this process
}

var _ emeterai.Stamper = (*Driver)(nil)

// Open makes a driver. It asks nothing of the office yet. Files that a former process left in the shared folder are
// removed.
func Open(o Options) (*Driver, error) {
	if err := o.completeOptions(); err != nil {
		return nil, fmt.Errorf("stamp office: %w", err)
	}
	client := *o.Client
	// A redirect would carry the token, or the order for a serial, to whoever it names.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	d := &Driver{
		o: o, client: &client, officeBreaker: newBreaker(&o, "office"), session: newTokenSession(), kinds: newKindCache(), purchaseLock: newPurchaseGate(),
		orders: map[string]*pendingOrder{}, orderBySerial: map[string]string{}, stampCalls: map[string]time.Time{},
	}
	var err error
	if d.records, err = openRecordStore(filepath.Join(o.Dir, "serials"), filepath.Join(o.Dir, "quarantine"), o.Form == Adapter && o.Picture != "", o.Clock()); err != nil {
		return nil, fmt.Errorf("stamp office: %w", err)
	}
	if o.Form == Cloud {
		d.slots = newSlots(&o, []string{o.CloudURL})
		return d, nil
	}
	d.slots = newSlots(&o, o.Adapters)
	if d.shared, err = openSharedFolder(&o); err != nil {
		return nil, fmt.Errorf("stamp office: %w", errors.Join(err, d.records.close()))
	}
	return d, nil
}

// Close lets go of the folders. Calls under way must have ended.
func (d *Driver) Close() error {
	err := d.records.close()
	if d.shared != nil {
		err = errors.Join(err, d.shared.close())
	}
	return err
}

// IsSpecimen reports what the configuration says.
func (d *Driver) IsSpecimen() bool { return d.o.Specimen }

// Availability reports whether the office, and at least one place to stamp, can be asked.
func (d *Driver) Availability() emeterai.Availability {
	if a := d.officeBreaker.availability(); a.Down {
		return a
	}
	return d.slots.availability()
}
