package pgtest

import (
	"context"
	"errors"
	"syscall"
)

// Server is a server of its own, for a test that stops it or has it hang.
type Server struct{ cluster *cluster }

// NewServer starts one and returns the address of an empty database.
func NewServer(ctx context.Context) (s *Server, dsn string, err error) {
	c, err := startCluster()
	if err != nil {
		return nil, "", err
	}
	if err := c.execAdmin(ctx, "CREATE DATABASE served"); err != nil {
		return nil, "", errors.Join(err, c.stop())
	}
	return &Server{c}, c.dsn("served"), nil
}

// Freeze stops all processes of the server where they are; connections stay and nothing is answered.
func (s *Server) Freeze() error { return s.cluster.signalAll(syscall.SIGSTOP) }

// Thaw lets them go on.
func (s *Server) Thaw() error { return s.cluster.signalAll(syscall.SIGCONT) }

// Crash ends the server as a crash would.
func (s *Server) Crash() {
	_ = s.cluster.server.Process.Signal(syscall.SIGQUIT) // it may have ended by itself
	<-s.cluster.exited
}

// Start starts it again on its data.
func (s *Server) Start() error { return s.cluster.launchServer() }

// Close stops and removes it.
func (s *Server) Close() error {
	return errors.Join(s.Thaw(), s.cluster.stop())
}

// Serve starts a server for a program that is no test. It returns the address of an empty database, and what stops the
// server and removes it.
func Serve(ctx context.Context) (dsn string, stop func() error, err error) {
	c, err := startCluster()
	if err != nil {
		return "", nil, err
	}
	if err := c.execAdmin(ctx, "CREATE DATABASE served"); err != nil {
		return "", nil, errors.Join(err, c.stop())
	}
	return c.dsn("served"), c.stop, nil
}
