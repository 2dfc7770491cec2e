package main

import (
	"crypto/sha256"
	"os"
)

// triesEvery reports whether tests of many similar cases try all of them (make test-every).
func triesEvery() bool { return os.Getenv("SEGEL_TEST_EVERY") != "" }

// isSampled reports whether a test tries the case of that name: all with make test-every, otherwise one in n, always the same ones.
func isSampled(name string, n byte) bool {
	return triesEvery() || sha256.Sum256([]byte(name))[0]%n == 0
}
