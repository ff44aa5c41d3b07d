package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"nirc"
	"nirc/internal/annotate"

	"github.com/fatih/color"
)

// Exit codes.
const (
	exitDone     = 0
	exitRefused  = 1
	exitUsage    = 2
	exitIO       = 3
	exitInternal = 5
	exitStopped  = 130 // by Ctrl-C or SIGTERM: 128 and SIGINT's number, as the shell has it
)

// exitCode maps an error to the program's exit code; of several errors joined
// the gravest counts.
func exitCode(err error) int {
	var (
		internal *nirc.InternalError
		inout    *nirc.IOError
		path     *fs.PathError
		usage    *nirc.UsageError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &internal):
		return exitInternal
	case errors.Is(err, context.Canceled):
		return exitStopped
	case errors.As(err, &inout), errors.As(err, &path):
		return exitIO
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitRefused
}

// errReported is the error of a run whose errors have been written already.
type errReported struct{ code error }

func (e errReported) Error() string { return e.code.Error() }
func (e errReported) Unwrap() error { return e.code }

// reporter writes diagnostics.
type reporter struct {
	w     io.Writer
	json  bool
	paint [nirc.SeverityNote + 1]*color.Color

	files  []reportFile     // of --report
	all    nirc.Diagnostics // kept for them
	suites []annotate.Suite // of nirc amber, kept for JUnit's form
}

// setup sets the form and the colours.
func (r *reporter) setup(format, colors string) error {
	switch format {
	case "text":
	case "json":
		r.json = true
	default:
		return nirc.Usagef("--diagnostics-format %s: want text or json", format)
	}
	on := colors == "always"
	switch colors {
	case "always", "never":
	case "auto":
		f, ok := r.w.(*os.File)
		on = ok && os.Getenv("NO_COLOR") == "" && isTerminal(f)
	default:
		return nirc.Usagef("--color %s: want auto, always or never", colors)
	}
	if on {
		r.paint = [...]*color.Color{color.New(color.FgRed, color.Bold), color.New(color.FgYellow, color.Bold), color.New(color.FgCyan)}
		for _, c := range r.paint {
			c.EnableColor()
		}
	}
	return nil
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// error writes an error; diagnostics one a line.
func (r *reporter) error(err error) {
	var done errReported
	if errors.As(err, &done) {
		return
	}
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			r.error(e)
		}
		return
	}
	var list nirc.Diagnostics
	if !errors.As(err, &list) {
		msg := err.Error()
		if errors.Is(err, context.Canceled) {
			msg = "interrupted"
		}
		list = nirc.Diagnostics{{Msg: msg}}
	}
	r.diagnostics(list)
	var internal *nirc.InternalError
	if errors.As(err, &internal) && internal.Stack != nil && os.Getenv("NIRC_BACKTRACE") != "" {
		fmt.Fprintf(r.w, "%s\n", internal.Stack)
	}
}

// diagnostics writes a list.
func (r *reporter) diagnostics(list nirc.Diagnostics) {
	if len(r.files) > 0 {
		r.all = append(r.all, list...)
	}
	if r.json {
		list.WriteJSON(r.w)
		return
	}
	for i := range list {
		text := list[i].Text(func(s nirc.Severity, t string) string {
			if c := r.paint[s]; c != nil {
				return c.Sprint(t)
			}
			return t
		})
		if list[i].File == "" {
			text = "nirc: " + text
		}
		fmt.Fprintln(r.w, text)
	}
}

// interrupted reports whether an error is that of a run that was stopped.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// reportFile is a file that gets all diagnostics when the run ends.
type reportFile struct {
	form *annotate.Form // nil is JUnit's, of tests and not of diagnostics
	path string
}

// junitForm is the form of --report that only nirc amber has.
const junitForm = "junit"

// reports reads --report, FORM=FILE each.
func (r *reporter) reports(list []string, tests bool) error {
	names := annotate.Names()
	if tests {
		names = append(names, junitForm)
	}
	for _, text := range list {
		name, path, ok := strings.Cut(text, "=")
		form := annotate.Find(name)
		if name == junitForm && !tests {
			return nirc.Usagef("--report %s: it is of tests, and only nirc amber runs tests", text)
		}
		if !ok || !slices.Contains(names, name) || path == "" {
			return nirc.Usagef("--report %s: want FORM=FILE, FORM one of %s", text, strings.Join(names, ", "))
		}
		r.files = append(r.files, reportFile{form, path})
	}
	return nil
}

// writeReports writes the files of --report.
func (a *app) writeReports() error {
	var errs []error
	for _, f := range a.report.files {
		var data []byte
		var err error
		if f.form == nil {
			data, err = annotate.JUnit(a.report.suites)
		} else {
			data, err = f.form.Write(a.report.all, nirc.Version)
		}
		if err == nil {
			err = a.writeFile(f.path, data)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
