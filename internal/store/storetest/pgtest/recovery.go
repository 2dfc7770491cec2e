package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// archiving are the settings of a server that archives its write-ahead log into the folder archive beside its data.
func (c *cluster) archiving() []string {
	return []string{"-c", "archive_mode=on", "-c", "archive_command=cp %p " + filepath.Join(c.dir, "archive") + "/%f"}
}

// NewArchivingServer is [NewServer] for a server with continuous archiving.
func NewArchivingServer(ctx context.Context) (s *Server, dsn string, err error) {
	if s, dsn, err = NewServer(ctx); err != nil {
		return nil, "", err
	}
	s.Crash()
	c := s.cluster
	c.settings = c.archiving()
	if err := errors.Join(c.makeDir("archive"), s.Start()); err != nil {
		return nil, "", errors.Join(err, c.stop())
	}
	return s, dsn, nil
}

// makeDir makes a folder beside the data that the server may write to.
func (c *cluster) makeDir(name string) error {
	dir := filepath.Join(c.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil || c.as == nil {
		return err
	}
	return os.Chown(dir, int(c.as.Uid), int(c.as.Gid))
}

// TakeBase takes a base backup with pg_basebackup, from which RecoverTo begins.
func (s *Server) TakeBase() error {
	out, err := s.cluster.newCommand("pg_basebackup", "-h", s.cluster.dir, "-U", "segel", "-D", filepath.Join(s.cluster.dir, "base"), "-X", "none", "-c", "fast").CombinedOutput()
	if err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return nil
}

// ArchiveAll returns when everything that was committed is in the archive.
func (s *Server) ArchiveAll(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.cluster.dsn("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var segment string
	if err := conn.QueryRow(ctx, `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&segment); err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for archived := ""; archived < segment; {
		if err := conn.QueryRow(ctx, `SELECT COALESCE(last_archived_wal, '') FROM pg_stat_archiver`).Scan(&archived); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// RecoverTo ends the server and starts it again from the base backup, with the archive replayed up to a time. It returns when the server accepts
// writes.
func (s *Server) RecoverTo(ctx context.Context, target time.Time) error {
	s.Crash()
	c := s.cluster
	data := filepath.Join(c.dir, "data")
	err := errors.Join(os.Rename(data, filepath.Join(c.dir, "lost")), os.Rename(filepath.Join(c.dir, "base"), data), os.WriteFile(filepath.Join(data, "recovery.signal"), nil, 0o644))
	if err != nil {
		return err
	}
	c.settings = append(c.archiving(), "-c", "restore_command=cp "+filepath.Join(c.dir, "archive")+"/%f %p",
		"-c", "recovery_target_time="+target.UTC().Format("2006-01-02 15:04:05.999999+00"), "-c", "recovery_target_action=promote")
	if err := s.Start(); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, c.dsn("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for recovering := true; recovering; {
		if err := conn.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&recovering); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
