package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// emptySQLite is the file of an SQLite database with tables and without rows, made once in a test program: creating tables takes much
// longer than copying them.
var emptySQLite struct {
	once sync.Once
	file []byte
	err  error
}

// SQLite returns the path of a new SQLite database, which is removed with the test. Prepare creates its tables, once for all tests
// of the program, and must leave no connection open.
func SQLite(t testing.TB, prepare func(ctx context.Context, path string) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "segel.db")
	CreateSQLite(t, path, prepare)
	return path
}

// CreateSQLite makes a new database like [SQLite], at a path whose folder exists. The caller removes it.
func CreateSQLite(t testing.TB, path string, prepare func(ctx context.Context, path string) error) {
	t.Helper()
	emptySQLite.once.Do(func() { emptySQLite.file, emptySQLite.err = prepareFile(t.Context(), prepare) })
	if emptySQLite.err != nil {
		t.Fatalf("prepare database: %v", emptySQLite.err)
	}
	if err := os.WriteFile(path, emptySQLite.file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// prepareFile returns the file of a database after prepare has closed it, which leaves no log beside it.
func prepareFile(ctx context.Context, prepare func(ctx context.Context, path string) error) (file []byte, err error) {
	dir, err := os.MkdirTemp("", "segel-sqlite")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "segel.db")
	if err := prepare(ctx, path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
