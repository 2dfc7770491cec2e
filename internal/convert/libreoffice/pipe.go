package libreoffice

import (
	"bufio"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"
)

// LibreOffice listens on a Unix socket for the command lines of further starts with the same profile. It sends a
// greeting when it can take one, reads it up to a zero byte, and answers when everything is done. The protocol is
// internal and undocumented, but unchanged since 2011; [process.warmUp] fails immediately if it changes.
const (
	pipeGreeting = "InternalIPC::SendArguments"
	pipeRequest  = "InternalIPC::Arguments"
	pipeDone     = "InternalIPC::ProcessingDone"
)

// pipeName returns the pattern of the socket's name for a profile: its digest, each byte in hexadecimal without
// leading zeros. Some versions insert the user's number.
func pipeName(profileURL string) string {
	var wide []byte
	for _, c := range utf16.Encode([]rune(profileURL)) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	var name strings.Builder
	name.WriteString("OSL_PIPE_*SingleOfficeIPC_")
	for _, b := range md5.Sum(wide) {
		fmt.Fprintf(&name, "%x", b)
	}
	return name.String()
}

// errNoAnswer means that the process ended, or sent an unexpected word, before it answered.
var errNoAnswer = errors.New("LibreOffice ended before it answered")

// connectPipe waits until the process listens in that folder, and reads its greeting. Done is closed when the process
// has ended.
func connectPipe(ctx context.Context, folder, pattern string, done <-chan struct{}) (net.Conn, error) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			c, err := dialSocket(ctx, found[0])
			if err == nil {
				return c, readGreeting(ctx, c)
			}
			// It is refused between the creation of the socket and listen, and the socket is removed when the process ends.
			if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
				return nil, fmt.Errorf("connect to LibreOffice: %w", err)
			}
		}
		select {
		case <-look.C:
		case <-done:
			return nil, errNoAnswer
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// dialSocket connects to a Unix socket by way of its open folder: an address has at most 108 bytes, and the folder of temporary files may
// have a long name.
func dialSocket(ctx context.Context, name string) (net.Conn, error) {
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if short := fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(name)); len(short) < len(name) {
		name = short
	}
	return (&net.Dialer{}).DialContext(ctx, "unix", name)
}

func readGreeting(ctx context.Context, c net.Conn) error {
	word, err := readWord(ctx, c)
	switch {
	case err != nil:
		return errors.Join(err, c.Close())
	case word != pipeGreeting:
		return errors.Join(fmt.Errorf("LibreOffice greets with %q", word), c.Close())
	}
	return nil
}

// runCommandLine sends a command line and waits until it is done.
func runCommandLine(ctx context.Context, c net.Conn, args []string) error {
	defer c.Close()
	var b strings.Builder
	b.WriteString(pipeRequest + "1" + escapeArgument("file:///tmp")) // the working folder for relative paths
	for _, a := range args {
		b.WriteString("," + escapeArgument(a))
	}
	b.WriteByte(0)
	if _, err := c.Write([]byte(b.String())); err != nil {
		return fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	word, err := readWord(ctx, c)
	if err == nil && word != pipeDone {
		err = fmt.Errorf("LibreOffice answers %q", word)
	}
	return err
}

// escapeArgument escapes the separators of arguments.
func escapeArgument(arg string) string {
	return strings.NewReplacer("\x00", `\0`, ",", `\,`, `\`, `\\`).Replace(arg)
}

// readWord reads one word of the process.
func readWord(ctx context.Context, c net.Conn) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	word, err := bufio.NewReaderSize(c, 64).ReadSlice(0)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return string(word[:len(word)-1]), nil
}
