package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/internal/store"
)

// mortalSegel is the name under which the test program runs as the program itself, and ends with SIGKILL at the first of the points that killVariable lists.
const mortalSegel, killVariable = "segel-mortal", "KILLED"

// killAfterVariable says after how many effects of segel state copy the process ends.
const killAfterVariable = "KILLED_AFTER"

// exchangeKill is a point of an exchange of the master key at which its process is killed.
type exchangeKill string

const (
	beforeReplacing exchangeKill = "before it replaces a file or a batch"
	afterReplacing  exchangeKill = "after it has replaced a file or a batch"
	beforeRetiring  exchangeKill = "before the commit that retires the former key"
	afterRetiring   exchangeKill = "after the commit that retires the former key"
)

// runMortal is the main function of mortalSegel.
func runMortal() {
	w := &environment{ctx: context.Background(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Environ()}
	w.adjust = func(a *app) {
		if left, err := strconv.Atoi(os.Getenv(killAfterVariable)); err == nil {
			a.afterEffect = func() {
				if left--; left == 0 {
					kill()
				}
			}
			return
		}
		a.files = mortalFiles{a.keyFiles()}
		a.masterKeys = mortalKeys{a.masterKeys}
	}
	os.Exit(w.runCommand(os.Args[1:]))
}

// reached ends this process if it is killed at that point. Nothing that is deferred runs.
func reached(point exchangeKill) {
	if slices.Contains(strings.Split(os.Getenv(killVariable), ", "), string(point)) {
		kill()
	}
}

// kill ends this process.
func kill() {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {} // until the signal arrives
}

// mortalFiles are the files of the authority of a process that is killed.
type mortalFiles struct{ authority.Files }

func (f mortalFiles) ReplaceFile(ctx context.Context, name string, old, content []byte) error {
	reached(beforeReplacing)
	err := f.Files.ReplaceFile(ctx, name, old, content)
	reached(afterReplacing)
	return err
}

// masterKeyStore is a store of master keys, under a name that differs from those of its methods.
type masterKeyStore interface{ store.MasterKeys }

// mortalKeys are the master keys of a process that is killed.
type mortalKeys struct{ masterKeyStore }

func (k mortalKeys) ReplaceSealed(ctx context.Context, c store.SealedColumn, values []store.Resealed, at time.Time) (int, error) {
	reached(beforeReplacing)
	n, err := k.masterKeyStore.ReplaceSealed(ctx, c, values, at)
	reached(afterReplacing)
	return n, err
}

func (k mortalKeys) RetireMasterKeys(ctx context.Context, except string, at time.Time) (int, error) {
	reached(beforeRetiring)
	n, err := k.masterKeyStore.RetireMasterKeys(ctx, except, at)
	reached(afterRetiring)
	return n, err
}

// rotateKilled runs segel master-key rotate in a process, and requires that it is killed at one of the points.
func rotateKilled(t *testing.T, data string, set []string, at ...exchangeKill) {
	t.Helper()
	var points []string
	for _, p := range at {
		points = append(points, string(p))
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := &exec.Cmd{
		Path: exe, Args: []string{mortalSegel, "master-key", "rotate", "--data", data}, Env: append(environ(set), "TZ=UTC", killVariable+"="+strings.Join(points, ", ")),
		Stdout: &said, Stderr: &said,
	}
	err = c.Run()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("to be killed %s: %v: %s", strings.Join(points, " or "), err, &said)
	}
}

// TestAnExchangeSurvivesSIGKILLAfterEachOfItsEffects kills the process of an exchange after each file and each batch that it replaces, and on both sides of the commit that retires
// the former key. Each next process goes on with what is left, beside a service that signs.
func TestAnExchangeSurvivesSIGKILLAfterEachOfItsEffects(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		data, set := newDataFolder(t), append(settings(env), "SEGEL_BLOB_ENCRYPTION", "on")
		s := starting{data: data, set: append(slices.Clip(set), "SEGEL_MASTER_KEY", sampleKey)}.start(t)
		owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
		s.sealEverything(t, owner)
		first := signed(owner, signer)
		whole := owner.download(first)
		s.stop()
		during := masterKeys(set, otherKey, sampleKey)
		s = starting{data: data, set: during}.start(t)
		owner, signer = owner.on(s), signer.on(s)
		// requireOpen requires that the two keys open everything, and that so many are in use. It returns how many values the former one opens.
		requireOpen := func(when string, usable int) (left int) {
			t.Helper()
			known, err := s.store.MasterKeys(t.Context())
			if err != nil || countUsable(known) != usable {
				t.Fatalf("%s: %+v, %v", when, known, err)
			}
			count, err := s.countSealed(t.Context(), s.sealer, func(int) {})
			if err != nil || len(count.Closed) > 0 {
				t.Fatalf("%s: %v do not open, %v", when, count.Closed, err)
			}
			return count.Under[sealerOf(t, sampleKey).ID().String()]
		}
		left := requireOpen("before the exchange", 2)
		rotateKilled(t, data, during, beforeReplacing)
		if requireOpen("before the first effect", 2) != left {
			t.Error("something was replaced before the first effect")
		}
		signed(owner, signer) // beside an exchange that has begun
		effects := 0
		for left > 0 {
			rotateKilled(t, data, during, afterReplacing, beforeRetiring)
			effects++
			now := requireOpen(fmt.Sprintf("after %d effects", effects), 2)
			if now >= left {
				t.Fatalf("after %d effects the former key opens %d values, before %d", effects, now, left)
			}
			left = now
		}
		if least := len(s.store.SealedColumns()) + 3; effects < least { // and the files of the authority
			t.Errorf("it was killed after %d effects, want %d or more", effects, least)
		}
		rotateKilled(t, data, during, afterReplacing, beforeRetiring)
		requireOpen("before the commit that retires the former key", 2)
		rotateKilled(t, data, during, afterRetiring)
		requireOpen("after that commit", 1)
		if r := rotate(t, data, during, 0); !r.Complete || r.Resealed+r.Retired+len(r.Closed) > 0 {
			t.Errorf("repeated: %+v", r)
		}
		s.requireUnder(t, otherKey, sampleKey)
		s.stop()

		after := append(slices.Clip(set), "SEGEL_MASTER_KEY", otherKey)
		s = starting{data: data, set: after}.start(t)
		owner, signer = owner.on(s), signer.on(s)
		if got := owner.download(first); !bytes.Equal(got, whole) {
			t.Error("a document from before is another one")
		}
		signed(owner, signer)
		s.stop()
		if said := runFsck(t, data, environ(after), 0, "--json"); !strings.Contains(said, `"former_master_key":0`) {
			t.Errorf("fsck: %s", said)
		}
	})
}
