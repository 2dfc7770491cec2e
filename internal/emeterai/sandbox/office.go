package sandbox

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"segel/internal/authority"
	sealing "segel/internal/credential"
	"segel/internal/emeterai"
	"segel/revocation"
	"segel/tsp"
)

// Issuer certifies the office's key.
type Issuer interface {
	Certify(ctx context.Context, h authority.Holder, key crypto.PublicKey) ([]*x509.Certificate, error)
	// MatchesHolder reports whether a certificate is what Certify would issue for the holder now. That of a former authority is not.
	MatchesHolder(cert *x509.Certificate, h authority.Holder) bool
}

// Options of an office. All are required but Units.
type Options struct {
	Issuer      Issuer
	Timestamper tsp.Timestamper
	Revocation  revocation.Source
	Sealer      *sealing.Sealer // of the office's key at rest
	PublicURL   string          // the QR code in the artwork leads there
	Clock       func() time.Time
	Random      io.Reader // serials and keys
	Units       int       // that one account may take in all; 0: any number
}

// Name is how the office calls itself, to people and in its certificate.
const Name = "SPESIMEN Kantor Meterai Uji"

// Office issues and affixes specimens. It is safe for use by several goroutines.
type Office struct {
	o Options

	mu         sync.Mutex // guards all below; held while the journal is written, never while a file is stamped
	journal    recorder
	orders     map[string]string   // serial by order; orders in process only
	issued     map[string][]string // serials by account, oldest first; "" is the one in process
	serials    map[string]*serial
	credential *credential // nil until the first order
	latest     *entry      // with the credential; nil until the first order
}

// serial is what became of one.
type serial struct {
	account string    // empty: taken in process
	payer   string    // who pays, where it was taken in process
	file    string    // name that it was taken for
	source  string    // digest of what it is affixed to, hexadecimal; empty: unused
	at      time.Time // last change
	taken   time.Time // when it was issued
}

// Open opens the office in a folder, and makes both at the first start. The folder is the office's own until
// Close: opening it twice is [ErrInUse].
func Open(dir string, o Options) (*Office, error) { return openWith(dir, o, openJournal) }

// Read opens an office that another process may have open, to be asked what it issued until now. It issues and affixes
// nothing: every attempt is a problem with [ErrInUse].
func Read(dir string, o Options) (*Office, error) { return openWith(dir, o, readJournal) }

func openWith(dir string, o Options, from func(string, func(entry) error) (*journal, error)) (*Office, error) {
	f, err := newOffice(o)
	if err != nil {
		return nil, err
	}
	j, err := from(dir, f.applyEntry)
	if err != nil {
		return nil, err
	}
	f.journal = j
	if err := f.openLatest(); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return f, nil
}

// newOffice returns an office without a journal.
func newOffice(o Options) (*Office, error) {
	if u, err := url.Parse(o.PublicURL); err != nil || u.Scheme == "" || u.Host == "" {
		return nil, fmt.Errorf("public address %q of the office", o.PublicURL)
	}
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	if o.Units <= 0 {
		o.Units = unlimitedUnits
	}
	return &Office{o: o, orders: map[string]string{}, issued: map[string][]string{}, serials: map[string]*serial{}}, nil
}

// decide runs a decision on all that was recorded until now, and again if another office recorded something meanwhile. The caller holds mu.
func (f *Office) decide(ctx context.Context, do func() error) error {
	for {
		if err := errors.Join(f.journal.catchUp(ctx, f.applyEntry), f.openLatest()); err != nil {
			return unavailable(err)
		}
		if err := do(); !errors.Is(err, errBehind) {
			return err
		}
	}
}

// openLatest opens the latest credential. The caller holds mu.
func (f *Office) openLatest() (err error) {
	if f.credential == nil && f.latest != nil {
		f.credential, err = openCredential(*f.latest, f.o.Sealer)
	}
	return err
}

