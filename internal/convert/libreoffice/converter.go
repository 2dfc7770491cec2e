package libreoffice

import (
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
)

// Options say how to convert. The zero value of a member means its default.
type Options struct {
	Program  string // soffice; default: the one in PATH
	Folder   string // where the folders of processes are made; default: that of temporary files
	Spare    int    // processes that wait for documents. Default 2
	PDFA     bool   // make PDF/A-2b
	Unfenced bool   // run LibreOffice without namespaces and limits
	Limits   Limits
	Log      *slog.Logger // default: nothing is logged
}

// Office converts with LibreOffice.
type Office struct {
	fence   *fence
	options string // of the PDF
	folder  string
	lock    *os.File // held while folder is ours
	log     *slog.Logger

	proved   chan struct{} // closed when it is known whether the fence and the program in it work
	missing  error         // written before that: why they do not
	families []string      // likewise

	spare   chan *process // processes that are ready, or a nil for one that has to be started
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup // who starts processes
}

var _ convert.Converter = (*Office)(nil)

// startWait is how long a process may take until it is ready, on a machine that has much else to do.
const startWait = time.Minute

// Open finds LibreOffice and the fence, and proves that they work together by converting a document of ours. The
// error says what is missing, in words for the operator.
func Open(ctx context.Context, o Options) (*Office, error) {
	of, err := Prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	select {
	case <-of.proved:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), of.Close())
	}
	if of.missing != nil {
		return nil, errors.Join(of.missing, of.Close())
	}
	return of, nil
}

