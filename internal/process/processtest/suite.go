// Package processtest defines the behaviour of the processes that share an installation, as tests that each
// implementation of [process.Process] runs unchanged.
package processtest

import (
	"context"
	"errors"
	"testing"

	"segel/internal/process"
)

// Run tests that processes fulfil the contract. Share returns a function that joins a process to a new installation.
func Run(t *testing.T, share func(*testing.T) (join func(*testing.T) process.Process)) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, func(*testing.T) process.Process){
		"NamesOfLivingProcessesDiffer":                     testNames,
		"OnlyAProcessThatEndedIsSaidToHaveEnded":           testIfEnded,
		"TheTermEndsWithTheProcessAndItsWorkWithTheTerm":   testTerm,
		"AProcessWaitsForItsNextTermUntilTheContextEnds":   testNextTerm,
		"AProcessThatLeftOnceMoreChangesNothing":           testLeave,
		"TheErrorOfWhatRunsAfterAnEndIsReturnedWithTheEnd": testIfEndedError,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, share(t))
		})
	}
}

func testNames(t *testing.T, join func(*testing.T) process.Process) {
	a, b := join(t), join(t)
	if a.Name() == b.Name() || a.Name() == "" {
		t.Errorf("two living processes are called %q and %q", a.Name(), b.Name())
	}
	if a.Term().Name() != a.Name() {
		t.Errorf("the term is called %q, the process %q", a.Term().Name(), a.Name())
	}
}

func testIfEnded(t *testing.T, join func(*testing.T) process.Process) {
	a, b := join(t), join(t)
	never := func() error { t.Error("do was called for a living process"); return nil }
	for _, name := range []string{a.Name(), b.Name(), "unknown", "../" + b.Name(), ""} {
		if ended, err := a.IfEnded(t.Context(), name, never); ended || err != nil {
			t.Errorf("%q: %v, %v", name, ended, err)
		}
	}
	name := b.Name()
	if err := b.Leave(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		called := false
		ended, err := a.IfEnded(t.Context(), name, func() error { called = true; return nil })
		if !ended || err != nil || !called {
			t.Errorf("a process that left: %v, %v; do was called: %v", ended, err, called)
		}
	}
}

func testIfEndedError(t *testing.T, join func(*testing.T) process.Process) {
	a, b := join(t), join(t)
	name, failure := b.Name(), errors.New("failure")
	if err := b.Leave(); err != nil {
		t.Fatal(err)
	}
	if ended, err := a.IfEnded(t.Context(), name, func() error { return failure }); !ended || !errors.Is(err, failure) {
		t.Errorf("%v, %v", ended, err)
	}
}

func testTerm(t *testing.T, join func(*testing.T) process.Process) {
	p := join(t)
	term := p.Term()
	ctx, cancel := term.Begin(t.Context())
	defer cancel()
	if err := process.Check(ctx); err != nil || process.Of(ctx) != term {
		t.Fatalf("work of the term: %v, %v", process.Of(ctx), err)
	}
	if err := p.Leave(); err != nil {
		t.Fatal(err)
	}
	<-term.Done()
	<-ctx.Done()
	if err := process.Check(ctx); !errors.Is(err, process.ErrEnded) || !errors.Is(context.Cause(ctx), process.ErrEnded) {
		t.Errorf("after the end: %v, %v", err, context.Cause(ctx))
	}
	if process.Check(t.Context()) != nil || process.Of(t.Context()) != nil {
		t.Error("work without a term has one")
	}
}

func testNextTerm(t *testing.T, join func(*testing.T) process.Process) {
	p := join(t)
	if term, err := p.NextTerm(t.Context(), nil); term != p.Term() || err != nil {
		t.Errorf("the first term: %v, %v", term, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if term, err := p.NextTerm(ctx, p.Term()); term != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("the next term: %v, %v", term, err)
	}
}

func testLeave(t *testing.T, join func(*testing.T) process.Process) {
	p := join(t)
	for range 2 {
		if err := p.Leave(); err != nil {
			t.Error(err)
		}
	}
}
