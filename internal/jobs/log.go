package jobs

import (
	"context"
	"log/slog"
)

var discard = slog.New(slog.DiscardHandler)

// warnings lets through what River warns of. What became of a job, this room logs itself.
type warnings struct{ slog.Handler }

func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h warnings) WithAttrs(a []slog.Attr) slog.Handler { return warnings{h.Handler.WithAttrs(a)} }
func (h warnings) WithGroup(name string) slog.Handler   { return warnings{h.Handler.WithGroup(name)} }
