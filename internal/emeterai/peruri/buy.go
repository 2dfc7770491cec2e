package peruri

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"segel/internal/emeterai"
)

// asked is an order that this process was given and has no serial for yet.
type asked struct {
	doubt bool      // an earlier call may have bought, or may do so still
	since time.Time // when the last call in doubt ended, or was first heard of
}

// askedKept is how long an order is remembered that nobody asks for any more. Forgetting one only makes it doubtful.
const askedKept = 48 * time.Hour

var orderForm = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)

// Take implements [emeterai.Stamper].
func (d *Driver) Take(ctx context.Context, o emeterai.Order) (string, error) {
	if !orderForm.MatchString(o.ID) {
		return "", &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeOrder, Text: "the order has no identifier of letters and digits"}
	}
	a := d.recall(o)
	kind, err := d.kind(ctx, o.Kind)
	if err != nil {
		return "", err
	}
	var doc document
	if d.o.Form == Cloud {
		if doc, err = d.upload(ctx, o.Source, fileName(o)); err != nil {
			return "", err
		}
	}
	if a.doubt {
		return d.settle(ctx, o, a, kind, doc)
	}
	if err := d.buying.enter(ctx); err != nil {
		return "", err
	}
	defer d.buying.leave()
	return d.buy(ctx, o, kind, doc)
}

// recall returns what is known of an order, and remembers it.
func (d *Driver) recall(o emeterai.Order) asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.o.Clock()
	a := d.orders[o.ID]
	if a == nil {
		for id, old := range d.orders {
			if now.Sub(old.since) > askedKept {
				delete(d.orders, id)
			}
		}
		a = &asked{doubt: o.Again, since: now}
		d.orders[o.ID] = a
	}
	return *a
}

// ended records how a purchase ended.
func (d *Driver) ended(o emeterai.Order, serial string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.orders, o.ID)
		d.handed[serial] = o.ID
		return
	}
	d.orders[o.ID] = &asked{doubt: emeterai.ClassOf(err) == emeterai.Unknown, since: d.o.Clock()}
}

// doubtful counts the orders of this process that are in doubt.
func (d *Driver) doubtful() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, a := range d.orders {
		if a.doubt {
			n++
		}
	}
	return n
}

// handedTo returns the order that this process gave a serial to and that has not come to stamp it.
func (d *Driver) handedTo(serial string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.handed[serial]
}

// purchase is the body of stampv2.
type purchase struct {
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

// value is what stampv2 calls nilaidoc: the duty in rupiah.
const value = "10000"

// wib is the office's time, by which a day begins.
var wib = time.FixedZone("WIB", 7*60*60)

func (d *Driver) purchase(o emeterai.Order, kind string, doc document) purchase {
	date := o.Date
	if date.IsZero() {
		date = d.o.Clock()
	}
	p := purchase{
		IsUpload: doc.id != "", Kind: kind, File: fileName(o), FileID: doc.id, Value: value,
		DocNumber: or(oneLine(o.Number, 50), "0"), Date: date.In(wib).Format(time.DateOnly),
	}
	if c := d.o.Collector; c.Identity != "" {
		p.Identity, p.Number, p.Payer = c.Identity, c.Number, or(c.Name, oneLine(o.Payer, 100))
	}
	return p
}

// fileName is how the office knows the document: its name for people, and the order's identifier, by which the serial
// is found again when its answer was lost.
func fileName(o emeterai.Order) string {
	stem := strings.TrimSuffix(oneLine(o.Filename, 60), path.Ext(o.Filename))
	stem = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == ' ' {
			return r
		}
		return '_'
	}, stem)
	return or(stem, "dokumen") + fileEnd(o)
}

// fileEnd is how the file name of an order's serial ends, and of no other order's.
func fileEnd(o emeterai.Order) string { return "-" + o.ID + ".pdf" }

// oneLine cuts a text to so many characters of one line.
func oneLine(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	return strings.TrimSpace(string(r[:min(len(r), most)]))
}

// buy spends a unit. The caller is inside the gate, or has closed it.
//
// Durable after stampv2 was answered: the serial at the office, and its picture here, unless the office sends it again.
// Not yet: that it is this order's, which only the caller's commit makes so. After a crash in between the order comes again, and settle finds it.
func (d *Driver) buy(ctx context.Context, o emeterai.Order, kind string, doc document) (string, error) {
	body, err := json.Marshal(d.purchase(o, kind, doc))
	if err != nil {
		return "", err
	}
	var got taken
	err = d.withToken(ctx, func(l login) error {
		answer, err := d.do(ctx, call{
			name: "stampv2", method: http.MethodPost, url: d.o.SerialURL + "/chanel/stampv2", token: l.token, kind: jsonType, body: bytes.NewReader(body), size: int64(len(body)),
			effect: true, breaker: d.office, timeout: d.o.Timeout, limit: answerLimit,
		})
		if err != nil {
			return err
		}
		got, err = parseTaken(answer.body)
		return d.refusal("stampv2", emeterai.Unknown, err, answer.status)
	})
	d.ended(o, got.serial, err)
	if err != nil {
		return "", err
	}
	r := record{Serial: got.serial, Picture: got.picture, Code: got.code, Document: doc.id, Digest: doc.digest}
	if err := d.keep.put(r); err != nil {
		// The serial is worth more than its picture, which may be had again.
		d.o.Log.ErrorContext(ctx, "picture of a serial cannot be kept", "serial", got.serial, "error", err)
	}
	return got.serial, nil
}

