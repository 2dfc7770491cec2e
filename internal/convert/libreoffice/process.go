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
	sandbox *sandbox
	job     *job
	cmd     *exec.Cmd
	output  *lastOutput
	done    chan struct{} // closed when it has ended
}

// startProcess starts a process. It is not ready yet, see [process.warm].
func (f *sandbox) startProcess(base string) (*process, error) {
	j, err := newJob(base, f.isActive(), f.processUser())
	if err != nil {
		return nil, err
	}
	cmd, files, err := f.buildCommand(j)
	if err != nil {
		return nil, errors.Join(err, j.removeFolder())
	}
	defer closeAll(files)
	p := &process{sandbox: f, job: j, cmd: cmd, output: &lastOutput{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.WaitDelay = time.Second // whoever has left its group may hold these open forever
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start LibreOffice: %w", err), j.removeFolder())
	}
	go func() {
		_ = cmd.Wait() // it is killed, or the pipe tells
		close(p.done)
	}()
	return p, nil
}

// warmUp waits until the process takes documents, and has it convert ours.
func (p *process) warmUp(ctx context.Context, options string) error {
	for _, name := range []string{warmName, plainName} {
		var out bytes.Buffer
		err := p.convertFile(ctx, convert.DOCX, name, options, &out)
		if err == nil && !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) {
			err = errors.New("LibreOffice makes no PDF")
		}
		if said := p.output.String(); err != nil && said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// convertFile has the process convert a file of its job.
func (p *process) convertFile(ctx context.Context, kind convert.Kind, name, options string, out io.Writer) error {
	c, err := connectPipe(ctx, p.job.pipeFolder, pipeName(p.job.profileURL), p.done)
	if err != nil {
		return err
	}
	err = runCommandLine(ctx, c, []string{
		"--headless", "--convert-to", "pdf:writer_pdf_Export" + options, "--infilter=" + filters[kind],
		"--outdir", p.job.processPath(p.job.run, outName), p.job.processPath(p.job.in, name),
	})
	if err != nil {
		return err
	}
	return p.job.copyPDF(strings.TrimSuffix(name, filepath.Ext(name))+".pdf", out, p.sandbox.limits.Output)
}

// killProcess kills the process with all it started, and removes what it wrote. Bubblewrap's child dies with it, and with
// that one, the first of its namespace, every other in there.
func (p *process) killProcess() error {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may be gone
	<-p.done
	return p.job.removeFolder()
}

// lastOutput keeps the last words of a process.
type lastOutput struct {
	mu sync.Mutex // guards b
	b  []byte
}

const lastOutputLen = 2 << 10

// Write implements io.Writer.
func (t *lastOutput) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-lastOutputLen):]...)
	t.b = t.b[max(0, len(t.b)-lastOutputLen):]
	return len(p), nil
}

func (t *lastOutput) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(t.b), "?")), " ")
}
