package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"segel/internal/store/storetest/pgtest"
)

// TestMain makes the test program stand for segel where a script calls it, and stops the PostgreSQL server that
// a test may have started.
func TestMain(m *testing.M) {
	testscript.Main(withPostgres{m}, map[string]func(){"segel": main})
}

type withPostgres struct{ m *testing.M }

func (w withPostgres) Run() int { return pgtest.Run(w.m) }

// segel is the program's name, by which the test program knows that it is called as the program itself.
const segel = "segel"

// program returns the path that runs main, with argument 0 set to segel.
func program(t testing.TB) string {
	t.Helper()
	p, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return p
}
