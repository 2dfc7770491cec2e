// Package isolationtest skips tests that need a sandbox, or a program that runs in one, where it is not installed.
package isolationtest

import (
	"os"
	"testing"
)

// Require skips the test if err says that the sandbox or its program does not work. Where SEGEL_REQUIRE_CONVERT is set, as it is
// where everything must be tested, the test fails instead.
func Require(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("SEGEL_REQUIRE_CONVERT") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}
