package jobs

import (
	"context"
	"log/slog"
	"strings"
)

var discardLogger = slog.New(slog.DiscardHandler)

// warningHandler lets through what River warns of. What became of a job, this room logs itself.
type warningHandler struct{ slog.Handler }

func (h warningHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle leaves out what was merely cut off: a runner that is stopped says of each of its parts that it could not go
// on.
func (h warningHandler) Handle(ctx context.Context, r slog.Record) error {
	cut := false
	r.Attrs(func(a slog.Attr) bool {
		// River hands on errors as text, now and then as they are.
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
