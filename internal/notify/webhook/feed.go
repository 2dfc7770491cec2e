// Package webhook reports the events of an organisation to other systems: as a feed that they read, and by requests to their addresses.
package webhook

import (
	"context"
	"strconv"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Feed lets other systems read the events of an organisation and wait for the next ones. It is safe for concurrent use.
type Feed struct {
	Store store.Feed
	// Poll is how often the store is asked for new events while callers wait; 0: four times a second.
	Poll time.Duration

	mu      sync.Mutex // guards the fields below
	waiting int
	moved   chan struct{} // closed when the feed has grown; replaced then
	stop    context.CancelFunc
}

const defaultFeedPoll = 250 * time.Millisecond

// Read returns a part of the feed. If it has no events, Read waits for some until done is closed; then the page has none, and its Next is
// where the next call goes on. The page of an error has no meaning. The caller has authorised it.
func (f *Feed) Read(ctx context.Context, q store.FeedQuery, done <-chan struct{}) (store.FeedPage, error) {
	for {
		page, err := f.Store.ReadFeed(ctx, q)
		if err != nil || len(page.Events) > 0 {
			return page, err
		}
		if q.From = page.Next; page.More {
			continue
		}
		if again, err := f.waitBeyond(ctx, page.Next, done); err != nil || !again {
			return page, err
		}
	}
}

// waitBeyond returns true when the feed may have events at n or later, of any organisation, and false when done is closed.
func (f *Feed) waitBeyond(ctx context.Context, n contract.FeedNumber, done <-chan struct{}) (bool, error) {
	select {
	case <-done:
		return false, nil
	default:
	}
	moved := f.startWaiting()
	defer f.stopWaiting()
	// Check after registering, so that no event between the caller's last look and the wait is missed.
	end, err := f.Store.FeedEnd(ctx)
	if err != nil || end > n {
		return err == nil, err
	}
	select {
	case <-moved:
		return true, nil
	case <-done:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// Waiting returns how many callers wait.
func (f *Feed) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting
}

func (f *Feed) startWaiting() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting++; f.waiting == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		f.moved, f.stop = make(chan struct{}), cancel
		go f.poll(ctx)
	}
	return f.moved
}

func (f *Feed) stopWaiting() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.stop()
	}
}

// poll tells those who wait when the feed has grown, and at first.
func (f *Feed) poll(ctx context.Context) {
	every := f.Poll
	if every == 0 {
		every = defaultFeedPoll
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := contract.FeedNumber(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		end, err := f.Store.FeedEnd(ctx)
		if err != nil || end == last {
			continue // those who wait read the feed when their time is up, and get the error
		}
		last = end
		f.mu.Lock()
		if ctx.Err() == nil {
			close(f.moved)
			f.moved = make(chan struct{})
		}
		f.mu.Unlock()
	}
}

// FormatCursor returns a position as clients see it. It is opaque to them.
func FormatCursor(n contract.FeedNumber) string { return "c" + strconv.FormatInt(int64(n), 36) }

// ParseCursor returns the position of a cursor.
func ParseCursor(s string) (contract.FeedNumber, bool) {
	if len(s) < 2 || s[0] != 'c' {
		return 0, false
	}
	n, err := strconv.ParseInt(s[1:], 36, 64)
	if err != nil || n < 0 || FormatCursor(contract.FeedNumber(n)) != s {
		return 0, false
	}
	return contract.FeedNumber(n), true
}
