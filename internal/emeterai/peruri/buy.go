package peruri

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"sync"
)

// pendingOrder is an order that this process received and that has no serial yet.
type pendingOrder struct {
	inDoubt bool      // an earlier call may have bought a serial, or still may
	since   time.Time // when the last call in doubt ended, or the order was first seen
	attempt int       // the last one of this process: since is not before any call in doubt up to it
}

// orderRetention is how long an order is remembered that is not requested any more. Forgetting one only puts it in
// doubt.
const orderRetention = 48 * time.Hour

var orderForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`) })

// BuySerial implements [emeterai.Stamper].
func (d *Driver) BuySerial(ctx context.Context, o emeterai.Order) (string, error) {
	if !orderForm().MatchString(o.ID) {
		return "", &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeOrder, Text: "the order has no identifier of letters and digits"}
	}
	a := d.trackOrder(o)
	kind, err := d.resolveKind(ctx, o.Kind)
	if err != nil {
		return "", err
	}
	var doc uploadedFile
	if d.o.Form == Cloud {
		if doc, err = d.uploadFile(ctx, o.Source, fileName(o)); err != nil {
			return "", err
		}
	}
	if a.inDoubt {
		return d.resolveInDoubt(ctx, o, a, kind, doc)
	}
	if err := d.purchaseLock.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer d.purchaseLock.Release(1)
	release, err := d.lockPurchases(ctx, false)
	if err != nil {
		return "", err
	}
	defer release()
	return d.buySerial(ctx, o, kind, doc)
}

// trackOrder returns what is known of an order, and remembers the order.
func (d *Driver) trackOrder(o emeterai.Order) pendingOrder {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.o.Clock()
	a := d.orders[o.ID]
	if a != nil && o.LastSent > a.attempt { // another process made a call since, and its result is not known here
		a = nil
	}
	if a == nil {
		for id, old := range d.orders {
			if now.Sub(old.since) > orderRetention {
				delete(d.orders, id)
			}
		}
		a = &pendingOrder{inDoubt: o.MaybeSent, since: now}
		if !o.SentBefore.IsZero() {
			a.since = o.SentBefore
		}
		d.orders[o.ID] = a
	}
	a.attempt = o.Attempt
	return *a
}

// recordPurchase records how a purchase ended.
func (d *Driver) recordPurchase(o emeterai.Order, serial string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.orders, o.ID)
		d.orderBySerial[serial] = o.ID
		return
	}
	d.orders[o.ID] = &pendingOrder{inDoubt: emeterai.ClassOf(err) == emeterai.Unknown, since: d.o.Clock(), attempt: o.Attempt}
}

// countInDoubt counts the orders of this process that are in doubt.
func (d *Driver) countInDoubt() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, a := range d.orders {
		if a.inDoubt {
			n++
		}
	}
	return n
}

// orderOfSerial returns the order for which this process returned a serial that was not stamped yet.
func (d *Driver) orderOfSerial(serial string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.orderBySerial[serial]
}

// purchaseRequest is the body of stampv2.
type purchaseRequest struct {
	IsUpload   bool   `json:"isUpload"`
	Kind       string `json:"namadoc"`
	File       string `json:"namafile"`
	FileID     string `json:"idfile,omitempty"`
	Value      string `json:"nilaidoc"`
	Identity   string `json:"namejidentitas,omitempty"`
	Number     string `json:"noidentitas,omitempty"`
	Payer      string `json:"namedipungut,omitempty"`
	SerialOnly bool   `json:"snOnly"`
	DocNumber  string `json:"nodoc"`
	Date       string `json:"tgldoc"`
}

// dutyAmount is what stampv2 calls nilaidoc: the duty in rupiah.
const dutyAmount = "10000"

func (d *Driver) buildPurchase(o emeterai.Order, kind string, doc uploadedFile) purchaseRequest {
	date := o.Date
	if date.IsZero() {
		date = d.o.Clock()
	}
	p := purchaseRequest{
		IsUpload: doc.id != "", Kind: kind, File: fileName(o), FileID: doc.id, Value: dutyAmount,
		DocNumber: cmp.Or(cutToOneLine(o.Number, 50), "0"), Date: date.In(contract.Jakarta).Format(time.DateOnly),
	}
	if c := d.o.Collector; c.Identity != "" {
		p.Identity, p.Number, p.Payer = c.Identity, c.Number, cmp.Or(c.Name, cutToOneLine(o.Payer, 100))
	}
	return p
}

// fileName returns the document's name at the office: its name for people, and the order's identifier, by which the
// serial is found again if the answer is lost.
func fileName(o emeterai.Order) string {
	stem := strings.TrimSuffix(cutToOneLine(o.Filename, 60), path.Ext(o.Filename))
	stem = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == ' ' {
			return r
		}
		return '_'
	}, stem)
	return cmp.Or(stem, "dokumen") + fileNameSuffix(o)
}

// fileNameSuffix returns the end of the file name of an order's serial, which is unique to the order.
func fileNameSuffix(o emeterai.Order) string { return "-" + o.ID + ".pdf" }

// cutToOneLine shortens a text to one line of at most that many characters.
func cutToOneLine(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	return strings.TrimSpace(string(r[:min(len(r), most)]))
}

// buySerial spends a unit. The caller holds purchaseLock, shared or exclusively.
//
// Durable after stampv2 was answered: the serial at the office, and its picture here, unless the office sends it
// again. Not yet: that it belongs to this order; only the caller's commit makes that durable. After a crash in between
// the order is sent again, and resolveInDoubt finds the serial.
func (d *Driver) buySerial(ctx context.Context, o emeterai.Order, kind string, doc uploadedFile) (string, error) {
	body, err := json.Marshal(d.buildPurchase(o, kind, doc))
	if err != nil {
		return "", err
	}
	var got boughtSerial
	err = d.withToken(ctx, func(l accessToken) error {
		answer, err := d.callJSON(ctx, call{
			name: "stampv2", method: http.MethodPost, url: d.o.SerialURL + "/chanel/stampv2", token: l.token, kind: jsonType, body: bytes.NewReader(body), size: int64(len(body)),
			effect: true, breaker: d.officeBreaker, timeout: d.o.Timeout, limit: answerLimit,
		})
		if err != nil {
			return err
		}
		got, err = parseBoughtSerial(answer.body)
		return d.classifyAnswer("stampv2", emeterai.Unknown, err, answer.status)
	})
	d.recordPurchase(o, got.serial, err)
	if err != nil {
		return "", err
	}
	r := record{Serial: got.serial, Picture: got.picture, Code: got.code, Document: doc.id, Digest: doc.digest}
	if err := d.records.storeRecord(ctx, r); err != nil {
		// The serial is worth more than its picture, which can perhaps be fetched again.
		d.o.Log.ErrorContext(ctx, "picture of a serial could not be stored", "serial", got.serial, "error", err)
	}
	return got.serial, nil
}

// resolveInDoubt finds out what became of an order in doubt, while no process buys anything else: it finds the
// order's serial, or makes sure that there is none and never will be, and then buys one.
func (d *Driver) resolveInDoubt(ctx context.Context, o emeterai.Order, a pendingOrder, kind string, doc uploadedFile) (string, error) {
	if err := d.purchaseLock.Acquire(ctx, maxPurchases); err != nil {
		return "", err
	}
	defer d.purchaseLock.Release(maxPurchases)
	release, err := d.lockPurchases(ctx, true)
	if err != nil {
		return "", err
	}
	defer release()
	// A call that timed out here may still be queued at the office. Until that is impossible, not finding a serial
	// proves nothing. The list is as old as the request for it, so the time is taken first.
	left := a.since.Add(d.o.Timeout + d.o.Settle).Sub(d.o.Clock())
	all, err := d.ListSerials(ctx)
	if err != nil {
		return "", err
	}
	serial, err := d.chooseSerial(ctx, o, all)
	if err != nil {
		return "", err
	}
	if serial != "" {
		d.recordPurchase(o, serial, nil)
		d.o.Log.WarnContext(ctx, "found the serial of an order whose answer was lost", "order", o.ID, "serial", serial)
		return serial, nil
	}
	if left > 0 {
		return "", &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeWait, After: left,
			Text: "the result of an earlier purchase for this stamp is unknown; the office lists no serial for it yet and is queried again before another one is bought"}
	}
	return d.buySerial(ctx, o, kind, doc)
}

// chooseSerial chooses the order's serial from those of the account: among those that are unused, that no document has,
// and that this process returned for no other order. It returns nothing if there is certainly none so far.
//
// One that has the order in its name may also be affixed: to the same bytes, by an installation that was lost before it recorded that, and was
// restored. It is affixed again at no cost.
func (d *Driver) chooseSerial(ctx context.Context, o emeterai.Order, all []emeterai.Serial) (string, error) {
	var named, nameless []string
	for _, s := range all {
		mine := strings.HasSuffix(s.File, fileNameSuffix(o))
		if !mine && (s.Status != emeterai.Unused || s.File != "") {
			continue
		}
		if to := d.orderOfSerial(s.Serial); to != "" && to != o.ID {
			continue
		}
		known, err := d.o.Known(ctx, s.Serial, mine)
		if err != nil {
			return "", fmt.Errorf("look up serial %s: %w", s.Serial, err)
		}
		switch {
		case known:
		case mine:
			named = append(named, s.Serial)
		default:
			nameless = append(nameless, s.Serial)
		}
	}
	switch {
	case len(named) > 0: // at worst bought more than once; the others stay unused, and the reconciliation shows them
		return named[0], nil
	case len(nameless) <= d.countInDoubt() && len(nameless) > 0: // each belongs to an order in doubt, and any of them fits
		return nameless[0], nil
	case len(nameless) > 0:
		return "", &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodeSerialUncertain, Text: fmt.Sprintf(
			"the answer to a purchase was lost, and it is not known which of these unused serials it bought: %s", cutToOneLine(strings.Join(nameless, ", "), 400))}
	}
	return "", nil
}

// ListSerials implements [emeterai.Stamper].
func (d *Driver) ListSerials(ctx context.Context) ([]emeterai.Serial, error) {
	var all []emeterai.Serial
	err := d.queryOffice(ctx, "serials", http.MethodGet, func(l accessToken) string {
		return d.o.SerialURL + "/chanel/sale/stamp/ext/" + url.PathEscape(cmp.Or(l.user, d.o.User))
	}, listLimit, func(b []byte) error {
		lines, total, err := parseSerials(b)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if !serialForm().MatchString(l.Serial) {
				return fmt.Errorf("%w: serial %.60q in the list", errMalformedAnswer, l.Serial)
			}
		}
		// With part of a list we could buy again what was bought.
		if total >= 0 && total != len(lines) {
			return fmt.Errorf("%w: %d serials of %d", errMalformedAnswer, len(lines), total)
		}
		all = lines
		return nil
	})
	return all, err
}

// SerialStatus implements [emeterai.Stamper].
func (d *Driver) SerialStatus(ctx context.Context, serial string) (emeterai.Status, error) {
	if !serialForm().MatchString(serial) {
		return "", unknownSerial(serial)
	}
	var found emeterai.Status
	err := d.queryOffice(ctx, "status", http.MethodGet, func(accessToken) string { return d.o.LoginURL + "/api/chanel/stamp/ext?filter=" + serial }, answerLimit, func(b []byte) error {
		lines, _, err := parseSerials(b)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l.Serial == serial || l.Serial == "" && len(lines) == 1 { // the filter may also match similar serials
				found = l.Status
			}
		}
		return nil
	})
	if err == nil && found == "" {
		err = unknownSerial(serial)
	}
	return found, err
}

func unknownSerial(serial string) error {
	return &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSerial, Text: fmt.Sprintf("the office does not know serial %.40s", serial)}
}

// Balance implements [emeterai.Stamper].
func (d *Driver) Balance(ctx context.Context) (emeterai.Balance, error) {
	var b emeterai.Balance
	err := d.queryOffice(ctx, "saldo", http.MethodPost, func(accessToken) string { return d.o.LoginURL + "/function/saldopos" }, answerLimit, func(body []byte) (err error) {
		b, err = parseSaldo(body)
		return err
	})
	return b, err
}

// kindsLife is how long the office's list of kinds of documents is cached.
const kindsLife = 24 * time.Hour

// cachedKinds returns the office's list, or nil if it has to be fetched.
func (d *Driver) cachedKinds() []documentKind {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.o.Clock().After(d.kindsUntil) {
		return nil
	}
	return d.kinds
}

func (d *Driver) cacheKinds(all []documentKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kinds, d.kindsUntil = all, d.o.Clock().Add(kindsLife)
}

// resolveKind returns the office's code for one of our kinds of document: the configured code or name of it, found in
// the office's list.
func (d *Driver) resolveKind(ctx context.Context, ours string) (string, error) {
	word := cmp.Or(ours, d.o.Kind)
	want := word
	if mapped, ok := d.o.Kinds[word]; ok {
		want = mapped
	}
	all := d.cachedKinds()
	if all == nil {
		err := d.queryOffice(ctx, "jenisdoc", http.MethodGet, func(accessToken) string { return d.o.SerialURL + "/jenisdoc" }, answerLimit, func(b []byte) (err error) {
			all, err = parseKinds(b)
			return err
		})
		if err != nil {
			return "", err
		}
		d.cacheKinds(all)
	}
	var known []string
	for _, k := range all {
		if k.code == want || strings.EqualFold(k.name, want) {
			return k.code, nil
		}
		known = append(known, fmt.Sprintf("%s (%s)", k.code, k.name))
	}
	// The kind may be new at the office; fetch the list again next time.
	d.cacheKinds(nil)
	return "", &emeterai.Problem{Class: emeterai.Config, Code: emeterai.CodeKind, After: configWait,
		Text: d.redactText(fmt.Sprintf("kind of document %q is %q, which the office does not have; it has %s", word, want, strings.Join(known, ", ")))}
}
