package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"

	"segel/internal/blob/s3/s3test"
	"segel/internal/convert/converttest"
	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// causes has a function for each subsection of "Failures", by its title. It starts a service, causes the failure, applies the remedy, and calls
// requireStated for each block of the subsection.
var causes = map[string]func(context.Context, *site) error{
	"The disk is full":                           fillDisk,
	"The database does not answer":               stopDatabase,
	"The database has no free connection":        takeConnections,
	"The bucket does not answer":                 stopBucket,
	"The folder of the files is not mounted":     unmountFiles,
	"The stamp office does not answer":           stopOffice,
	"The clock is wrong":                         moveClock,
	"The TLS certificate has expired":            expireCertificate,
	"The mail server refuses":                    refuseMail,
	"A process is killed while it orders stamps": killWhileStamping,
	"A file is damaged":                          damageFile,
	"A row of the database is wrong":             damageRow,
	"The master key is missing":                  removeMasterKey,
	"The installation is an older state":         restoreOlderState,
	"No sandbox is available":                    forbidNamespaces,
	"A quota is used up":                         useQuota,
	"A backup fails":                             failBackup,
}

// requireAfter causes the failure, requires what is stated, applies the remedy, and requires what is stated then.
func (s *site) requireAfter(ctx context.Context, fail, remedy func() error) error {
	for _, do := range []func() error{s.markLog, fail, func() error { return s.requireStated(ctx) }, remedy, func() error { return s.requireStated(ctx) }} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// The disk of the service, and what is left of it: less than the reserve, which is at most a tenth.
const diskSize, diskLeft = 256 << 20, 10 << 20

func fillDisk(ctx context.Context, s *site) error {
	if err := os.MkdirAll(s.data, 0o700); err != nil {
		return err
	}
	if err := syscall.Mount("segel-failures", s.data, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", diskSize)); err != nil {
		return fmt.Errorf("mount a separate disk; this needs root: %w", err)
	}
	s.atEnd(func() error { return syscall.Unmount(s.data, syscall.MNT_DETACH) })
	if err := s.startService(ctx); err != nil {
		return err
	}
	filler := filepath.Join(s.data, "filler")
	return s.requireAfter(ctx, func() error {
		var disk syscall.Statfs_t
		if err := syscall.Statfs(s.data, &disk); err != nil {
			return err
		}
		f, err := os.Create(filler)
		if err != nil {
			return err
		}
		return errors.Join(syscall.Fallocate(int(f.Fd()), 0, 0, int64(disk.Bavail)*disk.Bsize-diskLeft), f.Close())
	}, func() error { return os.Remove(filler) })
}

// startDatabase starts a PostgreSQL server, and returns the setting that names it.
func (s *site) startDatabase(ctx context.Context) (server *pgtest.Server, dsn string, err error) {
	server, dsn, err = pgtest.NewServer(ctx)
	if err == nil {
		s.atEnd(server.Close)
	}
	return server, dsn, err
}

func stopDatabase(ctx context.Context, s *site) error {
	server, dsn, err := s.startDatabase(ctx)
	if err != nil {
		return err
	}
	if err := s.startService(ctx, "SEGEL_DATABASE="+dsn); err != nil {
		return err
	}
	return s.requireAfter(ctx, func() error { server.Crash(); return nil }, server.Start)
}

func takeConnections(ctx context.Context, s *site) error {
	_, dsn, err := s.startDatabase(ctx)
	if err != nil {
		return err
	}
	if err := s.startService(ctx, "SEGEL_DATABASE="+dsn); err != nil {
		return err
	}
	var taken []*pgx.Conn
	release := func() error {
		var all []error
		for _, c := range taken {
			all = append(all, c.Close(context.WithoutCancel(ctx)))
		}
		taken = nil
		return errors.Join(all...)
	}
	defer func() { _ = release() }() // after an error, the server ends
	return s.requireAfter(ctx, func() error {
		// Another program takes every connection as soon as it is free; those of the service end as after a restart of the network.
		for range 3 {
			for {
				c, err := pgx.Connect(ctx, dsn)
				if err != nil {
					break
				}
				taken = append(taken, c)
			}
			if _, err := taken[0].Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'segel%'"); err != nil {
				return err
			}
		}
		return nil
	}, release)
}

func stopBucket(ctx context.Context, s *site) error {
	folder := filepath.Join(s.dir, "bucket")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	server, err := s3test.Launch(ctx, s.bucket, folder)
	if err != nil {
		return err
	}
	s.atEnd(func() error { server.Stop(); return nil })
	network, err := pgtest.NewTCPProxy(server.URL.Host)
	if err != nil {
		return err
	}
	s.atEnd(network.Close)
	if err := s.startService(ctx, running.BucketEnv("http://"+network.Address())...); err != nil {
		return err
	}
	return s.requireAfter(ctx, func() error { return network.Set(pgtest.Refuse) }, func() error { return network.Set(pgtest.Pass) })
}

