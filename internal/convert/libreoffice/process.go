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
	"time"

	"segel/internal/convert"
	"segel/internal/isolation"
)

// filters are the names of LibreOffice's import filters. A file of another format than its filter is refused; the
// format is not guessed.
var filters = map[convert.Kind]string{convert.DOCX: "MS Word 2007 XML", convert.DOC: "MS Word 97"}

// process is one LibreOffice, for one document.
type process struct {
	launcher *launcher
	job      *job
	cmd      *exec.Cmd
	output   *isolation.Output
	done     chan struct{} // closed when it has ended
}

// startProcess starts a process. It is not ready yet, see [process.warmUp].
func (f *launcher) startProcess(base string) (*process, error) {
	j, err := newJob(base, f.isSandboxed(), f.processUser())
	if err != nil {
		return nil, err
	}
	cmd, err := f.buildCommand(j)
	if err != nil {
		return nil, errors.Join(err, j.removeFolder())
	}
	p := &process{launcher: f, job: j, cmd: cmd, output: &isolation.Output{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.WaitDelay = time.Second // a process that has left the group may hold these open forever
	if err := isolation.Start(cmd); err != nil {
		return nil, errors.Join(fmt.Errorf("start LibreOffice: %w", err), j.removeFolder())
	}
	go func() {
		_ = cmd.Wait() // it is killed, or the pipe reports the end
		close(p.done)
	}()
	return p, nil
}

// warmUp waits until the process accepts documents, and has it convert ours.
func (p *process) warmUp(ctx context.Context, options string) error {
	for _, name := range []string{warmName, plainName} {
		var out bytes.Buffer
		err := p.convertFile(ctx, convert.DOCX, name, options, &out)
		if err == nil && !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) {
			err = errors.New("LibreOffice makes no PDF")
		}
		if said := p.output.String(); err != nil && said != "" {
			err = fmt.Errorf("%w; its output: %s", err, said)
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
	return p.job.copyPDF(strings.TrimSuffix(name, filepath.Ext(name))+".pdf", out, p.launcher.limits.Output)
}

// killProcess kills the process with all that it started, and removes what it wrote.
func (p *process) killProcess() error {
	isolation.Kill(p.cmd)
	<-p.done
	return p.job.removeFolder()
}