// Prepare is Open that does not wait for the proof: [Office.Missing] tells what it came to, and documents wait for it.
func Prepare(ctx context.Context, o Options) (*Office, error) {
	if o.Spare == 0 {
		o.Spare = 2
	}
	if o.Folder == "" {
		o.Folder = os.TempDir()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f, err := findFence(o.Program, o.Unfenced, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	of := &Office{fence: f, options: exportOptions(o.PDFA), log: o.Log, proved: make(chan struct{}), spare: make(chan *process, o.Spare)}
	if err := of.claimFolder(o.Folder); err != nil {
		return nil, err
	}
	of.ctx, of.cancel = context.WithCancel(context.WithoutCancel(ctx))
	of.workers.Go(func() { of.prove(o.Spare) })
	return of, nil
}

// prove starts the first process, and the others when it is ready.
func (o *Office) prove(spare int) {
	defer close(o.proved)
	o.families = families(o.ctx)
	first, err := o.ready(o.ctx)
	if err != nil {
		o.missing = o.fence.cannot(err)
		if o.ctx.Err() == nil {
			o.log.WarnContext(o.ctx, "Word documents will be refused", "reason", o.missing)
		}
		return
	}
	o.spare <- first
	for range spare - 1 {
		o.replace(nil)
	}
}

// Missing implements [convert.Converter].
func (o *Office) Missing() error {
	select {
	case <-o.proved:
	default:
		return nil
	}
	if o.missing != nil {
		return fmt.Errorf("%w: %w", convert.ErrMissing, o.missing)
	}
	return nil
}

// cannot says why the fence or the program in it does not work.
func (f *fence) cannot(err error) error {
	if !f.fenced() {
		return fmt.Errorf("LibreOffice does not start: %w", err)
	}
	return fmt.Errorf("LibreOffice does not start inside its fence (are user namespaces permitted on this machine?): %w", err)
}

// Families implements [convert.Converter].
func (o *Office) Families() []string {
	<-o.proved // at most as long as a process may take to start
	return o.families
}

// Convert implements [convert.Converter].
//
// The process that converted is killed, whatever came of it. One that ends by itself has met a limit or a mistake of
// its own; that may have been the machine's fault, so a second one gets the document too.
func (o *Office) Convert(ctx context.Context, kind convert.Kind, in io.Reader, out io.Writer) error {
	if filters[kind] == "" {
		return fmt.Errorf("%w: no filter for %q", convert.ErrUnreadable, kind)
	}
	p, err := o.take(ctx)
	if err != nil {
		return err
	}
	defer o.replace(p) // at the end, when it does not take the processor from the conversion
	name := "document." + string(kind)
	if _, err := p.job.put(name, in); err != nil {
		return err
	}
	err = o.convert(ctx, p, kind, name, out)
	if errors.Is(err, errNoAnswer) {
		o.log.WarnContext(ctx, "LibreOffice ended while it converted", "said", p.said.String())
		err = o.again(ctx, p, kind, name, out)
	}
	if errors.Is(err, errNoAnswer) {
		return fmt.Errorf("%w: %w", convert.ErrUnreadable, err)
	}
	return err
}

// again gives the document of a process that ended to a new one.
func (o *Office) again(ctx context.Context, ended *process, kind convert.Kind, name string, out io.Writer) error {
	p, err := o.ready(ctx)
	if err != nil {
		return err
	}
	defer o.end(p)
	f, err := os.Open(filepath.Join(ended.job.folder, ended.job.in, name))
	if err != nil {
		return fmt.Errorf("hand over document again: %w", err)
	}
	defer f.Close()
	if _, err = p.job.put(name, f); err != nil {
		return err
	}
	return o.convert(ctx, p, kind, name, out)
}

func (o *Office) convert(ctx context.Context, p *process, kind convert.Kind, name string, out io.Writer) error {
	limits := o.fence.limits
	ctx, stop := context.WithTimeoutCause(ctx, limits.Time, convert.ErrTooLong)
	defer stop()
	ctx, done := p.job.watch(ctx, 2*limits.Output)
	defer done()
	err := p.convert(ctx, kind, name, o.options, out)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// take returns a process that is ready.
func (o *Office) take(ctx context.Context) (*process, error) {
	select {
	case <-o.proved:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := o.Missing(); err != nil {
		return nil, err
	}
	select {
	case p := <-o.spare:
		if p != nil {
			return p, nil
		}
	case <-o.ctx.Done():
		return nil, fmt.Errorf("%w: it was closed", convert.ErrUnavailable)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := o.ready(ctx)
	if err != nil {
		o.spare <- nil
		return nil, fmt.Errorf("%w: %w", convert.ErrUnavailable, err)
	}
	return p, nil
}

// replace ends a process and starts another in its place; the first of all replaces none. When the start fails,
// whoever takes it tries again.
func (o *Office) replace(old *process) {
	o.workers.Go(func() {
		if old != nil {
			o.end(old)
		}
		p, err := o.ready(o.ctx)
		if err != nil && o.ctx.Err() == nil {
			o.log.WarnContext(o.ctx, "LibreOffice does not start", "error", err)
		}
		o.spare <- p
	})
}

// end kills a process. What it leaves behind is a matter of the disk only.
func (o *Office) end(p *process) {
	if err := p.end(); err != nil {
		o.log.WarnContext(o.ctx, "remove what LibreOffice left", "error", err)
	}
}

// ready starts a process and warms it up.
func (o *Office) ready(ctx context.Context) (*process, error) {
	p, err := o.fence.start(o.folder)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	if err := p.warm(ctx, o.options); err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

// Close ends the processes that wait and removes all folders. Conversions under way have to be over.
func (o *Office) Close() error {
	o.cancel()
	o.workers.Wait()
	var errs []error
	for {
		select {
		case p := <-o.spare:
			if p != nil {
				errs = append(errs, p.end())
			}
			continue
		default:
		}
		break
	}
	errs = append(errs, os.RemoveAll(o.folder), o.lock.Close())
	return errors.Join(errs...)
}

// exportOptions are what the PDF is to be. A contract is paper: what could be filled in later is not exported.
func exportOptions(pdfa bool) string {
	version := "17" // PDF 1.6 or newer, or the stamp office would rewrite it
	if pdfa {
		version = "2" // PDF/A-2b
	}
	return `:{"SelectPdfVersion":{"type":"long","value":"` + version + `"},"ExportFormFields":{"type":"boolean","value":"false"},"UseTaggedPDF":{"type":"boolean","value":"true"}}`
}

// families asks fontconfig for the names of fonts; nil where it is not there.
func families(ctx context.Context) []string {
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
