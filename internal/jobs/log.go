package jobs

import (
	"context"
	"log/slog"
	"strings"
)

var discardLogger = slog.New(slog.DiscardHandler)

// warningHandler passes River's warnings on. This package logs the results of jobs itself.
type warningHandler struct{ slog.Handler }

func (h warningHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle drops records about cancelled contexts: when a runner stops, River logs one for each of its parts.
func (h warningHandler) Handle(ctx context.Context, r slog.Record) error {
	cut := false
	r.Attrs(func(a slog.Attr) bool {
		// River passes errors as text, sometimes as errors.
		cut = strings.Contains(a.Value.String(), context.Canceled.Error())
		return !cut
	})
	if cut {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h warningHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return warningHandler{h.Handler.WithAttrs(a)}
}
func (h warningHandler) WithGroup(name string) slog.Handler {
	return warningHandler{h.Handler.WithGroup(name)}
}