func unmountFiles(ctx context.Context, s *site) error {
	if err := s.startService(ctx); err != nil {
		return err
	}
	files := filepath.Join(s.data, "blobs")
	away := files + ".away"
	// Without its mount, the folder is there and is empty.
	return s.requireAfter(ctx, func() error { return errors.Join(os.Rename(files, away), os.Mkdir(files, 0o700)) },
		func() error { return errors.Join(os.Remove(files), os.Rename(away, files)) })
}

// startOffice starts a stamp office as a program, and returns the settings of a service that uses it through a proxy.
func (s *site) startOffice() (office *running.Program, proxy *running.OfficeProxy, env []string, err error) {
	addresses, err := running.FreeAddresses(1)
	if err != nil {
		return nil, nil, nil, err
	}
	shared := filepath.Join(s.dir, "shared")
	if err := os.MkdirAll(shared, 0o700); err != nil {
		return nil, nil, nil, err
	}
	office = &running.Program{Binary: s.binary, Log: filepath.Join(s.dir, "office.log"), Args: []string{
		"office", "--data", filepath.Join(s.dir, "office"), "--shared", shared, "--listen", addresses[0],
	}}
	if err := office.Start(); err != nil {
		return nil, nil, nil, err
	}
	s.atEnd(func() error { office.Stop(); return nil })
	if proxy, err = running.NewOfficeProxy("http://" + addresses[0]); err != nil {
		return nil, nil, nil, err
	}
	s.atEnd(func() error { proxy.Close(); return nil })
	return office, proxy, running.OfficeEnv(proxy.URL, shared, time.Second), nil
}

// startWithOffice starts the service with a stamp office of the other kind, and grants the organisation quota.
func (s *site) startWithOffice(ctx context.Context, stamps int) (*running.Program, *running.OfficeProxy, error) {
	office, proxy, env, err := s.startOffice()
	if err != nil {
		return nil, nil, err
	}
	if err := s.launch(s.binary, env...); err != nil {
		return nil, nil, err
	}
	if err := s.service.Grant(s.data, "Segel", stamps, stamps); err != nil {
		return nil, nil, err
	}
	return office, proxy, s.prepare(ctx)
}

const plenty = 100

func stopOffice(ctx context.Context, s *site) error {
	office, _, err := s.startWithOffice(ctx, plenty)
	if err != nil {
		return err
	}
	return s.requireAfter(ctx, func() error {
		office.Stop()
		_, err := s.finalize(ctx)
		return err
	}, office.Start)
}

// wrongBy is the error of the clock.
const wrongBy = time.Hour

func moveClock(ctx context.Context, s *site) error {
	_, dsn, err := s.startDatabase(ctx)
	if err != nil {
		return err
	}
	offset := filepath.Join(s.dir, "clock")
	set := func(by time.Duration) error {
		next := offset + ".next" // the program reads the file while it is replaced
		return errors.Join(os.WriteFile(next, []byte(by.String()), 0o600), os.Rename(next, offset))
	}
	if err := set(0); err != nil {
		return err
	}
	s.binary = s.clock
	if err := s.startService(ctx, "SEGEL_DATABASE="+dsn, "FAULT_CLOCK_OFFSET="+offset); err != nil {
		return err
	}
	return s.requireAfter(ctx, func() error { return set(wrongBy) }, func() error { return set(0) })
}

// mailServer refuses or accepts every mail.
type mailServer struct{ refuses atomic.Bool }

func (m *mailServer) Mail(string, *smtp.MailOptions) error {
	if m.refuses.Load() {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "too many messages, try again later"}
	}
	return nil
}
func (m *mailServer) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (m *mailServer) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
func (m *mailServer) Reset()        {}
func (m *mailServer) Logout() error { return nil }

func refuseMail(ctx context.Context, s *site) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var mails mailServer
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mails, nil }))
	server.Domain = "localhost"
	go func() { _ = server.Serve(l) }() // ends with an error when it is closed
	s.atEnd(server.Close)
	s.guests = []running.Object{{"name": "Saksi", "email": "saksi@example.test", "role": "viewer", "number": 1}}
	if err := s.startService(ctx, fmt.Sprintf("SEGEL_MAIL_SERVERS=smtp://%s?tls=none", l.Addr()), "SEGEL_MAIL_FROM=segel@example.test"); err != nil {
		return err
	}
	return s.requireAfter(ctx, func() error {
		mails.refuses.Store(true)
		if _, err := s.finalize(ctx); err != nil {
			return err
		}
		return s.complete()
	}, func() error {
		mails.refuses.Store(false)
		return nil
	})
}

