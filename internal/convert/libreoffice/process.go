package libreoffice

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"segel/internal/convert"
)

// filters are the names of LibreOffice's import filters. A file that is something else than its filter reads is
// refused, not guessed at.
var filters = map[convert.Kind]string{convert.DOCX: "MS Word 2007 XML", convert.DOC: "MS Word 97"}

// process is one LibreOffice, for one document.
type process struct {
	fence *fence
	job   *job
	cmd   *exec.Cmd
	said  *tail
	done  chan struct{} // closed when it has ended
}

// start starts a process. It is not ready yet, see [process.warm].
func (f *fence) start(base string) (*process, error) {
	j, err := newJob(base, f.fenced(), f.user())
	if err != nil {
		return nil, err
	}
	cmd, files, err := f.command(j)
	if err != nil {
		return nil, errors.Join(err, j.remove())
	}
	defer closeAll(files)
	p := &process{fence: f, job: j, cmd: cmd, said: &tail{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.said, p.said
	cmd.WaitDelay = time.Second // whoever has left its group may hold these open forever
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start LibreOffice: %w", err), j.remove())
	}
	go func() {
		_ = cmd.Wait() // it is killed, or the pipe tells
		close(p.done)
	}()
	return p, nil
}

// warm waits until the process takes documents, and has it convert ours.
func (p *process) warm(ctx context.Context, options string) error {
	for _, name := range []string{warmName, plainName} {
		var out bytes.Buffer
		err := p.convert(ctx, convert.DOCX, name, options, &out)
		if err == nil && !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) {
			err = errors.New("LibreOffice makes no PDF")
		}
		if said := p.said.String(); err != nil && said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// convert has the process convert a file of its job.
func (p *process) convert(ctx context.Context, kind convert.Kind, name, options string, out io.Writer) error {
	c, err := connect(ctx, p.job.pipeFolder, pipeName(p.job.profileURL), p.done)
	if err != nil {
		return err
	}
	err = ask(ctx, c, []string{
		"--headless", "--convert-to", "pdf:writer_pdf_Export" + options, "--infilter=" + filters[kind],
		"--outdir", p.job.inside(p.job.run, outName), p.job.inside(p.job.in, name),
	})
	if err != nil {
		return err
	}
	return p.job.fetch(strings.TrimSuffix(name, filepath.Ext(name))+".pdf", out, p.fence.limits.Output)
}

// end kills the process with all it started, and removes what it wrote. Bubblewrap's child dies with it, and with
// that one, the first of its namespace, every other in there.
func (p *process) end() error {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may be gone
	<-p.done
	return p.job.remove()
}

// tail keeps the last words of a process.
type tail struct {
	mu sync.Mutex // guards b
	b  []byte
}

const tailLen = 2 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-tailLen):]...)
	t.b = t.b[max(0, len(t.b)-tailLen):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(t.b), "?")), " ")
}
