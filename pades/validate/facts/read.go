package facts

import (
	"context"
	"fmt"
	"io"

	"segel/pdf"
)

func read(_ context.Context, r io.ReaderAt, size int64, o Options) (*File, error) {
	_, err := pdf.Open(r, size, pdf.Options{Limits: o.Limits.PDF, Password: o.Password, Repair: true})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return &File{Size: size}, nil
}