// killWhileStamping kills the service when the office has sold a serial and the service does not know it yet.
func killWhileStamping(ctx context.Context, s *site) error {
	_, proxy, err := s.startWithOffice(ctx, plenty)
	if err != nil {
		return err
	}
	killed := make(chan bool, 1)
	var once atomic.Bool
	proxy.Answered = func(call string, _ time.Duration) {
		if call == running.CallTake && once.CompareAndSwap(false, true) {
			s.service.Kill()
			killed <- true
		}
	}
	return s.requireAfter(ctx, func() error {
		if _, err := s.finalize(ctx); err != nil {
			return err
		}
		select {
		case <-killed:
			return nil
		case <-time.After(s.within):
			return errors.New("the office was not asked for a serial")
		}
	}, func() error {
		if err := s.service.Start(); err != nil {
			return err
		}
		return s.complete()
	})
}

// backUp makes a backup that restoreOlderState and damageFile use.
func (s *site) backUp(ctx context.Context) error {
	s.destination, s.passphrase = filepath.Join(s.dir, "backups"), filepath.Join(s.dir, "passphrase")
	if err := os.WriteFile(s.passphrase, []byte("kata sandi cadangan uji\n"), 0o600); err != nil {
		return err
	}
	return s.mustRun(ctx, "backup", "DEST", "--passphrase-file", "PASSPHRASE")
}

func damageFile(ctx context.Context, s *site) error {
	if err := s.startService(ctx); err != nil {
		return err
	}
	if err := s.backUp(ctx); err != nil {
		return err
	}
	var damaged, in string
	return s.requireAfter(ctx, func() error {
		var err error
		if damaged, in, err = s.findFile(); err != nil {
			return err
		}
		b, err := os.ReadFile(damaged)
		if err != nil {
			return err
		}
		b[len(b)/2] ^= 1 // one bit
		return errors.Join(os.Chmod(damaged, 0o600), os.WriteFile(damaged, b, 0o600))
	}, func() error {
		return errors.Join(s.mustRun(ctx, "backup", "verify", "DEST"), copyFile(in, damaged))
	})
}

// findFile finds the largest file, which is what the stamp, the seal or the timestamp of the completed document appended, and its copy in the backup.
func (s *site) findFile() (path, copied string, err error) {
	largest := int64(len(file))
	err = filepath.WalkDir(filepath.Join(s.destination, "files"), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > largest {
			largest, path, copied = info.Size(), filepath.Join(s.data, "blobs", strings.TrimPrefix(p, filepath.Join(s.destination, "files"))), p
		}
		return err
	})
	if err == nil && path == "" {
		err = errors.New("the backup has no file of a stamped document")
	}
	return path, copied, err
}

func damageRow(ctx context.Context, s *site) error {
	_, dsn, err := s.startDatabase(ctx)
	if err != nil {
		return err
	}
	if err := s.startService(ctx, "SEGEL_DATABASE="+dsn); err != nil {
		return err
	}
	if err := s.backUp(ctx); err != nil {
		return err
	}
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	s.atEnd(func() error { return c.Close(context.WithoutCancel(ctx)) })
	return s.requireAfter(ctx, func() error {
		_, err := c.Exec(ctx, "UPDATE document SET title = 'Kuitansi' WHERE id = 1")
		return err
	}, func() error {
		title, err := s.readFromBackup(ctx, c, dsn)
		if err != nil {
			return err
		}
		_, err = c.Exec(ctx, "UPDATE document SET title = $1 WHERE id = 1", title)
		return err
	})
}

// readFromBackup restores the backup to another database and folder, and returns the title of the first document there.
func (s *site) readFromBackup(ctx context.Context, c *pgx.Conn, dsn string) (title string, err error) {
	if _, err := c.Exec(ctx, "CREATE DATABASE elsewhere"); err != nil {
		return "", err
	}
	there := strings.Replace(dsn, "/served?", "/elsewhere?", 1)
	other := *s
	other.data, other.env = filepath.Join(s.dir, "elsewhere"), append(slices.Clone(s.env), "SEGEL_DATABASE="+there)
	if err := other.mustRun(ctx, "restore", "DEST", "--passphrase-file", "PASSPHRASE"); err != nil {
		return "", err
	}
	restored, err := pgx.Connect(ctx, there)
	if err != nil {
		return "", err
	}
	err = restored.QueryRow(ctx, "SELECT title FROM document WHERE id = 1").Scan(&title)
	return title, errors.Join(err, restored.Close(ctx))
}

func removeMasterKey(ctx context.Context, s *site) error {
	if err := s.startService(ctx); err != nil {
		return err
	}
	key := filepath.Join(s.data, "master.key")
	return s.requireAfter(ctx, func() error { return os.Rename(key, key+".away") }, func() error { return os.Rename(key+".away", key) })
}

