package encrypted_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/blob/encrypted"
	"segel/internal/blob/file"
	"segel/internal/blob/moving"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/store"
)

// The parts of the format that a test may state: the length of a header with the nonce after it, and a chunk before and after it is encrypted.
const (
	headerLen = 213
	chunk     = 64 << 10
	sealed    = chunk + 16
)

// storedSize returns how many bytes an encrypted blob has.
func storedSize(size int64) int64 { return headerLen + size + 16*max(1, (size+chunk-1)/chunk) }

// keyRows is a store of keys in memory.
type keyRows struct {
	mu   sync.Mutex
	rows []store.BlobKey
}

func (k *keyRows) AddBlobKey(_ context.Context, b store.BlobKey) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.rows {
		if r.Organisation == b.Organisation && r.Generation == b.Generation {
			return store.ErrExists
		}
	}
	k.rows = append(k.rows, b)
	return nil
}

func (k *keyRows) find(match func(store.BlobKey) bool) (found store.BlobKey, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	err = store.ErrNotFound
	for _, r := range k.rows {
		if match(r) && r.Generation > found.Generation {
			found, err = r, nil
		}
	}
	return found, err
}

func (k *keyRows) BlobKey(ctx context.Context, id string) (store.BlobKey, error) {
	if err := ctx.Err(); err != nil {
		return store.BlobKey{}, err
	}
	return k.find(func(r store.BlobKey) bool { return r.ID == id })
}

func (k *keyRows) NewestBlobKey(ctx context.Context, o contract.OrganisationID) (store.BlobKey, error) {
	if err := ctx.Err(); err != nil {
		return store.BlobKey{}, err
	}
	return k.find(func(r store.BlobKey) bool { return r.Organisation == o })
}

func (k *keyRows) EachBlobKey(_ context.Context, yield func(store.BlobKey) bool) error {
	for _, r := range k.rows {
		if !yield(r) {
			break
		}
	}
	return nil
}

// newMaster returns a sealer under a random master key.
func newMaster(t testing.TB) *credential.Sealer {
	t.Helper()
	secret := make([]byte, 32)
	rand.Read(secret)
	s, err := credential.NewSealer(secret)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newKeyring(t testing.TB, rows store.BlobKeys) *encrypted.Keyring {
	return encrypted.NewKeyring(rows, newMaster(t), rand.Reader, time.Now)
}

// memoryVolume is a volume in memory, which counts the bytes that are read.
type memoryVolume struct {
	*blobtest.Memory
	read atomic.Int64
}

func (m *memoryVolume) Check(context.Context) error                            { return nil }
func (m *memoryVolume) NewAside(time.Time) blob.Aside                          { return nil }
func (m *memoryVolume) PurgeAside(context.Context, time.Time) (_ int, _ error) { return 0, nil }

func (m *memoryVolume) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	b, err := m.Memory.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return countingBlob{b, &m.read}, nil
}

type countingBlob struct {
	blob.Blob
	read *atomic.Int64
}

func (b countingBlob) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.Blob.ReadAt(p, off)
	b.read.Add(int64(n))
	return n, err
}

func newMemory() *memoryVolume { return &memoryVolume{Memory: &blobtest.Memory{}} }

func openFolder(t testing.TB, root string) *file.Store {
	t.Helper()
	s, err := file.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inMemory is a subject in memory.
func inMemory(t *testing.T, inner blob.Volume, on bool) blobtest.Subject {
	v := encrypted.New(inner, newKeyring(t, &keyRows{}), on)
	s := blobtest.Subject{Open: func(*testing.T) blob.Store { return v.Of("org") }}
	if on {
		s.StoredSize = storedSize
	}
	return s
}

func TestAnEncryptedVolumeIsAStore(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(*testing.T) blobtest.Subject{
		"folder": func(t *testing.T) blobtest.Subject {
			root, keys := t.TempDir(), newKeyring(t, &keyRows{})
			open := func(t *testing.T) blob.Store { return encrypted.New(openFolder(t, root), keys, true).Of("org") }
			return blobtest.Subject{Open: open, Crash: func(t *testing.T, _ blob.Store, _ ...blob.Writer) blob.Store { return open(t) }, StoredSize: storedSize}
		},
		"memory":     func(t *testing.T) blobtest.Subject { return inMemory(t, newMemory(), true) },
		"turned off": func(t *testing.T) blobtest.Subject { return inMemory(t, newMemory(), false) },
		"while it moves": func(t *testing.T) blobtest.Subject {
			to, from := newMemory(), newMemory()
			if err := from.SetMark(t.Context(), []byte("mark")); err != nil {
				t.Fatal(err)
			}
			if err := moving.Prepare(t.Context(), to, from); err != nil {
				t.Fatal(err)
			}
			s := inMemory(t, moving.New(to, from), true)
			s.Marked = true
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blobtest.Run(t, fresh)
		})
	}
}

