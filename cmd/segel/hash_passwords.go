package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/crypto/argon2"

	"segel/internal/hashworker"
)

// separateHashing is whether services hash passwords in a second process. Only the test program changes it: its services are many, and their
// hashes cheap.
var separateHashing = true

// hashPasswordsCommand is the process that hashes the passwords of a service, which starts it. People have no use for it.
type hashPasswordsCommand struct{}

func (hashPasswordsCommand) Run(w *environment) error { return hashworker.Serve(w.stdin, w.stdout) }

// newPasswordHasher returns the client of a process that hashes so many passwords at once. The process starts with the first hash.
func newPasswordHasher(slots int, log *slog.Logger) (*hashworker.Client, error) {
	program := "/proc/self/exe" // the same release, even if the file was replaced meanwhile
	if runtime.GOOS != "linux" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find the program: %w", err)
		}
	}
	return hashworker.NewClient(func() *exec.Cmd {
		return &exec.Cmd{
			Path: program, Args: []string{"segel", "hash-passwords"}, Stderr: os.Stderr,
			Env: []string{fmt.Sprint("GOMAXPROCS=", slots)}, // and none of the settings, which may be secrets
		}
	}, slots, log), nil
}

// hashers returns how many passwords are hashed at once.
func (a *app) hashers() int { return cmp.Or(a.conf.MaxLogins, max(1, runtime.GOMAXPROCS(0)/2)) }

// openHashing has the passwords of requests hashed in a second process. Call it before the first request.
func (a *app) openHashing() error {
	if !separateHashing {
		return nil
	}
	var err error
	a.hashing, err = newPasswordHasher(a.hashers(), a.log)
	return err
}

// deriveKey is [argon2.IDKey]; a service runs it in a second process.
func (a *app) deriveKey(password, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte {
	derive := argon2.IDKey
	if a.hashing != nil {
		derive = a.hashing.Derive
	}
	return derive(password, salt, passes, memory, threads, length)
}