func restoreOlderState(ctx context.Context, s *site) error {
	if err := s.startService(ctx); err != nil {
		return err
	}
	if err := s.backUp(ctx); err != nil {
		return err
	}
	if _, err := s.finalize(ctx); err != nil {
		return err
	}
	lost := s.ordered[0]
	if err := s.complete(); err != nil {
		return err
	}
	status, checkpoint := s.runCommand(ctx, "audit", "checkpoint")
	if status != 0 {
		return fmt.Errorf("segel audit checkpoint: %s", checkpoint)
	}
	s.checkpoint = filepath.Join(s.dir, "checkpoint")
	if err := os.WriteFile(s.checkpoint, []byte(checkpoint), 0o600); err != nil {
		return err
	}
	s.service.Kill()
	if err := os.RemoveAll(s.data); err != nil {
		return err
	}
	if err := s.requireStated(ctx); err != nil { // the block restores
		return err
	}
	// The document went on in the snapshot as a draft, and is finalized again.
	delete(s.documents, lost)
	s.drafts = append(s.drafts, lost)
	if err := s.service.Start(); err != nil {
		return err
	}
	if err := s.logIn(); err != nil {
		return err
	}
	return s.requireStated(ctx)
}

// forbidNamespaces runs the service where no user namespaces can be made, as in a container that forbids them.
func forbidNamespaces(ctx context.Context, s *site) error {
	wrapper := filepath.Join(s.dir, "segel-without-namespaces")
	script := "#!/bin/sh\nexec unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"' " + s.binary + " \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		return err
	}
	if err := s.startService(ctx, "SEGEL_CONVERT=auto"); err != nil {
		return err
	}
	restart := func(program string) error {
		s.service.Stop()
		s.service.Binary = program
		return s.service.Start()
	}
	return s.requireAfter(ctx, func() error { return restart(wrapper) }, func() error { return restart(s.binary) })
}

// wordDocument returns a Word document of one paragraph.
func wordDocument() []byte {
	return converttest.Document{Body: converttest.Paragraphs("Perjanjian")}.Bytes()
}

func useQuota(ctx context.Context, s *site) error {
	if _, _, err := s.startWithOffice(ctx, 1); err != nil { // the first document uses it
		return err
	}
	return s.requireAfter(ctx, func() error { return nil }, func() error {
		return s.mustRun(ctx, "quota", "add", "--org", "Segel", "--unit", "emet", "--count", fmt.Sprint(plenty), "--reason", "invoice 17")
	})
}

func failBackup(ctx context.Context, s *site) error {
	if err := s.startService(ctx); err != nil {
		return err
	}
	s.destination, s.passphrase = filepath.Join(s.dir, "backups"), filepath.Join(s.dir, "passphrase")
	if err := errors.Join(os.WriteFile(s.passphrase, []byte("kata sandi cadangan uji\n"), 0o600), os.MkdirAll(s.destination, 0o700)); err != nil {
		return err
	}
	if err := syscall.Mount("segel-failures", s.destination, "tmpfs", 0, "size=65536,mode=0700"); err != nil {
		return fmt.Errorf("mount a small disk for backups; this needs root: %w", err)
	}
	mounted := true
	unmount := func() error {
		if !mounted {
			return nil
		}
		mounted = false
		return syscall.Unmount(s.destination, syscall.MNT_DETACH)
	}
	s.atEnd(unmount)
	return s.requireAfter(ctx, func() error { return nil }, unmount)
}

// expand puts the paths of the site in the place of the names that the page uses.
func (s *site) expand(args []string) []string {
	for i, arg := range args {
		for name, path := range map[string]string{"DEST": s.destination, "PASSPHRASE": s.passphrase, "CHECKPOINT": s.checkpoint} {
			if arg == name {
				args[i] = path
			}
		}
	}
	return args
}

// certificateLasts is how long the certificate is valid that expires: until the service has started and was used.
const certificateLasts = 12 * time.Second

func expireCertificate(ctx context.Context, s *site) error {
	cert, key := filepath.Join(s.dir, "tls.pem"), filepath.Join(s.dir, "tls.key")
	expires := time.Now().Add(certificateLasts)
	if err := s.authority.issue(cert, key, expires); err != nil {
		return err
	}
	s.scheme = "https"
	if err := s.startService(ctx, "SEGEL_TLS_CERT="+cert, "SEGEL_TLS_KEY="+key); err != nil {
		return err
	}
	return s.requireAfter(ctx, func() error {
		pause(ctx, time.Until(expires)+time.Second)
		running.CloseIdleConnections() // a browser that comes back connects again
		return os.WriteFile(cert, []byte("half of a certificate"), 0o600)
	}, func() error { return s.authority.issue(cert, key, time.Now().Add(90*24*time.Hour)) })
}
