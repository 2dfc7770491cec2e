// Package filestest has the tests that every [authority.Files] passes.
package filestest

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/credential"
)

// Run tests that files fulfil their contract. Open returns files of which none exists yet, each time others.
func Run(t *testing.T, open func(*testing.T) authority.Files) {
	for name, test := range map[string]func(*testing.T, authority.Files){
		"AFileIsCreatedOnceAndNeverReplaced":    createOnce,
		"OfManyThatCreateAFileOneDoes":          createAtOnce,
		"ManyThatOpenAnAuthorityAgreeOnOne":     openAtOnce,
		"ASuccessorIsTheOneThatWasCreatedFirst": succeedAtOnce,
		"AnotherMasterKeyDoesNotOpenIt":         openWithAnotherKey,
		"OnlyTheContentThatWasReadIsReplaced":   replaceRead,
		"ItsKeysAreSealedUnderAnotherMasterKey": resealKeys,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func createOnce(t *testing.T, files authority.Files) {
	if _, err := files.ReadFile(t.Context(), "a.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("at first: %v", err)
	}
	want := []byte("{\x00\xff}")
	if err := files.CreateFile(t.Context(), "a.json", want); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := files.ReadFile(t.Context(), "a.json"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v", got, err)
		}
		if err := files.CreateFile(t.Context(), "a.json", []byte("b")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("created again: %v", err)
		}
	}
	if _, err := files.ReadFile(t.Context(), "b.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another name: %v", err)
	}
}

// runAtOnce runs a function many times at once.
func runAtOnce(do func(i int)) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func createAtOnce(t *testing.T, files authority.Files) {
	var mu sync.Mutex // guards made
	var made []string
	runAtOnce(func(i int) {
		content := fmt.Sprint("by ", i)
		switch err := files.CreateFile(t.Context(), "a.json", []byte(content)); {
		case err == nil:
			mu.Lock()
			defer mu.Unlock()
			made = append(made, content)
		case !errors.Is(err, fs.ErrExist):
			t.Error(err)
		}
	})
	got, err := files.ReadFile(t.Context(), "a.json")
	if err != nil || len(made) != 1 || string(got) != made[0] {
		t.Errorf("%q were created, and %q is there, %v", made, got, err)
	}
}

func options(t *testing.T, first byte, now time.Time) authority.Options {
	t.Helper()
	key := make([]byte, 32)
	key[0] = first
	s, err := credential.NewSealer(key)
	if err != nil {
		t.Fatal(err)
	}
	return authority.Options{PublicURL: "https://segel.test", Clock: func() time.Time { return now }, Sealer: s, Ledger: &authority.MemoryLedger{}}
}

// openMany opens an authority many times at once, and requires that all have the same certificates, which it returns by their role.
func openMany(t *testing.T, files authority.Files, o authority.Options) map[string]*x509.Certificate {
	t.Helper()
	var mu sync.Mutex // guards found
	var found []map[string]*x509.Certificate
	runAtOnce(func(int) {
		a, err := authority.Open(t.Context(), files, o)
		if err != nil {
			t.Error(err)
			return
		}
		all := map[string]*x509.Certificate{}
		for _, c := range a.OwnCertificates() {
			all[c.Role] = c.Certificate
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, all)
	})
	for _, all := range found {
		for role, c := range found[0] {
			if !c.Equal(all[role]) {
				t.Errorf("there are several certificates %s", role)
			}
		}
	}
	if len(found) == 0 {
		t.FailNow()
	}
	return found[0]
}

func openAtOnce(t *testing.T, files authority.Files) {
	o := options(t, 1, time.Now())
	made := openMany(t, files, o)
	root, err := authority.OpenRoot(t.Context(), files, o.Sealer)
	if err != nil || !root.Equal(made["root"]) {
		t.Errorf("another root is there: %v", err)
	}
	names, err := authority.ListNames(t.Context(), files)
	if want := []string{"authority.json", "guests.json", "contacts.json"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
}

func succeedAtOnce(t *testing.T, files authority.Files) {
	now := time.Now()
	first := openMany(t, files, options(t, 1, now))
	later := openMany(t, files, options(t, 1, now.AddDate(19, 0, 0)))
	for role, c := range first {
		if c.Equal(later[role]) != (role == "root") {
			t.Errorf("after 19 years the certificate %s is that of %s", role, later[role].NotBefore)
		}
	}
	names, err := authority.ListNames(t.Context(), files)
	want := []string{"authority.json", "issuing-2.json", "guests.json", "guests-2.json", "contacts.json", "contacts-2.json", "tsa-2.json"}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v", names, err)
	}
}

func openWithAnotherKey(t *testing.T, files authority.Files) {
	openMany(t, files, options(t, 1, time.Now()))
	if _, err := authority.Open(t.Context(), files, options(t, 2, time.Now())); !errors.Is(err, credential.ErrSealed) {
		t.Error(err)
	}
}

func replaceRead(t *testing.T, files authority.Files) {
	ctx := t.Context()
	if err := files.ReplaceFile(ctx, "a.json", nil, []byte("b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
	if err := files.CreateFile(ctx, "a.json", []byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := files.ReplaceFile(ctx, "a.json", []byte("x"), []byte("b")); !errors.Is(err, authority.ErrChanged) {
		t.Errorf("a file that was changed: %v", err)
	}
	if err := files.ReplaceFile(ctx, "a.json", []byte("a"), []byte("b")); err != nil {
		t.Error(err)
	}
	if got, err := files.ReadFile(ctx, "a.json"); err != nil || string(got) != "b" {
		t.Errorf("%q, %v", got, err)
	}
}

func resealKeys(t *testing.T, files authority.Files) {
	now := time.Now()
	former := options(t, 1, now)
	openMany(t, files, former)
	made := openMany(t, files, options(t, 1, now.AddDate(19, 0, 0))) // which adds a successor
	current := options(t, 2, now).Sealer
	both := current.WithFormer(former.Sealer).Naming()
	names, err := authority.ListNames(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if changed, err := authority.Reseal(t.Context(), files, name, both); !changed || err != nil {
			t.Errorf("%s: %v, %v", name, changed, err)
		}
		if changed, err := authority.Reseal(t.Context(), files, name, both); changed || err != nil {
			t.Errorf("%s again: %v, %v", name, changed, err)
		}
		if under, err := authority.SealedUnder(t.Context(), files, name, both); err != nil || len(under) != 1 || under[current.ID()] == 0 {
			t.Errorf("%s is sealed under %v, %v", name, under, err)
		}
		// Interrupted between two files, the authority is complete with both keys.
		o := options(t, 1, now)
		if o.Sealer = both; i == 0 {
			openMany(t, files, o)
		}
	}
	o := options(t, 2, now.AddDate(19, 0, 0))
	for role, c := range openMany(t, files, o) {
		if !c.Equal(made[role]) {
			t.Errorf("%s has another certificate", role)
		}
	}
	if _, err := authority.Open(t.Context(), files, former); !errors.Is(err, credential.ErrOtherKey) {
		t.Errorf("with the former key: %v", err)
	}
}
