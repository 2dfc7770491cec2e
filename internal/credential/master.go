package credential

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// MasterKey is where the master key comes from. No error contains any of the key.
type MasterKey interface {
	// Name returns the file or the setting, for messages.
	Name() string

	// Exists reports whether there is a key. A command is not run.
	Exists() (bool, error)

	// Read returns a sealer for the key; [fs.ErrNotExist] if there is none, [ErrMasterKey] if the source answers with something else.
	Read(ctx context.Context) (*Sealer, error)

	// Create is Read at the first start of an installation. Only a file creates a key that is missing.
	Create(ctx context.Context) (*Sealer, error)
}

// ErrMasterKey is a source of the master key that fails or answers with something else.
var ErrMasterKey = errors.New("the master key cannot be read")

// KeyFile is a file with the 32 bytes of the master key, by its path.
type KeyFile string

// Name implements [MasterKey].
func (f KeyFile) Name() string { return string(f) }

// Exists implements [MasterKey].
func (f KeyFile) Exists() (bool, error) {
	_, err := os.Stat(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Read implements [MasterKey].
func (f KeyFile) Read(context.Context) (*Sealer, error) { return ReadSealer(string(f)) }

// Create implements [MasterKey]: it creates the file if it is missing. The folder must exist.
func (f KeyFile) Create(context.Context) (*Sealer, error) { return OpenSealer(string(f)) }

// KeyValue is a master key in a setting.
type KeyValue struct {
	Setting string
	Encoded string // base64 of 32 bytes
}

// Name implements [MasterKey].
func (v KeyValue) Name() string { return v.Setting }

// Exists implements [MasterKey].
func (v KeyValue) Exists() (bool, error) { return v.Encoded != "", nil }

// Read implements [MasterKey].
func (v KeyValue) Read(context.Context) (*Sealer, error) {
	key, err := ParseMasterKey([]byte(v.Encoded))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Setting, err)
	}
	return NewSealer(key)
}

// Create implements [MasterKey]: it is Read.
func (v KeyValue) Create(ctx context.Context) (*Sealer, error) { return v.Read(ctx) }

// ParseMasterKey decodes a master key: base64 of 32 bytes, with or without white space around it. Its errors do not repeat the text.
func ParseMasterKey(text []byte) ([]byte, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(key) != chacha20poly1305.KeySize {
		return nil, fmt.Errorf("%w: it is not base64 of %d bytes", ErrMasterKey, chacha20poly1305.KeySize)
	}
	return key, nil
}

// KeyCommand is a program that prints the master key in base64, such as one that has a key management service decrypt it. It runs
// without a shell. What it prints is never logged and in no error, on standard error neither: it may be about the key.
type KeyCommand struct {
	Setting string
	Command string   // path of the program and its arguments, separated by white space
	Env     []string // its environment
	Timeout time.Duration
}

// Bounds of a command.
const (
	commandTimeout = 30 * time.Second
	commandOutput  = 4 << 10 // bytes
)

// Name implements [MasterKey].
func (c KeyCommand) Name() string { return c.Setting }

// Exists implements [MasterKey]: it reports whether the program exists.
func (c KeyCommand) Exists() (bool, error) {
	words := strings.Fields(c.Command)
	if len(words) == 0 {
		return false, nil
	}
	return KeyFile(words[0]).Exists()
}

// Read implements [MasterKey].
func (c KeyCommand) Read(ctx context.Context) (*Sealer, error) {
	words := strings.Fields(c.Command)
	if len(words) == 0 {
		return nil, fmt.Errorf("%s: %w", c.Setting, fs.ErrNotExist)
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = commandTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p := exec.CommandContext(ctx, words[0], words[1:]...)
	// What the program started ends with it: it may hold the key too.
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.Cancel = func() error { return syscall.Kill(-p.Process.Pid, syscall.SIGKILL) }
	p.WaitDelay = time.Second
	out := &boundedOutput{limit: commandOutput}
	p.Stdout, p.Env = out, c.Env
	if err := p.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it did not end within %v", timeout)
		}
		return nil, fmt.Errorf("%s: %w: %w; run it by hand to see why", c.Setting, ErrMasterKey, err)
	}
	key, err := ParseMasterKey(out.b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: what it prints: %w", c.Setting, err)
	}
	return NewSealer(key)
}

// Create implements [MasterKey]: it is Read.
func (c KeyCommand) Create(ctx context.Context) (*Sealer, error) { return c.Read(ctx) }

// boundedOutput takes what a program prints, up to a limit. Beyond it the program gets an error, and ends.
type boundedOutput struct {
	b     bytes.Buffer
	limit int
}

func (o *boundedOutput) Write(p []byte) (int, error) {
	if o.b.Len()+len(p) > o.limit {
		return 0, errors.New("it prints too much")
	}
	return o.b.Write(p)
}
