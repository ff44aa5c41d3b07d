package amber

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Batch says how RunFiles runs its scripts.
type Batch struct {
	Runner *Runner
	// Jobs is how many scripts run at a time; less than 1 counts as 1.
	Jobs int
	// Timeout limits each script; 0 does not.
	Timeout time.Duration
}

// RunFiles runs scripts and calls done for each in the order of paths, on the
// calling goroutine and as soon as the order allows. When ctx ends, the scripts
// left fail with its error.
func (b *Batch) RunFiles(ctx context.Context, paths []string, done func(path string, r Result)) {
	jobs := max(1, min(b.Jobs, len(paths)))
	results := make([]chan Result, len(paths))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	var wg sync.WaitGroup
	next := make(chan int)
	for range jobs {
		wg.Go(func() {
			for i := range next {
				results[i] <- b.RunFile(ctx, paths[i])
			}
		})
	}
	wg.Go(func() {
		for i := range paths {
			next <- i
		}
		close(next)
	})
	for i, path := range paths {
		done(path, <-results[i])
	}
	wg.Wait()
}

// errScriptTimeout is the cause of a context that a batch's Timeout ended.
var errScriptTimeout = errors.New("the script's time is up")

// readScript reads a script, of one that is too large as much as Parse needs to say so.
func readScript(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxScriptBytes+1))
}

// RunFile runs one script. A script whose name says expect_fail passes if
// an expectation or the parser fails it.
func (b *Batch) RunFile(ctx context.Context, path string) (r Result) {
	defer func() {
		// A bug in the emulator or a target must not end the other scripts.
		if x := recover(); x != nil {
			r = Result{Verdict: Fail, Cause: CauseRun, Reason: fmt.Sprintf("internal error: %v at %s", x, panicSite(debug.Stack()))}
		}
	}()
	if b.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.Timeout, errScriptTimeout)
		defer cancel()
	}
	src, err := readScript(path)
	if err != nil {
		return Result{Verdict: Fail, Cause: CauseRun, Reason: err.Error()}
	}
	if line, name := templateLine(src); name != "" {
		return Result{Verdict: Skip, Line: line, Reason: "a template: " + name + " stands for text that a generator fills in"}
	}
	s, err := Parse(path, src)
	if err != nil {
		r = resultOf(err, 0)
	} else {
		r = b.Runner.Run(ctx, s)
	}
	if strings.Contains(filepath.Base(path), "expect_fail") {
		return r.inverted()
	}
	return r
}

// templateLine finds a line that is nothing but a name in braces, which no
// script has but the templates that scripts are generated from.
func templateLine(src []byte) (line int, name string) {
	for l := range bytes.Lines(src) {
		line++
		l = bytes.TrimSpace(l)
		if n := len(l); n > 2 && l[0] == '{' && l[n-1] == '}' && !bytes.ContainsAny(l[1:n-1], " {};,") {
			return line, string(l)
		}
	}
	return 0, ""
}

// inverted is the result of a script that is meant to fail.
func (r Result) inverted() Result {
	switch {
	case r.Verdict == Pass:
		return Result{Verdict: Fail, Cause: CauseExpectation, Reason: "passes but is meant to fail", Checked: r.Checked}
	case r.Verdict == Fail && (r.Cause == CauseParse || r.Cause == CauseExpectation):
		return Result{Verdict: Pass, Checked: r.Checked}
	}
	return r
}

// panicSite picks the function that panicked from a stack trace.
func panicSite(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+3 < len(lines) {
			site := strings.TrimSpace(lines[i+3])
			site, _, _ = strings.Cut(site, " +")
			return filepath.Base(filepath.Dir(site)) + "/" + filepath.Base(site)
		}
	}
	return "unknown place"
}

// noted is what a line says of the notes: the first, and how many there are.
func (r *Result) noted() string {
	switch n := len(r.Notes); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (line %d: %s)", r.Notes[0].Line, r.Notes[0].Text)
	default:
		return fmt.Sprintf(" (line %d and %d more: %s)", r.Notes[0].Line, n-1, r.Notes[0].Text)
	}
}

// WriteResult writes the line of a script: its verdict, its path and why.
func WriteResult(w io.Writer, path string, r Result) error {
	if r.Verdict == Pass {
		_, err := fmt.Fprintf(w, "%s %s%s\n", r.Verdict, path, r.noted())
		return err
	}
	why := strings.Join(strings.Fields(r.Reason), " ")
	if r.Line > 0 {
		why = fmt.Sprintf("line %d: %s", r.Line, why)
	}
	_, err := fmt.Fprintf(w, "%s %s: %s\n", r.Verdict, path, why)
	return err
}

// Summary counts verdicts.
type Summary struct {
	Pass, Fail, Skip int
	// Checked counts the expectations that were evaluated and true.
	Checked int
	// Loose counts those that hold only as Amber counts tolerances.
	Loose int
}

// Add counts a result.
func (s *Summary) Add(r Result) {
	s.Checked += r.Checked
	s.Loose += len(r.Notes)
	switch r.Verdict {
	case Pass:
		s.Pass++
	case Skip:
		s.Skip++
	default:
		s.Fail++
	}
}

// Write writes the summary line.
func (s *Summary) Write(w io.Writer) error {
	loose := ""
	if s.Loose > 0 {
		loose = fmt.Sprintf(", %d for want of a tolerance that checks", s.Loose)
	}
	_, err := fmt.Fprintf(w, "%d scripts: %d pass, %d fail, %d skip; %d expectations true%s\n", s.Pass+s.Fail+s.Skip, s.Pass, s.Fail, s.Skip, s.Checked, loose)
	return err
}