// readAll reads a blob.
func readAll(ctx context.Context, s blob.Store, key blob.Key) ([]byte, error) {
	b, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
}

// requireContent requires that a blob has that content.
func requireContent(t *testing.T, s blob.Store, key blob.Key, want []byte) {
	t.Helper()
	if got, err := readAll(t.Context(), s, key); err != nil || !bytes.Equal(got, want) {
		t.Errorf("blob %s: %d bytes of %d, %v", key, len(got), len(want), err)
	}
}

func TestNothingOfABlobIsStoredInClear(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	v := encrypted.New(openFolder(t, root), newKeyring(t, &keyRows{}), true)
	content := bytes.Repeat([]byte("%PDF-1.7 a contract between two parties\n"), 5000)
	blobtest.CommitBlob(t, v.Of("org"), blobtest.Key(1), content)
	stored, err := os.ReadFile(filepath.Join(root, string(blobtest.Key(1)[:2]), string(blobtest.Key(1))))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(stored, []byte("contract")) || int64(len(stored)) != storedSize(int64(len(content))) {
		t.Errorf("%d bytes are stored, and begin with %.60q", len(stored), stored)
	}
	if !bytes.HasPrefix(stored, []byte("age-encryption.org/v1\n-> segel-blob 1 ")) {
		t.Errorf("the header is %.80q", stored)
	}
	requireContent(t, v, blobtest.Key(1), content)
}

func TestPlainAndEncryptedBlobsAreReadFromOneVolume(t *testing.T) {
	t.Parallel()
	m, keys := newMemory(), newKeyring(t, &keyRows{})
	off, on := encrypted.New(m, keys, false), encrypted.New(m, keys, true)
	contents := map[blob.Key][]byte{}
	add := func(s blob.Store, content []byte) {
		key := blobtest.Key(len(contents))
		contents[key] = content
		blobtest.CommitBlob(t, s, key, content)
	}
	add(m, blobtest.Content(1, 100_000)) // before this release
	for _, n := range []int{0, 1, 25, 40, chunk - 1, chunk, chunk + 1, 3*chunk + 9} {
		add(off.Of("org"), blobtest.Content(2, n))
		add(on.Of("org"), blobtest.Content(3, n))
		add(on.Of("other"), blobtest.Content(4, n))
	}
	for key, content := range contents {
		requireContent(t, on, key, content)
		requireContent(t, off, key, content)
	}
}

