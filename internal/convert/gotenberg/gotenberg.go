// Package gotenberg converts Word documents with a Gotenberg service, which runs LibreOffice in its own container.
// What that container can reach is the responsibility of its operator; this package only bounds the result.
package gotenberg

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"segel/internal/convert"
)

// Options of a converter. URL and Client are required.
type Options struct {
	URL     string        // such as http://gotenberg:3000
	Client  *http.Client  // reaches the service
	Time    time.Duration // for one document. Default one minute
	MaxSize int64         // bytes of the PDF. Default 256 MiB
	PDFA    bool          // make PDF/A-2b
}

// Service converts with a Gotenberg service.
type Service struct{ o Options }

// New returns a converter that uses a Gotenberg service. The service is not called yet: it may be started later.
func New(o Options) (*Service, error) {
	if o.URL == "" || o.Client == nil {
		return nil, errors.New("a Gotenberg service needs an address and a client")
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	o.Time = cmp.Or(o.Time, time.Minute)
	o.MaxSize = cmp.Or(o.MaxSize, 256<<20)
	return &Service{o}, nil
}

// CheckAvailable implements [convert.Converter]. Whether the service is available only shows when it is called.
func (s *Service) CheckAvailable() error { return nil }

// CheckHealth asks the service whether it works.
func (s *Service) CheckHealth(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.o.URL+"/health", nil)
	if err != nil {
		return fmt.Errorf("address of the Gotenberg service: %w", err)
	}
	answer, err := s.o.Client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: status %s", convert.ErrUnavailable, answer.Status)
	}
	return nil
}

// FontFamilies implements [convert.Converter]. The service does not list its fonts.
func (s *Service) FontFamilies() []string { return nil }

// Convert implements [convert.Converter]. The document is streamed to the service and its PDF from it.
func (s *Service) Convert(ctx context.Context, kind convert.Kind, in io.Reader, out io.Writer) error {
	limited, cancel := context.WithTimeoutCause(ctx, s.o.Time, convert.ErrTooLong)
	defer cancel()
	body, written := io.Pipe()
	form := multipart.NewWriter(written)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		written.CloseWithError(s.writeForm(form, kind, in))
	}()
	defer func() {
		body.Close() // this ends a writer that still writes
		<-sent
	}()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, s.o.URL+"/forms/libreoffice/convert", body)
	if err != nil {
		return fmt.Errorf("address of the Gotenberg service: %w", err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	answer, err := s.o.Client.Do(request)
	if err != nil {
		return classifyError(limited, err)
	}
	defer answer.Body.Close()
	if err := checkStatus(answer); err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(answer.Body, s.o.MaxSize+1))
	if err != nil {
		return classifyError(limited, err)
	}
	if n > s.o.MaxSize {
		return convert.ErrTooLarge
	}
	return nil
}

// writeForm writes the form. The file's name is ours, because the service chooses its filter by the name.
func (s *Service) writeForm(form *multipart.Writer, kind convert.Kind, in io.Reader) error {
	if s.o.PDFA {
		if err := form.WriteField("pdfa", "PDF/A-2b"); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("files", "document."+string(kind))
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, in); err != nil {
		return err
	}
	return form.Close()
}

// classifyError distinguishes our timeout from the end of the caller's context, and both from a service that does not
// answer.
func classifyError(limited context.Context, err error) error {
	switch cause := context.Cause(limited); {
	case errors.Is(cause, convert.ErrTooLong):
		return convert.ErrTooLong
	case cause != nil:
		return cause
	}
	return fmt.Errorf("%w: %w", convert.ErrUnavailable, err)
}

// checkStatus checks the status: the service refuses what LibreOffice cannot read with a 400, and is overloaded with a
// 503.
func checkStatus(answer *http.Response) error {
	switch {
	case answer.StatusCode == http.StatusOK:
		return nil
	case answer.StatusCode == http.StatusRequestEntityTooLarge:
		return convert.ErrTooLarge
	case answer.StatusCode == http.StatusBadRequest, answer.StatusCode == http.StatusUnsupportedMediaType:
		why, _ := io.ReadAll(io.LimitReader(answer.Body, 512))
		return fmt.Errorf("%w: %s", convert.ErrUnreadable, bytes.TrimSpace(why))
	}
	return fmt.Errorf("%w: status %s", convert.ErrUnavailable, answer.Status)
}
