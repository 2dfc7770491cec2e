package peruri

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"segel/internal/emeterai"
)

// kindsLife is how long the office's list of kinds of documents is believed.
const kindsLife = 24 * time.Hour

// kindCache keeps the office's list.
type kindCache struct {
	mu    sync.Mutex // guards all below
	all   []documentKind
	until time.Time
}

func newKindCache() *kindCache { return &kindCache{} }

func (k *kindCache) cachedKinds(now time.Time) []documentKind {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.After(k.until) {
		return nil
	}
	return k.all
}

func (k *kindCache) storeKinds(all []documentKind, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all, k.until = all, until
}

// resolveKind returns the office's code for a kind of document in our words: what the configuration says of the word, looked
// up in the office's list by code or name.
func (d *Driver) resolveKind(ctx context.Context, ours string) (string, error) {
	word := orDefault(ours, d.o.Kind)
	want := word
	if mapped, ok := d.o.Kinds[word]; ok {
		want = mapped
	}
	all := d.kinds.cachedKinds(d.o.Clock())
	if all == nil {
		err := d.queryOffice(ctx, "jenisdoc", http.MethodGet, func(accessToken) string { return d.o.SerialURL + "/jenisdoc" }, answerLimit, func(b []byte) (err error) {
			all, err = parseKinds(b)
			return err
		})
		if err != nil {
			return "", err
		}
		d.kinds.storeKinds(all, d.o.Clock().Add(kindsLife))
	}
	var known []string
	for _, k := range all {
		if k.code == want || strings.EqualFold(k.name, want) {
			return k.code, nil
		}
		known = append(known, fmt.Sprintf("%s (%s)", k.code, k.name))
	}
	// It may be new at the office; look again the next time.
	d.kinds.storeKinds(nil, time.Time{})
	return "", &emeterai.Problem{Class: emeterai.Config, Code: emeterai.CodeKind, After: configWait,
		Text: d.redactText(fmt.Sprintf("kind of document %q is %q, which the office does not have; it has %s", word, want, strings.Join(known, ", ")))}
}
