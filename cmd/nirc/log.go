package main

import "log/slog"

// logger writes to standard error, above a bar if there is one, what compiles say under --verbose.
func (a *app) logger() *slog.Logger {
	plain := func(groups []string, at slog.Attr) slog.Attr {
		if len(groups) == 0 && at.Key == slog.TimeKey && at.Value.Kind() == slog.KindTime { // not how long it took
			return slog.Attr{}
		}
		return at
	}
	return slog.New(slog.NewTextHandler(currentErr{a}, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: plain}))
}

// currentErr is standard error, whatever it is at the moment of a write.
type currentErr struct{ a *app }

func (w currentErr) Write(b []byte) (int, error) { return w.a.err.Write(b) }
