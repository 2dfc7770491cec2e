package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"segel/internal/identity"
	"segel/internal/store/storetest/pgtest"
)

// TestMain runs the test program as segel if a script calls it, and stops the PostgreSQL server that
// a test may have started. Password hashes take no measurable time in both: tests log in thousands of times.
func TestMain(m *testing.M) {
	passwordCost = identity.Cost{Memory: 8, Passes: 1, Threads: 1}
	passphraseWorkFactor = 10
	separateHashing = os.Getenv(testSeparateHashing) != ""
	testscript.Main(withPostgres{m}, map[string]func(){segel: main, mortalSegel: runMortal})
}

type withPostgres struct{ m *testing.M }

func (w withPostgres) Run() int { return pgtest.Run(w.m) }

// testSeparateHashing is the variable with which a service of the test program hashes in a second process.
const testSeparateHashing = "TEST_SEPARATE_HASHING"

// segel is the name under which the test program runs as the program itself.
const segel = "segel"