// Reseal seals the office's key under the current master key, if it is sealed under another one. Durable on return: an entry with it, which replaces the
// former entry.
func (f *Office) Reseal(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.decide(ctx, func() error {
		if f.latest == nil {
			return nil
		}
		der, under, err := f.o.Sealer.OpenWithKey(sealID, f.latest.Key)
		if err != nil || under == f.o.Sealer.ID() {
			return err
		}
		e := entry{Is: entryCredential, At: f.now(), Chain: f.latest.Chain}
		if e.Key, err = f.o.Sealer.Seal(sealID, der); err != nil {
			return err
		}
		if err := f.journal.appendEntry(ctx, e); err != nil {
			return err
		}
		f.latest = &e
		return nil
	})
}

// SealedUnder returns the master key under which the office's key is sealed; false: the office has no key yet.
func (f *Office) SealedUnder() (under sealing.KeyID, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.latest == nil {
		return under, false, nil
	}
	_, under, err = f.o.Sealer.OpenWithKey(sealID, f.latest.Key)
	return under, err == nil, err
}

// refresh reads what other offices recorded until now.
func (f *Office) refresh(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.decide(ctx, func() error { return nil })
}

// Close ends the use of the folder. What was issued stays.
func (f *Office) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.journal.close()
}

// applyEntry takes up one entry of the journal.
func (f *Office) applyEntry(e entry) error {
	switch e.Is {
	case entryCredential:
		f.latest, f.credential = &e, nil // opened once all entries were read: a former one may be sealed under a former master key
		return nil
	case entryTaken:
		if e.Order != "" && f.orders[e.Order] != "" || f.serials[e.Serial] != nil || (e.Order == "") == (e.Account == "") || e.Serial == "" {
			return fmt.Errorf("order %q and serial %q are not new", e.Order, e.Serial)
		}
		f.addIssued(e)
		return nil
	case entryAffixed:
		s := f.serials[e.Serial]
		if d, err := hex.DecodeString(e.Source); s == nil || s.source != "" || err != nil || len(d) != 32 {
			return fmt.Errorf("serial %q cannot be affixed to %q", e.Serial, e.Source)
		}
		s.source, s.at = e.Source, e.At
		return nil
	}
	return fmt.Errorf("%q is not known to this program", e.Is)
}

// addIssued remembers a serial that was issued. The caller holds mu.
func (f *Office) addIssued(e entry) {
	if e.Order != "" {
		f.orders[e.Order] = e.Serial
	}
	f.issued[e.Account] = append(f.issued[e.Account], e.Serial)
	f.serials[e.Serial] = &serial{account: e.Account, payer: e.Payer, file: e.File, at: e.At, taken: e.At}
}

// BuySerial issues a serial for an order, or the one it was issued before, whatever Order.Again says.
func (f *Office) BuySerial(ctx context.Context, o emeterai.Order) (string, error) {
	if o.ID == "" {
		return "", &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeOrder, Text: "the order has no identifier"}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var s string
	err := f.decide(ctx, func() (err error) {
		var ok bool
		if s, ok = f.orders[o.ID]; !ok {
			s, err = f.issueSerial(ctx, entry{Is: entryTaken, Order: o.ID, Payer: o.Organisation, File: o.Filename})
		}
		return err
	})
	return s, err
}

// issueSerial issues a new serial. The caller holds mu.
func (f *Office) issueSerial(ctx context.Context, e entry) (string, error) {
	if len(f.issued[e.Account]) >= f.o.Units {
		return "", &emeterai.Problem{Class: emeterai.Quota, Code: codeQuota, Text: "the account has no units left"}
	}
	// Without a certificate the serial could not be affixed.
	if _, err := f.requireCredential(ctx); err != nil {
		return "", err
	}
	var err error
	if e.Serial, err = f.drawSerial(); err != nil {
		return "", unavailable(err)
	}
	// Durable after the append: that this order has this serial. Not yet: that the caller knows. After a crash the
	// caller sends the same identifier and gets the same serial, or finds it in the list of the account.
	e.At = f.now()
	if err := f.journal.appendEntry(ctx, e); err != nil {
		return "", unavailable(err)
	}
	f.addIssued(e)
	return e.Serial, nil
}

