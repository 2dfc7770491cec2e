package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/blob/encrypted"
	"segel/internal/blob/s3/s3test"
	"segel/internal/credential"
	"segel/internal/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// prefixes counts the stores of a test, each of which has its own prefix.
var prefixes atomic.Int64

// newStore returns the store at an address, below a prefix; empty: a new one.
func newStore(t *testing.T, at *url.URL, prefix string, timeout time.Duration) *Store {
	t.Helper()
	if prefix == "" {
		prefix = fmt.Sprintf("test/%d/", prefixes.Add(1))
	}
	s, err := New(Options{
		Endpoint: at, Region: s3test.Region, Bucket: s3test.Bucket, Prefix: prefix, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey,
		Transport: newTransport(t, at), Timeout: timeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newTransport returns a transport that reaches that server only.
func newTransport(t *testing.T, at *url.URL) http.RoundTripper {
	t.Helper()
	port, err := strconv.ParseUint(at.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	client := outbound.NewClient(outbound.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Ports: []uint16{uint16(port)}})
	t.Cleanup(client.CloseIdleConnections)
	return client.Transport
}

func TestKeepsTheContractOfStores(t *testing.T) {
	t.Parallel()
	at := s3test.StartServer(t).URL
	blobtest.Run(t, func(t *testing.T) blobtest.Subject {
		prefix := ""
		return blobtest.Subject{
			Open: func(t *testing.T) blob.Store {
				s := newStore(t, at, prefix, 0)
				prefix = s.prefix
				return s
			},
			Crash: func(t *testing.T, s blob.Store, _ ...blob.Writer) blob.Store {
				return newStore(t, at, s.(*Store).prefix, 0)
			},
		}
	})
}

func TestAnEncryptedBucketKeepsTheContractOfStores(t *testing.T) {
	t.Parallel()
	at := s3test.StartServer(t).URL
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	blobtest.Run(t, func(t *testing.T) blobtest.Subject {
		prefix := ""
		open := func(t *testing.T) blob.Store {
			s := newStore(t, at, prefix, 0)
			prefix = s.prefix
			return encrypted.New(s, oneKey{ID: "00000000000000000000000000000001", Sealer: sealer}, true).Of("org")
		}
		return blobtest.Subject{
			Open:       open,
			Crash:      func(t *testing.T, _ blob.Store, _ ...blob.Writer) blob.Store { return open(t) },
			StoredSize: func(size int64) int64 { return 213 + size + 16*max(1, (size+64<<10-1)/(64<<10)) },
		}
	})
}

// oneKey is the key of all organisations.
type oneKey encrypted.Key

func (k oneKey) NewestKey(context.Context, string) (encrypted.Key, error) {
	return encrypted.Key(k), nil
}

func (k oneKey) FindKey(context.Context, string) (encrypted.Key, error) {
	return encrypted.Key(k), nil
}

func TestAServerThatIgnoresConditionsIsRefused(t *testing.T) {
	t.Parallel()
	at := s3test.StartServer(t).URL
	p := startProxy(t, at)
	s := newStore(t, p.url, "", 0)
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatalf("a server that does not: %v", err)
	}
	for name, ignores := range map[string]func(*http.Request) bool{
		"in one request": func(r *http.Request) bool { return r.Method == http.MethodPut },
		"in an upload":   isComplete,
	} {
		p.set(func(w http.ResponseWriter, r *http.Request) bool {
			if ignores(r) {
				r.Header.Del("If-None-Match")
				p.sign(r)
			}
			return false
		})
		if err := s.Prepare(t.Context()); !errors.Is(err, ErrUnconditional) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.set(nil)
	for o, err := range s.listObjects(t.Context(), s.prefix) {
		t.Errorf("%s was left, %v", o.Key, err)
	}
}

func TestABlobIsMovedAsideAndPurged(t *testing.T) {
	t.Parallel()
	s := newStore(t, s3test.StartServer(t).URL, "", 0)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err != nil { // the second one writes nothing
		t.Error(err)
	}
	moved, kept := blobtest.Key(1), blobtest.Key(2)
	blobtest.CommitBlob(t, s, moved, []byte("moved"))
	blobtest.CommitBlob(t, s, kept, []byte("kept"))
	at := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	a := s.NewAside(at)
	if err := a.Move(t.Context(), blob.Info{Key: moved, Size: 5}, "00", at); err != nil {
		t.Fatal(err)
	}
	requireNames(t, s, "aside/"+at.Format(blob.AsideTime)+"/"+string(moved),
		"aside/"+at.Format(blob.AsideTime)+"/"+string(moved)+".json", "blobs/"+string(kept))
	for _, c := range []struct {
		before time.Time
		n      int
	}{{at, 0}, {at.Add(time.Second), 1}} {
		if n, err := s.PurgeAside(t.Context(), c.before); n != c.n || err != nil {
			t.Errorf("before %v: %d, %v", c.before, n, err)
		}
	}
	requireNames(t, s, "blobs/"+string(kept))
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }

// dated is a transport to a server whose clock is ahead, or that states no time.
type dated struct {
	http.RoundTripper
	ahead   time.Duration
	undated bool
}

func (d dated) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := d.RoundTripper.RoundTrip(r)
	if err == nil {
		at, failed := http.ParseTime(answer.Header.Get("Date"))
		if err = failed; d.undated {
			answer.Header.Del("Date")
		} else {
			answer.Header.Set("Date", at.Add(d.ahead).Format(http.TimeFormat))
		}
	}
	return answer, err
}

func TestAnUploadIsAbandonedOnlyByTheClocksOfServerAndNodeTogether(t *testing.T) {
	t.Parallel()
	at := s3test.StartServer(t).URL
	writing := newStore(t, at, "", 0)
	w, err := writing.Create(t.Context(), blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(blobtest.Content(1, 2*partSize)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what         string
		node, server time.Duration // ahead
		undated      bool
		want         int
	}{
		{"the clock of the node is days ahead", 72 * time.Hour, 0, false, 0},
		{"the clock of the server was set days ahead", 0, 72 * time.Hour, false, 0},
		{"the server states no time", 72 * time.Hour, 0, true, 0},
		{"35 hours later", 35 * time.Hour, 35 * time.Hour, false, 0},
		{"37 hours later", 37 * time.Hour, 37 * time.Hour, false, 1},
	} {
		s := newStore(t, at, writing.prefix, 0)
		s.now = func() time.Time { return time.Now().Add(c.node) }
		s.answers.RoundTripper = dated{s.answers.RoundTripper, c.server, c.undated}
		if n, err := s.RemoveAbandoned(t.Context()); n != c.want || err != nil {
			t.Errorf("%s: %d removed, %v", c.what, n, err)
		}
	}
	if err := w.Commit(); err == nil {
		t.Error("an upload that was removed is committed")
	}
}

func TestAbandonedUploadsAreRemovedAndYoungOnesStay(t *testing.T) {
	t.Parallel()
	s := newStore(t, s3test.StartServer(t).URL, "", 0)
	content := blobtest.Content(1, 2*partSize)
	begin := func(n int) blob.Writer {
		w, err := s.Create(t.Context(), blobtest.Key(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		return w
	}
	slow, dead := begin(1), begin(2)
	if n, err := s.RemoveAbandoned(t.Context()); n != 0 || err != nil {
		t.Errorf("of two young ones: %d, %v", n, err)
	}
	if err := slow.Commit(); err != nil {
		t.Error(err)
	}
	if n, err := s.abortUploads(t.Context(), inAnHour); n != 1 || err != nil {
		t.Errorf("of one that is old: %d, %v", n, err)
	}
	if err := dead.Commit(); err == nil || errors.Is(err, blob.ErrExists) {
		t.Errorf("commit of an upload that was removed: %v", err)
	}
	requireNames(t, s, "blobs/"+string(blobtest.Key(1)))
	old, err := s.Create(t.Context(), blobtest.Key(3))
	if err != nil {
		t.Fatal(err)
	}
	old.(*writer).begun = time.Now().Add(-writerLife - time.Second)
	if err := old.Commit(); !errors.Is(err, blob.ErrTooOld) {
		t.Errorf("commit of a writer that is too old: %v", err)
	}
}

func TestReadersOfABlobFetchEachRangeOnce(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	s := newStore(t, p.url, "", 0)
	d := blobtest.CommitBlob(t, s, blobtest.Key(1), blobtest.Content(1, 2*rangeSize+10))
	p.requests.Store(0)
	st, err := blob.OpenStack(t.Context(), s, []blob.Segment{{Key: blobtest.Key(1), Size: d.Size, Sums: d.ChunkSums}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for range 2 {
		p := make([]byte, 4<<10)
		for v := st.VerifiedReader(); ; {
			if _, err := v.Read(p); err != nil {
				break
			}
		}
		if _, err := st.VerifiedReaderAt().ReadAt(p, rangeSize+1); err != nil {
			t.Error(err)
		}
	}
	if n := p.requests.Load(); n != 3 {
		t.Errorf("%d requests for three ranges", n)
	}
}

func TestOpeningABlobAgainWithinAMinuteAsksTheServerNothing(t *testing.T) {
	t.Parallel()
	p := startProxy(t, s3test.StartServer(t).URL)
	writing := newStore(t, p.url, "", 0)
	reading := &Store{core: writing.core, bucket: writing.bucket, prefix: writing.prefix, timeout: writing.timeout} // as in another process
	blobtest.CommitBlob(t, writing, blobtest.Key(1), blobtest.Content(1, 10))
	open := func(s *Store) (requests int64, err error) {
		p.requests.Store(0)
		b, err := s.Open(t.Context(), blobtest.Key(1))
		if err == nil {
			if b.Size() != 10 {
				t.Errorf("size %d", b.Size())
			}
			_, err = b.ReadAt(make([]byte, 10), 0)
			_ = b.Close()
		}
		return int64(p.requests.Load()), err
	}
	for i, c := range []struct {
		store    *Store
		requests int64
	}{{writing, 1}, {writing, 0}, {reading, 2}, {reading, 0}} {
		if n, err := open(c.store); n != c.requests || err != nil {
			t.Errorf("open %d: %d requests instead of %d, %v", i, n, c.requests, err)
		}
	}

	// A minute later the server is asked again.
	h := reading.sizes.held[blobtest.Key(1)]
	h.at = h.at.Add(-sizeLife)
	reading.sizes.held[blobtest.Key(1)] = h
	if n, err := open(reading); n != 1 || err != nil {
		t.Errorf("a minute later: %d requests, %v", n, err)
	}

	// Where another process removed it, reading says so, and from then on opening does.
	if err := writing.Remove(t.Context(), blobtest.Key(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := writing.Open(t.Context(), blobtest.Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a blob that this store removed: %v", err)
	}
	reading.ranges.forgetBlob(blobtest.Key(1))
	for range 2 {
		if _, err := open(reading); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("a blob that another store removed: %v", err)
		}
	}
	if _, known := reading.sizes.findSize(blobtest.Key(1), time.Now()); known {
		t.Error("the size of a removed blob is known")
	}
}

func TestTheSizesInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	var c sizeCache
	now := time.Now()
	for i := range maxSizes + maxSizes/2 {
		c.keepSize(blobtest.Key(i), int64(i), now.Add(time.Duration(i)*sizeLife/maxSizes))
	}
	if n := len(c.held); n > maxSizes {
		t.Errorf("%d sizes", n)
	}
	last := maxSizes + maxSizes/2 - 1
	if size, known := c.findSize(blobtest.Key(last), now.Add(time.Duration(last)*sizeLife/maxSizes)); !known || size != int64(last) {
		t.Errorf("the last size: %d, %t", size, known)
	}
}

func TestTheRangesInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	var c rangeCache
	for i := range 2 * maxRanges / rangeSize {
		c.keepRange(rangeID{blobtest.Key(i % 3), int64(i)}, make([]byte, rangeSize))
		c.keepRange(rangeID{blobtest.Key(i % 3), int64(i)}, make([]byte, rangeSize))
	}
	if c.bytes != maxRanges || len(c.held) != maxRanges/rangeSize || c.order.Len() != len(c.held) {
		t.Errorf("%d bytes in %d ranges", c.bytes, len(c.held))
	}
	for i := range 3 {
		c.forgetBlob(blobtest.Key(i))
	}
	if c.bytes != 0 || len(c.held) != 0 || c.order.Len() != 0 {
		t.Errorf("%d bytes in %d ranges after all were forgotten", c.bytes, len(c.held))
	}
}

// requireNames requires that exactly these objects are below the prefix of the store. They are sorted.
func requireNames(t *testing.T, s *Store, want ...string) {
	t.Helper()
	var got []string
	for o, err := range s.listObjects(context.WithoutCancel(t.Context()), s.prefix) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o.Key[len(s.prefix):])
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}
