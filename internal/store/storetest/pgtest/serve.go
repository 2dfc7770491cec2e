package pgtest

import (
	"context"
	"errors"
)

// Serve starts a server for a program that is no test. It returns the address of an empty database, and what stops the
// server and removes it.
func Serve(ctx context.Context) (dsn string, stop func() error, err error) {
	c, err := start()
	if err != nil {
		return "", nil, err
	}
	if err := c.administer(ctx, "CREATE DATABASE served"); err != nil {
		return "", nil, errors.Join(err, c.stop())
	}
	return c.dsn("served"), c.stop, nil
}
