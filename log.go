package nirc

import (
	"context"
	"log/slog"
	"time"
)

// generateStage is the name of the stage that makes machine code.
const generateStage = "generate"

// tell says to Options.Log how a stage of the compile ended that began at a time.
func (u *Unit) tell(ctx context.Context, stage string, began time.Time, err *error) {
	level := slog.LevelDebug
	if stage == generateStage && *err == nil {
		level = slog.LevelInfo
	}
	if !u.opts.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{slog.String("file", u.opts.File), slog.String("target", u.opts.Target)}
	if u.opts.GPU != "" {
		attrs = append(attrs, slog.String("gpu", u.opts.GPU))
	}
	if u.Shader != nil {
		attrs = append(attrs, slog.String("entry", u.Shader.Name), slog.String("stage", u.Shader.Stage.String()))
	}
	attrs = append(attrs, slog.Duration("time", time.Since(began)))
	if *err != nil {
		attrs = append(attrs, slog.Any("error", *err))
	}
	u.opts.Log.LogAttrs(ctx, level, stage, attrs...)
}