// Form of a serial. It can be mistaken for no real one: those are 22 characters without a hyphen.
const (
	serialPrefix  = "SPESIMEN-"
	serialDigits  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	serialLen     = 13
	serialRetries = 10
)

// drawSerial makes a serial that was never issued.
func (f *Office) drawSerial() (string, error) {
	for range serialRetries {
		b := []byte(serialPrefix)
		for len(b) < len(serialPrefix)+serialLen {
			var r [1]byte
			if _, err := io.ReadFull(f.o.Random, r[:]); err != nil {
				return "", fmt.Errorf("random serial: %w", err)
			}
			if n := int(r[0]); n < 256-256%len(serialDigits) { // no digit is likelier than another
				b = append(b, serialDigits[n%len(serialDigits)])
			}
		}
		if s := string(b); f.serials[s] == nil {
			return s, nil
		}
	}
	return "", errors.New("random serials repeat themselves")
}

// SerialStatus returns the state of a serial.
func (f *Office) SerialStatus(ctx context.Context, serial string) (status emeterai.Status, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err = f.decide(ctx, func() error {
		s, ok := f.serials[serial]
		switch {
		case !ok:
			return unknownSerial(serial)
		case s.source != "":
			status = emeterai.Affixed
		default:
			status = emeterai.Unused
		}
		return nil
	})
	return status, err
}

// CheckAffixable is so for every serial that was issued: its artwork is drawn when it is affixed.
func (f *Office) CheckAffixable(ctx context.Context, serial string) error {
	_, err := f.SerialStatus(ctx, serial)
	return err
}

// IsSpecimen is always true.
func (f *Office) IsSpecimen() bool { return true }

func (f *Office) now() time.Time { return f.o.Clock().UTC().Truncate(time.Millisecond) }

// unavailable is a problem of the office itself. What failed was not done, or can be repeated.
func unavailable(err error) error {
	return &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeDown, Text: "the office cannot work just now", Err: err}
}

func unknownSerial(s string) error {
	return &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSerial, Text: fmt.Sprintf("serial %s was never issued", s)}
}

// codeQuota is what the office's protocol says of an empty account.
const codeQuota = "93"

// ListSerials lists what was issued in process, oldest first.
func (f *Office) ListSerials(ctx context.Context) ([]emeterai.Serial, error) {
	if err := f.refresh(ctx); err != nil {
		return nil, err
	}
	return f.listIssued(""), nil
}

// listIssued lists the serials of an account, oldest first.
func (f *Office) listIssued(account string) []emeterai.Serial {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []emeterai.Serial
	for _, name := range f.issued[account] {
		all = append(all, f.serials[name].asListed(name))
	}
	return all
}

func (s *serial) asListed(name string) emeterai.Serial {
	line := emeterai.Serial{Serial: name, Status: emeterai.Unused, File: s.file, At: s.at}
	if s.source != "" {
		line.Status = emeterai.Affixed
	}
	return line
}

// Balance returns what is left of Options.Units.
func (f *Office) Balance(ctx context.Context) (emeterai.Balance, error) {
	if err := f.refresh(ctx); err != nil {
		return emeterai.Balance{}, err
	}
	return f.accountBalance(""), nil
}

func (f *Office) accountBalance(account string) emeterai.Balance {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := emeterai.Balance{Left: max(f.o.Units-len(f.issued[account]), 0)}
	for _, name := range f.issued[account] {
		if f.serials[name].source == "" {
			b.Unused++
		}
	}
	return b
}

// unlimitedUnits is what an account may buy if no number is set.
const unlimitedUnits = 1_000_000_000

// Availability is always given, because the office is in process.
func (f *Office) Availability() emeterai.Availability { return emeterai.Availability{} }

// Issued is a serial that the office issued, as its journal has it.
type Issued struct {
	Serial string
	Order  string    // empty where it was taken over the protocol
	Payer  string    // identifier of who pays; may be empty
	File   string    // name that it was taken for
	Source string    // SHA-256 of what it is affixed to, in hexadecimal; empty: it is unused
	At     time.Time // of the last entry about it
	Taken  time.Time // when it was issued
}