// settle finds out what became of an order in doubt, while nobody else buys: its serial is found, or it is certain
// that there is none and never will be, and then it is bought.
func (d *Driver) settle(ctx context.Context, o emeterai.Order, a asked, kind string, doc document) (string, error) {
	if err := d.buying.close(ctx); err != nil {
		return "", err
	}
	defer d.buying.open()
	// A call that timed out here may be waiting there. Until that cannot be any more, absence proves nothing. The list is
	// as old as the question for it.
	left := a.since.Add(d.o.Timeout + d.o.Settle).Sub(d.o.Clock())
	serial, err := d.find(ctx, o)
	if err != nil {
		return "", err
	}
	if serial != "" {
		d.ended(o, serial, nil)
		d.o.Log.WarnContext(ctx, "found the serial of an order whose answer was lost", "order", o.ID, "serial", serial)
		return serial, nil
	}
	if left > 0 {
		return "", &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeWait, After: left,
			Text: "an earlier purchase for this stamp ended in doubt; the office shows none so far, and is asked again before another is made"}
	}
	return d.buy(ctx, o, kind, doc)
}

// find looks for an order's serial in the account: among those that are unused, that no document has, and that this
// process gave to no other order. It returns nothing if there is certainly none so far.
func (d *Driver) find(ctx context.Context, o emeterai.Order) (string, error) {
	all, err := d.Serials(ctx)
	if err != nil {
		return "", err
	}
	return d.pick(ctx, o, all)
}

// pick chooses the order's serial from the account's.
func (d *Driver) pick(ctx context.Context, o emeterai.Order, all []emeterai.Serial) (string, error) {
	var named, nameless []string
	for _, s := range all {
		mine := strings.HasSuffix(s.File, fileEnd(o))
		if s.Status != emeterai.Unused || !mine && s.File != "" {
			continue
		}
		if to := d.handedTo(s.Serial); to != "" && to != o.ID {
			continue
		}
		known, err := d.o.Known(ctx, s.Serial)
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
	case len(named) > 0: // bought more than once at worst; the others stay unused, and are shown as that
		return named[0], nil
	case len(nameless) <= d.doubtful() && len(nameless) > 0: // every one is explained by an order in doubt, and any fits
		return nameless[0], nil
	case len(nameless) > 0:
		return "", &emeterai.Problem{Class: emeterai.Person, Code: emeterai.CodeAdopt, Text: fmt.Sprintf(
			"the answer to a purchase was lost, and it cannot be told which of these unused serials it bought: %s", oneLine(strings.Join(nameless, ", "), 400))}
	}
	return "", nil
}

// Serials implements [emeterai.Stamper].
func (d *Driver) Serials(ctx context.Context) ([]emeterai.Serial, error) {
	var all []emeterai.Serial
	err := d.ask(ctx, "serials", http.MethodGet, func(l login) string {
		return d.o.SerialURL + "/chanel/sale/stamp/ext/" + pathSegment(or(l.user, d.o.User))
	}, listLimit, func(b []byte) error {
		lines, total, err := parseSerials(b)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if !serialForm.MatchString(l.Serial) {
				return fmt.Errorf("%w: serial %.60q in the list", errAnswer, l.Serial)
			}
		}
		// Part of a list would let us buy what was bought.
		if total >= 0 && total != len(lines) {
			return fmt.Errorf("%w: %d serials of %d", errAnswer, len(lines), total)
		}
		all = lines
		return nil
	})
	return all, err
}

// Status implements [emeterai.Stamper].
func (d *Driver) Status(ctx context.Context, serial string) (emeterai.Status, error) {
	if !serialForm.MatchString(serial) {
		return "", unknownSerial(serial)
	}
	var found emeterai.Status
	err := d.ask(ctx, "status", http.MethodGet, func(login) string { return d.o.LoginURL + "/api/chanel/stamp/ext?filter=" + serial }, answerLimit, func(b []byte) error {
		lines, _, err := parseSerials(b)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l.Serial == serial || l.Serial == "" && len(lines) == 1 { // the filter may find others that resemble it
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
	err := d.ask(ctx, "saldo", http.MethodPost, func(login) string { return d.o.LoginURL + "/function/saldopos" }, answerLimit, func(body []byte) (err error) {
		b, err = parseSaldo(body)
		return err
	})
	return b, err
}