// What a person uploads may begin like an encrypted blob, and be cut into parts anywhere. It must be read as what it is.
func TestAPlainBlobThatBeginsLikeAnEncryptedOneIsRead(t *testing.T) {
	t.Parallel()
	rows := &keyRows{}
	m := newMemory()
	keys := newKeyring(t, rows)
	blobtest.CommitBlob(t, encrypted.New(m, keys, true).Of("org"), blobtest.Key(0), []byte("secret"))
	b, err := m.Open(t.Context(), blobtest.Key(0))
	if err != nil {
		t.Fatal(err)
	}
	forged := make([]byte, b.Size())
	if _, err := b.ReadAt(forged, 0); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	off := encrypted.New(m, keys, false).Of("org")
	for n := range len(forged) + 1 {
		for i, step := range []int{1, 7, 1000} {
			key := blobtest.Key(1 + 3*n + i)
			w, err := off.Create(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			for p := forged[:n]; len(p) > 0; p = p[min(step, len(p)):] {
				if _, err := w.Write(p[:min(step, len(p))]); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			requireContent(t, off, key, forged[:n])
		}
	}
}

func TestAnEncryptedBlobBelongsToAnOrganisation(t *testing.T) {
	t.Parallel()
	v := encrypted.New(newMemory(), newKeyring(t, &keyRows{}), true)
	if _, err := v.Create(t.Context(), blobtest.Key(1)); !errors.Is(err, encrypted.ErrNoOrganisation) {
		t.Errorf("without one: %v", err)
	}
	if _, err := v.Of("").Create(t.Context(), blobtest.Key(1)); !errors.Is(err, encrypted.ErrNoOrganisation) {
		t.Errorf("with an empty one: %v", err)
	}
}

// changed returns a volume with the stored bytes of a blob, changed, under a name.
func changed(t *testing.T, stored []byte, under blob.Key, change func([]byte) []byte) *memoryVolume {
	t.Helper()
	m := newMemory()
	blobtest.CommitBlob(t, m, under, change(bytes.Clone(stored)))
	return m
}

func TestABlobThatIsCutChangedSwappedOrReorderedIsRefused(t *testing.T) {
	t.Parallel()
	rows := &keyRows{}
	keys := newKeyring(t, rows)
	m := newMemory()
	v := encrypted.New(m, keys, true)
	content := blobtest.Content(1, 3*chunk+100)
	blobtest.CommitBlob(t, v.Of("org"), blobtest.Key(1), content)
	blobtest.CommitBlob(t, v.Of("other"), blobtest.Key(2), content)
	stored, err := readAll(t.Context(), m, blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	other, err := readAll(t.Context(), m, blobtest.Key(2))
	if err != nil {
		t.Fatal(err)
	}
	same := func(b []byte) []byte { return b }
	swap := func(b []byte, i, j int) []byte {
		x, y := b[headerLen+i*sealed:][:sealed], b[headerLen+j*sealed:][:sealed]
		copied := bytes.Clone(x)
		copy(x, y)
		copy(y, copied)
		return b
	}
	mixed := func(head, body []byte) []byte { return append(bytes.Clone(head[:headerLen]), body[headerLen:]...) }
	for name, c := range map[string]struct {
		under  blob.Key
		change func([]byte) []byte
	}{
		"under another name":              {blobtest.Key(2), same},
		"cut by a byte":                   {blobtest.Key(1), func(b []byte) []byte { return b[:len(b)-1] }},
		"cut by the last chunk":           {blobtest.Key(1), func(b []byte) []byte { return b[:headerLen+3*sealed] }},
		"cut after the first chunk":       {blobtest.Key(1), func(b []byte) []byte { return b[:headerLen+sealed] }},
		"cut after the header":            {blobtest.Key(1), func(b []byte) []byte { return b[:headerLen] }},
		"cut in the header":               {blobtest.Key(1), func(b []byte) []byte { return b[:100] }},
		"longer by a byte":                {blobtest.Key(1), func(b []byte) []byte { return append(b, 0) }},
		"longer by a chunk":               {blobtest.Key(1), func(b []byte) []byte { return append(b, b[headerLen:headerLen+sealed]...) }},
		"chunks in another order":         {blobtest.Key(1), func(b []byte) []byte { return swap(b, 0, 1) }},
		"a chunk twice":                   {blobtest.Key(1), func(b []byte) []byte { copy(b[headerLen+sealed:], b[headerLen:headerLen+sealed]); return b }},
		"header of another":               {blobtest.Key(2), func(b []byte) []byte { return mixed(other, b) }},
		"a bit of the nonce":              {blobtest.Key(1), func(b []byte) []byte { b[headerLen-1] ^= 1; return b }},
		"a bit of the header":             {blobtest.Key(1), func(b []byte) []byte { b[200] ^= 1; return b }},
		"a bit of the middle":             {blobtest.Key(1), func(b []byte) []byte { b[headerLen+sealed+5] ^= 1; return b }},
		"a bit of the end":                {blobtest.Key(1), func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		"its key is named of another one": {blobtest.Key(1), func(b []byte) []byte { return bytes.Replace(b, keyName(stored), keyName(other), 1) }},
		"another version": {blobtest.Key(1), func(b []byte) []byte {
			return bytes.Replace(b, []byte("segel-blob 1 "), []byte("segel-blob 2 "), 1)
		}},
	} {
		s := encrypted.New(changed(t, stored, c.under, c.change), keys, true)
		got, err := readAll(t.Context(), s, c.under)
		corrupt, ok := errors.AsType[*blob.CorruptError](err)
		if !ok || corrupt.Key != c.under || corrupt.Chunk != 0 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if !bytes.HasPrefix(content, got) {
			t.Errorf("%s: other bytes were handed out", name)
		}
	}
	requireContent(t, encrypted.New(changed(t, stored, blobtest.Key(1), same), keys, true), blobtest.Key(1), content)

	// A header of which a bit is changed is another one, or the blob is not encrypted any more: then the database knows another size.
	blobtest.CommitBlob(t, v.Of("org"), blobtest.Key(3), []byte("short"))
	short, err := readAll(t.Context(), m, blobtest.Key(3))
	if err != nil {
		t.Fatal(err)
	}
	for at := range headerLen {
		for bit := range 8 {
			s := encrypted.New(changed(t, short, blobtest.Key(3), func(b []byte) []byte { b[at] ^= 1 << bit; return b }), keys, true)
			got, err := readAll(t.Context(), s, blobtest.Key(3))
			if _, ok := errors.AsType[*blob.CorruptError](err); !ok && !errors.Is(err, encrypted.ErrNoKey) && len(got) != len(short) {
				t.Fatalf("bit %d of byte %d: %d bytes, %v", bit, at, len(got), err)
			}
		}
	}
}

// keyName returns the identifier of a key in a header.
func keyName(stored []byte) []byte {
	at := len("age-encryption.org/v1\n-> segel-blob 1 ")
	return stored[at : at+32]
}

func TestWithoutItsKeyABlobIsNotRead(t *testing.T) {
	t.Parallel()
	rows, m := &keyRows{}, newMemory()
	master := newMaster(t)
	ring := func(rows store.BlobKeys, master *credential.Sealer) *encrypted.Keyring {
		return encrypted.NewKeyring(rows, master, rand.Reader, time.Now)
	}
	v := encrypted.New(m, ring(rows, master), true)
	blobtest.CommitBlob(t, v.Of("org"), blobtest.Key(1), []byte("secret"))
	blobtest.CommitBlob(t, v.Of("other"), blobtest.Key(2), []byte("secret"))
	moved := &keyRows{rows: append([]store.BlobKey{}, rows.rows...)}
	for i := range moved.rows { // the keys of two organisations are exchanged
		moved.rows[i].Sealed = rows.rows[1-i].Sealed
	}
	for name, keys := range map[string]*encrypted.Keyring{
		"no keys":            ring(&keyRows{}, master),
		"another master key": ring(rows, newMaster(t)),
		"exchanged":          ring(moved, master),
	} {
		if _, err := readAll(t.Context(), encrypted.New(m, keys, true), blobtest.Key(1)); !errors.Is(err, encrypted.ErrNoKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	failed := errors.New("the database does not answer")
	var corrupt *blob.CorruptError
	if _, err := encrypted.New(m, failingKeys{failed}, true).Open(t.Context(), blobtest.Key(1)); !errors.Is(err, failed) || errors.As(err, &corrupt) {
		t.Errorf("no database: %v", err)
	}
	if _, err := encrypted.New(m, failingKeys{failed}, true).Of("org").Create(t.Context(), blobtest.Key(3)); !errors.Is(err, failed) {
		t.Errorf("write without a database: %v", err)
	}
}

// failingKeys is a database that does not answer.
type failingKeys struct{ err error }

func (f failingKeys) NewestKey(context.Context, string) (encrypted.Key, error) {
	return encrypted.Key{}, f.err
}

func (f failingKeys) FindKey(context.Context, string) (encrypted.Key, error) {
	return encrypted.Key{}, f.err
}

func TestTwoProcessesAgreeOnTheFirstKey(t *testing.T) {
	t.Parallel()
	rows, master, m := &keyRows{}, newMaster(t), newMemory()
	const processes = 8
	var wg sync.WaitGroup
	for i := range processes {
		v := encrypted.New(m, encrypted.NewKeyring(rows, master, rand.Reader, time.Now), true)
		wg.Go(func() { blobtest.CommitBlob(t, v.Of("org"), blobtest.Key(i), []byte(fmt.Sprint(i))) })
	}
	wg.Wait()
	if len(rows.rows) != 1 {
		t.Errorf("%d keys", len(rows.rows))
	}
	for i := range processes {
		requireContent(t, encrypted.New(m, encrypted.NewKeyring(rows, master, rand.Reader, time.Now), true), blobtest.Key(i), []byte(fmt.Sprint(i)))
	}
}

func TestNewFilesUseTheNewestKeyAndFormerOnesAreRead(t *testing.T) {
	t.Parallel()
	rows, master, m := &keyRows{}, newMaster(t), newMemory()
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	here, there := encrypted.NewKeyring(rows, master, rand.Reader, clock), encrypted.NewKeyring(rows, master, rand.Reader, clock)
	n := 0
	write := func(keys encrypted.Keys) string {
		t.Helper()
		n++
		blobtest.CommitBlob(t, encrypted.New(m, keys, true).Of("org"), blobtest.Key(n), []byte("text"))
		stored, err := readAll(t.Context(), m, blobtest.Key(n))
		if err != nil {
			t.Fatal(err)
		}
		return string(keyName(stored))
	}
	first := write(here)
	if write(there) != first {
		t.Error("two keys at the beginning")
	}
	if generation, err := here.AddKey(t.Context(), "org"); generation != 2 || err != nil {
		t.Fatalf("generation %d, %v", generation, err)
	}
	second := write(here)
	if second == first || write(there) != first {
		t.Error("the process that made the key uses it at once, another one after a minute")
	}
	now = now.Add(time.Minute)
	if write(there) != second {
		t.Error("after a minute another process uses the former key")
	}
	for i := range n {
		requireContent(t, encrypted.New(m, there, true), blobtest.Key(i+1), []byte("text"))
	}
	if raw, err := hex.DecodeString(second); err != nil || len(raw) != 16 {
		t.Errorf("the identifier is %q", second)
	}
}

func TestAReadTakesOneChunkWhateverTheSize(t *testing.T) {
	t.Parallel()
	m := newMemory()
	v := encrypted.New(m, newKeyring(t, &keyRows{}), true)
	for i, size := range []int{chunk * 2, 40 << 20} {
		content := blobtest.Content(1, size+100)
		blobtest.CommitBlob(t, v.Of("org"), blobtest.Key(i), content)
		m.read.Store(0)
		b, err := v.Open(t.Context(), blobtest.Key(i))
		if err != nil {
			t.Fatal(err)
		}
		if n := m.read.Swap(0); n > 4<<10+100+16 { // the header and the last chunk
			t.Errorf("%d bytes: opening reads %d", size, n)
		}
		p := make([]byte, 100)
		if _, err := b.ReadAt(p, int64(size/2)+5); err != nil || !bytes.Equal(p, content[size/2+5:][:100]) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if n := m.read.Swap(0); n != sealed {
			t.Errorf("%d bytes: a read takes %d", size, n)
		}
		if _, err := b.ReadAt(p, int64(size/2)+200); err != nil || m.read.Load() != 0 {
			t.Errorf("%d bytes: the same chunk again takes %d, %v", size, m.read.Load(), err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAnOutageOfTheStoreIsNotTakenForCorruption(t *testing.T) {
	t.Parallel()
	m := newMemory()
	keys := newKeyring(t, &keyRows{})
	blobtest.CommitBlob(t, encrypted.New(m, keys, true).Of("org"), blobtest.Key(1), blobtest.Content(1, 300_000))
	for fails := range 3 {
		v := encrypted.New(&failingVolume{memoryVolume: m, after: fails}, keys, true)
		_, err := readAll(t.Context(), v, blobtest.Key(1))
		var corrupt *blob.CorruptError
		if !errors.Is(err, blobtest.ErrFault) || errors.As(err, &corrupt) {
			t.Errorf("after %d reads: %v", fails, err)
		}
	}
}

// failingVolume has blobs whose reads fail after some.
type failingVolume struct {
	*memoryVolume
	after int
}

func (f *failingVolume) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	b, err := f.memoryVolume.Open(ctx, key)
	return &failingBlob{b, f.after}, err
}

type failingBlob struct {
	blob.Blob
	left int
}

func (b *failingBlob) ReadAt(p []byte, off int64) (int, error) {
	if b.left == 0 {
		return 0, blobtest.ErrFault
	}
	b.left--
	return b.Blob.ReadAt(p, off)
}

func TestACopyOfEncryptedBlobsIsReadWithoutTheirKeysBeingKnown(t *testing.T) {
	t.Parallel()
	from, to := openFolder(t, filepath.Join(t.TempDir(), "from")), openFolder(t, filepath.Join(t.TempDir(), "to"))
	if err := from.SetMark(t.Context(), []byte("mark")); err != nil {
		t.Fatal(err)
	}
	keys := newKeyring(t, &keyRows{})
	content := blobtest.Content(1, 200_000)
	blobtest.CommitBlob(t, encrypted.New(from, keys, true).Of("org"), blobtest.Key(1), content)
	blobtest.CommitBlob(t, from, blobtest.Key(2), content)
	if err := moving.Prepare(t.Context(), to, from); err != nil {
		t.Fatal(err)
	}
	if p, err := moving.Copy(t.Context(), to, from, moving.Options{}); err != nil || p.Copied != 2 || p.Different != nil {
		t.Fatalf("%+v, %v", p, err)
	}
	for i := range 2 {
		requireContent(t, encrypted.New(to, keys, false), blobtest.Key(i+1), content)
	}
	stored, err := readAll(t.Context(), to, blobtest.Key(1))
	if err != nil || !strings.HasPrefix(string(stored), "age-encryption.org/v1\n") {
		t.Errorf("the copy begins with %.30q, %v", stored, err)
	}
}

// sampleKey is the key of the sample.
type sampleKey struct{ encrypted.Key }

func (k sampleKey) NewestKey(context.Context, string) (encrypted.Key, error) { return k.Key, nil }

func (k sampleKey) FindKey(_ context.Context, id string) (encrypted.Key, error) {
	if id != k.ID {
		return encrypted.Key{}, encrypted.ErrNoKey
	}
	return k.Key, nil
}

// The sample was written once. Every later release must read what an earlier one stored.
func TestABlobThatAnEarlierBuildEncryptedIsRead(t *testing.T) {
	t.Parallel()
	sealer, err := credential.NewSealer(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	const name = "30313233343536373839616263646566"
	text, err := os.ReadFile(filepath.Join("testdata", "formats", "encrypted-blob-1.hex"))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory()
	blobtest.CommitBlob(t, m, name, stored)
	keys := sampleKey{encrypted.Key{ID: "000102030405060708090a0b0c0d0e0f", Sealer: sealer}}
	requireContent(t, encrypted.New(m, keys, true), name, []byte(strings.Repeat("segel", 20)))
}

// oneOrganisation is a volume in which one organisation writes until its disk is full.
type oneOrganisation struct {
	*encrypted.Volume
	left int // blobs that still fit
}

var errFull = errors.New("no room")

func (o *oneOrganisation) Create(ctx context.Context, key blob.Key) (blob.Writer, error) {
	if o.left--; o.left < 0 {
		return nil, errFull
	}
	return o.Of("org").Create(ctx, key)
}

// TestACopyThatEncryptsGoesOnWhereItWasInterrupted copies plain blobs to an encrypted volume with room for one more in each run.
func TestACopyThatEncryptsGoesOnWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	from, to, keys := newMemory(), newMemory(), newKeyring(t, &keyRows{})
	content := func(i int) []byte { return bytes.Repeat([]byte(fmt.Sprint("blob ", i)), i*20_000) }
	const blobs = 5
	for i := range blobs {
		blobtest.CommitBlob(t, from, blobtest.Key(i), content(i))
	}
	target := &oneOrganisation{Volume: encrypted.New(to, keys, true)}
	copyWithRoom := func(room int, o moving.Options) (moving.Progress, error) {
		target.left = room
		o.Workers = 1
		o.Recoded = func(_ context.Context, _ blob.Key, b blob.Blob) (bool, error) { return encrypted.KeyOf(b) != "", nil }
		return moving.Copy(t.Context(), target, encrypted.New(from, keys, false), o)
	}
	for copied := range blobs {
		p, err := copyWithRoom(1, moving.Options{})
		if p.Copied != 1 || p.Compared > int64(copied) || p.Different != nil || p.Otherwise != nil || copied < blobs-1 && !errors.Is(err, errFull) {
			t.Fatalf("run %d: %+v, %v", copied, p, err)
		}
	}
	var plain int64
	for i := range blobs {
		requireContent(t, target.Volume, blobtest.Key(i), content(i))
		plain += int64(len(content(i)))
	}
	if p, err := copyWithRoom(0, moving.Options{}); err != nil || p.Compared != blobs || p.ComparedBytes != plain {
		t.Errorf("complete: %+v, %v", p, err)
	}
	if p, err := copyWithRoom(0, moving.Options{OnlyMissing: true}); err != nil || p.Kept != blobs {
		t.Errorf("only what is missing: %+v, %v", p, err)
	}
	// A copy with other content is found, whatever sizes are stored.
	if err := to.Remove(t.Context(), blobtest.Key(1)); err != nil {
		t.Fatal(err)
	}
	blobtest.CommitBlob(t, to, blobtest.Key(1), bytes.Repeat([]byte("other"), 100))
	if p, err := copyWithRoom(0, moving.Options{}); err != nil || len(p.Different) != 1 || len(p.Otherwise) != 1 {
		t.Errorf("with another copy: %+v, %v", p, err)
	}
}