// Issued returns all serials that were issued, by serial, as of the last call that asked the journal.
func (f *Office) Issued() []Issued {
	f.mu.Lock()
	defer f.mu.Unlock()
	orders := make(map[string]string, len(f.orders))
	for order, s := range f.orders {
		orders[s] = order
	}
	all := make([]Issued, 0, len(f.serials))
	for name, s := range f.serials {
		all = append(all, Issued{name, orders[name], s.payer, s.file, s.source, s.at, s.taken})
	}
	slices.SortFunc(all, func(a, b Issued) int { return cmp.Compare(a.Serial, b.Serial) })
	return all
}

// credential is the office's key and certificates.
type credential struct {
	key   crypto.Signer
	chain []*x509.Certificate
}

// sealedAs is what the key is bound to at rest, and holder the office's identifier in its certificate.
const (
	sealID   = "emeterai/sandbox"
	holderID = "SPESIMEN"
)

// renewBefore is how long before its end a certificate is replaced.
const renewBefore = 30 * 24 * time.Hour

// officeHolder is who the office's certificate is for.
var officeHolder = authority.Holder{ID: holderID, Name: Name, Assurance: authority.Specimen}

// requireCredential returns the credential, and makes it at the first order, when its certificate nears its end, when it begins
// later than now, because the clock was ahead when it was made, or when the authority was replaced: the new one states no status for
// certificates of the former. The caller holds mu.
func (f *Office) requireCredential(ctx context.Context) (*credential, error) {
	if c := f.credential; c != nil {
		now, leaf := f.o.Clock(), c.chain[0]
		if !now.Before(leaf.NotBefore) && now.Before(leaf.NotAfter.Add(-renewBefore)) && f.o.Issuer.MatchesHolder(leaf, officeHolder) {
			return c, nil
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), f.o.Random)
	if err != nil {
		return nil, unavailable(fmt.Errorf("key of the office: %w", err))
	}
	chain, err := f.o.Issuer.Certify(ctx, officeHolder, key.Public())
	if err != nil {
		return nil, unavailable(fmt.Errorf("certificate of the office: %w", err))
	}
	if len(chain) == 0 {
		return nil, unavailable(errors.New("certificate of the office: the issuer gave none"))
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, unavailable(fmt.Errorf("key of the office: %w", err))
	}
	e := entry{Is: entryCredential, At: f.now()}
	if e.Key, err = f.o.Sealer.Seal(sealID, der); err != nil {
		return nil, unavailable(fmt.Errorf("seal the office's key: %w", err))
	}
	for _, c := range chain {
		e.Chain = append(e.Chain, c.Raw)
	}
	if err := f.journal.appendEntry(ctx, e); err != nil {
		return nil, unavailable(err)
	}
	f.credential, f.latest = &credential{key, chain}, &e
	return f.credential, nil
}

// openCredential reads what requireCredential wrote.
func openCredential(e entry, s *sealing.Sealer) (*credential, error) {
	c := &credential{}
	for _, der := range e.Chain {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("certificate of the office: %w", err)
		}
		c.chain = append(c.chain, cert)
	}
	for i, cert := range c.chain[:max(0, len(c.chain)-1)] {
		if err := cert.CheckSignatureFrom(c.chain[i+1]); err != nil {
			return nil, fmt.Errorf("certificate of the office: %w", err)
		}
	}
	der, err := s.Open(sealID, e.Key)
	if err != nil {
		return nil, fmt.Errorf("open the office's key: %w", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("key of the office: %w", err)
	}
	signer, ok := key.(*ecdsa.PrivateKey)
	if !ok || len(c.chain) == 0 || !signer.PublicKey.Equal(c.chain[0].PublicKey) {
		return nil, errors.New("key and certificate of the office do not belong together")
	}
	c.key = signer
	return c, nil
}
