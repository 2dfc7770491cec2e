package credential

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var masterKey = []byte("0123456789abcdefghijklmnopqrstuv")

func TestEverySourceGivesTheSameMasterKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, encoded := filepath.Join(dir, "master.key"), filepath.Join(dir, "encoded")
	text := base64.StdEncoding.EncodeToString(masterKey)
	for name, content := range map[string]string{file: string(masterKey), encoded: text + "\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := NewSealer(masterKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []MasterKey{KeyFile(file), KeyValue{"SEGEL_MASTER_KEY", text}, KeyCommand{Setting: "SEGEL_MASTER_KEY_COMMAND", Command: "/bin/cat  " + encoded}} {
		for name, read := range map[string]func(context.Context) (*Sealer, error){"read": source.Read, "create": source.Create} {
			s, err := read(t.Context())
			if err != nil || s.DeriveKey("test") != want.DeriveKey("test") {
				t.Errorf("%s %s: another key, %v", name, source.Name(), err)
			}
		}
		if ok, err := source.Exists(); !ok || err != nil {
			t.Errorf("%s: %v, %v", source.Name(), ok, err)
		}
	}
}

func TestOnlyAFileCreatesAMissingMasterKey(t *testing.T) {
	t.Parallel()
	file := KeyFile(filepath.Join(t.TempDir(), "master.key"))
	for _, source := range []MasterKey{file, KeyCommand{Command: "/does/not/exist"}, KeyValue{}} {
		if ok, err := source.Exists(); ok || err != nil {
			t.Errorf("%T: %v, %v", source, ok, err)
		}
		if _, err := source.Read(t.Context()); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrMasterKey) {
			t.Errorf("%T: %v", source, err)
		}
		if _, err := source.Create(t.Context()); (err == nil) != (source == file) {
			t.Errorf("create %T: %v", source, err)
		}
	}
}

func TestNoErrorRepeatsWhatACommandPrints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(name, body string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, c := range map[string]struct {
		body, says string
	}{
		"fails":    {"echo geheim; echo geheim >&2; exit 3", "exit status 3"},
		"short":    {"echo Z2VoZWlt", "not base64 of 32 bytes"},
		"no text":  {"echo geheim", "not base64 of 32 bytes"},
		"too much": {"while :; do echo geheimgeheimgeheimgeheim || exit 1; done", ErrMasterKey.Error()},
		"hangs":    {"echo geheim; sleep 600", "did not end within"},
	} {
		_, err := KeyCommand{Setting: "SEGEL_MASTER_KEY_COMMAND", Command: script(strings.ReplaceAll(name, " ", "-"), c.body), Timeout: timeoutOf(name)}.Read(t.Context())
		if !errors.Is(err, ErrMasterKey) || !strings.Contains(err.Error(), c.says) || strings.Contains(fmt.Sprint(err), "geheim") || strings.Contains(err.Error(), "Z2Vo") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// timeoutOf is short for the command that never ends.
func timeoutOf(name string) time.Duration {
	if name == "hangs" {
		return 100 * time.Millisecond
	}
	return commandTimeout
}

func TestACommandRunsWithoutAShell(t *testing.T) {
	t.Parallel()
	planted := filepath.Join(t.TempDir(), "planted")
	_, err := KeyCommand{Command: "/bin/echo ;touch " + planted + " $(touch " + planted + ")"}.Read(t.Context())
	if !errors.Is(err, ErrMasterKey) {
		t.Error(err)
	}
	if _, err := os.Stat(planted); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a shell read the command: %v", err)
	}
}
