// Package pgtest runs a separate PostgreSQL server for tests: started when the first test needs a database, shared
// by the tests of one package, stopped and removed at their end. It needs no setup, and uses no other server.
// It listens on a Unix socket only.
package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// errNoPrograms means that PostgreSQL is not installed.
var errNoPrograms = errors.New("PostgreSQL's server programs are missing; on Debian: apt-get install postgresql")

// cluster is a running server.
type cluster struct {
	dir      string // of all files, short enough for a socket's address
	bin      string
	settings []string            // further arguments of the server
	as       *syscall.Credential // nil: the user who runs the tests
	server   *exec.Cmd
	exited   chan struct{} // closed when the server has exited
	output   bytes.Buffer  // of the server; read after it has exited
}

// startWait bounds how long a server may take to accept connections.
const startWait = time.Minute

// startCluster starts a server whose folder is made in parent; empty: in memory, if there is room.
func startCluster(parent string) (*cluster, error) {
	bin, err := findPrograms()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(cmp.Or(parent, tempParent()), "pg")
	if err != nil {
		return nil, fmt.Errorf("create a folder for a server: %w", err)
	}
	c := &cluster{dir: dir, bin: bin, exited: make(chan struct{})}
	if err := c.startServer(); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// memoryDir is a folder in memory, if Linux has one: a new database is 300 files, and some disks take half a
// second to create them. It needs at least minMemory bytes free; in containers it may be small.
const memoryDir, minMemory = "/dev/shm", 1 << 30

// tempParent returns the parent of the server's folder; empty means the system's default.
func tempParent() string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &s); err != nil || s.Bavail*uint64(s.Bsize) < minMemory {
		return ""
	}
	return memoryDir
}

// findPrograms finds the folder of initdb and postgres, the newest one.
func findPrograms() (string, error) {
	if p, err := exec.LookPath("postgres"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err != nil { // the link may be in a folder without the other programs
			return "", err
		}
		return filepath.Dir(p), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return "", errNoPrograms
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}

func (c *cluster) startServer() error {
	if err := c.chooseUser(); err != nil {
		return err
	}
	data := filepath.Join(c.dir, "data")
	initdb := c.newCommand("initdb", "-D", data, "-U", "segel", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return c.launchServer()
}

// launchServer starts the server on its existing data.
func (c *cluster) launchServer() error {
	data := filepath.Join(c.dir, "data")
	c.exited = make(chan struct{})
	c.output.Reset()
	// Durability is disabled: no data outlives the tests.
	c.server = c.newCommand("postgres", append([]string{"-D", data, "-k", c.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "full_page_writes=off", "-c", "max_connections=300", "-c", "shared_buffers=64MB", "-c", "max_wal_size=256MB"}, c.settings...)...)
	c.server.Stdout, c.server.Stderr = &c.output, &c.output
	c.server.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	started, exited := make(chan error), c.exited
	go func() {
		// Pdeathsig is sent when the thread that started the server exits, so that thread is kept.
		runtime.LockOSThread()
		defer close(exited)
		err := c.server.Start()
		started <- err
		if err == nil {
			_ = c.server.Wait() // it exits by a signal
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	return c.waitReady()
}

// chooseUser chooses the user to run as: PostgreSQL refuses to run as root, so root uses the user of its package.
func (c *cluster) chooseUser() error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("find a user other than root to run PostgreSQL as: %w", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("numbers of user postgres: %w", err)
	}
	c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(c.dir, uid, gid)
}

func (c *cluster) newCommand(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	return cmd
}

func (c *cluster) dsn(database string) string {
	return "postgres://segel@/" + database + "?host=" + c.dir
}

// waitReady waits until the server accepts connections.
func (c *cluster) waitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.dsn("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		again := time.NewTimer(20 * time.Millisecond)
		select {
		case <-again.C:
		case <-c.exited:
			return fmt.Errorf("postgres ended: %s", &c.output)
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer: %w", err)
		}
	}
}

// signalAll sends a signal to the server and all its child processes.
func (c *cluster) signalAll(s syscall.Signal) error {
	pid := c.server.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has exited
	}
	if err != nil {
		return err
	}
	// Stop the server process first, so that it starts no more processes meanwhile.
	all := []int{pid}
	for _, child := range strings.Fields(string(children)) {
		n, err := strconv.Atoi(child)
		if err != nil {
			return err
		}
		all = append(all, n)
	}
	for _, n := range all {
		if err := syscall.Kill(n, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

func (c *cluster) stop() error {
	if c.server != nil && c.server.Process != nil {
		_ = c.server.Process.Signal(syscall.SIGQUIT) // it may have exited by itself
		<-c.exited
	}
	return os.RemoveAll(c.dir)
}
