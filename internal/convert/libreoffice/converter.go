package libreoffice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"segel/internal/convert"
	"segel/internal/durable"
)

// Options of a converter. The zero value of a member means its default.
type Options struct {
	Program     string // soffice; default: the one in PATH
	Folder      string // where the folders of processes are made; default: that of temporary files
	Spare       int    // number of processes that wait for documents. Default 2
	PDFA        bool   // make PDF/A-2b
	Unsandboxed bool   // run LibreOffice without namespaces and limits
	Limits      Limits
	Log         *slog.Logger // default: nothing is logged
}

// Converter converts documents with LibreOffice.
type Converter struct {
	launcher *launcher
	options  string // of the PDF
	folder   string
	lock     *os.File // held while folder is ours
	log      *slog.Logger

	tested   chan struct{} // closed when it is known whether LibreOffice works in the sandbox
	missing  error         // set before tested is closed: why it does not work
	families []string      // set before tested is closed

	ready   chan *process // processes that are ready, or nil for one that must be started
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup // goroutines that start processes
}

var _ convert.Converter = (*Converter)(nil)

// startTimeout is how long a process may take to get ready on a busy machine.
const startTimeout = time.Minute

// Open finds LibreOffice and the sandbox, and tests both by converting one of our documents. The error says what is
// missing, in words for the operator.
func Open(ctx context.Context, o Options) (*Converter, error) {
	c, err := OpenInBackground(ctx, o)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.tested:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), c.Close())
	}
	if c.missing != nil {
		return nil, errors.Join(c.missing, c.Close())
	}
	return c, nil
}

