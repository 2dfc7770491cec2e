package pgtest

import (
	"context"
	"errors"
	"syscall"
)

// Server is a separate server, for a test that stops or freezes it.
type Server struct{ cluster *cluster }

// NewServer starts a server and returns the address of an empty database.
func NewServer(ctx context.Context) (s *Server, dsn string, err error) {
	return NewServerIn(ctx, "")
}

// NewServerIn is NewServer with a folder for data that may be too large for memory. The server's user must be able to reach it.
func NewServerIn(ctx context.Context, folder string) (s *Server, dsn string, err error) {
	c, err := startCluster(folder)
	if err != nil {
		return nil, "", err
	}
	if err := c.execAdmin(ctx, "CREATE DATABASE served"); err != nil {
		return nil, "", errors.Join(err, c.stop())
	}
	return &Server{c}, c.dsn("served"), nil
}

// Freeze suspends all processes of the server; connections stay open and get no answers.
func (s *Server) Freeze() error { return s.cluster.signalAll(syscall.SIGSTOP) }

// Thaw resumes them.
func (s *Server) Thaw() error { return s.cluster.signalAll(syscall.SIGCONT) }

// Crash ends the server like a crash.
func (s *Server) Crash() {
	_ = s.cluster.server.Process.Signal(syscall.SIGQUIT) // it may have exited by itself
	<-s.cluster.exited
}

// Start starts the server again on its data.
func (s *Server) Start() error { return s.cluster.launchServer() }

// Close stops the server and removes its data.
func (s *Server) Close() error {
	return errors.Join(s.Thaw(), s.cluster.stop())
}

// Serve starts a server for a program that is not a test. It returns the address of an empty database, and a function that
// stops the server and removes it.
func Serve(ctx context.Context) (dsn string, stop func() error, err error) {
	c, err := startCluster("")
	if err != nil {
		return "", nil, err
	}
	if err := c.execAdmin(ctx, "CREATE DATABASE served"); err != nil {
		return "", nil, errors.Join(err, c.stop())
	}
	return c.dsn("served"), c.stop, nil
}