// OpenInBackground is Open without waiting for the test: [Converter.CheckAvailable] reports its result, and documents
// wait for it.
func OpenInBackground(ctx context.Context, o Options) (*Converter, error) {
	o.Spare = cmp.Or(o.Spare, 2)
	o.Folder = cmp.Or(o.Folder, os.TempDir())
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f, err := newLauncher(o.Program, o.Unsandboxed, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	c := &Converter{launcher: f, options: exportOptions(o.PDFA), log: o.Log, tested: make(chan struct{}), ready: make(chan *process, o.Spare)}
	if err := c.claimFolder(o.Folder); err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.workers.Go(func() { c.testConversion(o.Spare) })
	return c, nil
}

// maxTestStarts is how often the first process is started. On a busy machine LibreOffice sometimes ends while it starts, and after a
// failed test no document is converted until the service is restarted.
const maxTestStarts = 3

// testConversion starts the first process, and the others when it is ready.
func (o *Converter) testConversion(spare int) {
	defer close(o.tested)
	o.families = listFontFamilies(o.ctx)
	first, err := o.startReady(o.ctx)
	for starts := 1; err != nil && starts < maxTestStarts && o.ctx.Err() == nil; starts++ {
		o.log.WarnContext(o.ctx, "LibreOffice does not start and is tried again", "error", err)
		first, err = o.startReady(o.ctx)
	}
	if err != nil {
		o.missing = o.launcher.startFailure(err)
		if o.ctx.Err() == nil {
			o.log.WarnContext(o.ctx, "Word documents will be refused", "reason", o.missing)
		}
		return
	}
	o.ready <- first
	for range spare - 1 {
		o.replaceProcess(nil)
	}
}

// CheckAvailable implements [convert.Converter].
func (o *Converter) CheckAvailable() error {
	select {
	case <-o.tested:
	default:
		return nil
	}
	if o.missing != nil {
		return fmt.Errorf("%w: %w", convert.ErrMissing, o.missing)
	}
	return nil
}

// startFailure returns why LibreOffice does not work in the sandbox.
func (f *launcher) startFailure(err error) error {
	if !f.isSandboxed() {
		return fmt.Errorf("LibreOffice does not start: %w", err)
	}
	return fmt.Errorf("LibreOffice does not start in its sandbox (are user namespaces permitted on this machine?): %w", err)
}

// FontFamilies implements [convert.Converter].
func (o *Converter) FontFamilies() []string {
	<-o.tested // at most as long as a process may take to start
	return o.families
}

// Convert implements [convert.Converter].
//
// The process that converted is killed in any case. A process that ends by itself has met a limit or a bug; that may
// have been the machine's fault, so a second process gets the document too.
func (o *Converter) Convert(ctx context.Context, kind convert.Kind, in io.Reader, out io.Writer) error {
	if filters[kind] == "" {
		return fmt.Errorf("%w: no filter for %q", convert.ErrUnreadable, kind)
	}
	p, err := o.acquireProcess(ctx)
	if err != nil {
		return err
	}
	defer o.replaceProcess(p) // at the end, so that it does not slow down the conversion
	name := "document." + string(kind)
	if _, err := p.job.writeInput(name, in); err != nil {
		return err
	}
	err = o.convertInTime(ctx, p, kind, name, out)
	if errors.Is(err, errNoAnswer) {
		o.log.WarnContext(ctx, "LibreOffice ended while it converted", "output", p.output.String())
		err = o.retryConversion(ctx, p, kind, name, out)
	}
	if errors.Is(err, errNoAnswer) {
		return fmt.Errorf("%w: %w", convert.ErrUnreadable, err)
	}
	return err
}

// retryConversion gives the document of a process that ended to a new one.
func (o *Converter) retryConversion(ctx context.Context, ended *process, kind convert.Kind, name string, out io.Writer) error {
	p, err := o.startReady(ctx)
	if err != nil {
		return err
	}
	defer o.endProcess(p)
	f, err := os.Open(filepath.Join(ended.job.folder, ended.job.in, name))
	if err != nil {
		return fmt.Errorf("hand over document again: %w", err)
	}
	defer f.Close()
	if _, err = p.job.writeInput(name, f); err != nil {
		return err
	}
	return o.convertInTime(ctx, p, kind, name, out)
}

func (o *Converter) convertInTime(ctx context.Context, p *process, kind convert.Kind, name string, out io.Writer) error {
	limits := o.launcher.limits
	ctx, stop := context.WithTimeoutCause(ctx, limits.Time, convert.ErrTooLong)
	defer stop()
	ctx, done := p.job.watchOutput(ctx, 2*limits.Output)
	defer done()
	err := p.convertFile(ctx, kind, name, o.options, out)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// acquireProcess returns a process that is ready.
func (o *Converter) acquireProcess(ctx context.Context) (*process, error) {
	select {
	case <-o.tested:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := o.CheckAvailable(); err != nil {
		return nil, err
	}
	select {
	case p := <-o.ready:
		if p != nil {
			return p, nil
		}
	case <-o.ctx.Done():
		return nil, fmt.Errorf("%w: it was closed", convert.ErrUnavailable)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := o.startReady(ctx)
	if err != nil {
		o.ready <- nil
		return nil, fmt.Errorf("%w: %w", convert.ErrUnavailable, err)
	}
	return p, nil
}

// replaceProcess ends a process and starts another one; old is nil for the first processes. If the start fails,
// acquireProcess tries again.
func (o *Converter) replaceProcess(old *process) {
	o.workers.Go(func() {
		if old != nil {
			o.endProcess(old)
		}
		p, err := o.startReady(o.ctx)
		if err != nil && o.ctx.Err() == nil {
			o.log.WarnContext(o.ctx, "LibreOffice does not start", "error", err)
		}
		o.ready <- p
	})
}

// endProcess kills a process. What it leaves behind only costs disk space.
func (o *Converter) endProcess(p *process) {
	if err := p.killProcess(); err != nil {
		o.log.WarnContext(o.ctx, "remove what LibreOffice left", "error", err)
	}
}

// startReady starts a process and warms it up.
func (o *Converter) startReady(ctx context.Context) (*process, error) {
	p, err := o.launcher.startProcess(o.folder)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := p.warmUp(ctx, o.options); err != nil {
		return nil, errors.Join(err, p.killProcess())
	}
	return p, nil
}

// Close ends the waiting processes and removes all folders. Running conversions must have ended.
func (o *Converter) Close() error {
	o.cancel()
	o.workers.Wait()
	var errs []error
	for {
		select {
		case p := <-o.ready:
			if p != nil {
				errs = append(errs, p.killProcess())
			}
			continue
		default:
		}
		break
	}
	errs = append(errs, os.RemoveAll(o.folder), o.lock.Close())
	return errors.Join(errs...)
}

// exportOptions returns the options of the PDF. Form fields are not exported, because a contract must not be filled in
// later.
func exportOptions(pdfa bool) string {
	version := "17" // PDF 1.6 or newer, or the stamp office would rewrite it
	if pdfa {
		version = "2" // PDF/A-2b
	}
	return `:{"SelectPdfVersion":{"type":"long","value":"` + version + `"},"ExportFormFields":{"type":"boolean","value":"false"},"UseTaggedPDF":{"type":"boolean","value":"true"}}`
}

// listFontFamilies returns the font families that fontconfig knows; nil if it is not installed.
func listFontFamilies(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "fc-list", ":", "family").Output()
	if err != nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		for name := range strings.SplitSeq(line, ",") { // one name a language
			if name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "")); name != "" {
				all = append(all, name)
			}
		}
	}
	return all
}

const folderPrefix = "segel-convert-"

// minFolderAge is how old a folder must be before it counts as left behind: a younger one may have been made by a
// process that is about to lock it.
const minFolderAge = time.Minute

// claimFolder creates the folder of all jobs, and removes the folders of services that were killed: locks show which
// are in use. Other users may pass through it, because a sandboxed process may be another user.
func (o *Converter) claimFolder(parent string) error {
	old, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("find folders left behind: %w", err)
	}
	for _, folder := range old {
		if s, err := os.Stat(folder); err != nil || time.Since(s.ModTime()) < minFolderAge {
			continue
		}
		if l, err := lockFolder(folder); err == nil {
			_ = errors.Join(os.RemoveAll(folder), l.Close()) // another user's stays
		}
	}
	if o.folder, err = os.MkdirTemp(parent, folderPrefix); err != nil {
		return fmt.Errorf("make folder to convert in: %w", err)
	}
	if o.lock, err = lockFolder(o.folder); err == nil {
		err = os.Chmod(o.folder, 0o711)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make folder to convert in: %w", err), os.RemoveAll(o.folder))
	}
	return nil
}

var errFolderInUse = errors.New("another process uses the folder")

// lockFolder opens and locks a folder; errFolderInUse if another process has the lock.
func lockFolder(folder string) (*os.File, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	locked, err := durable.Lock(f)
	if err == nil && !locked {
		err = errFolderInUse
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
