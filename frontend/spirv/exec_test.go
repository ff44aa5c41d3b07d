package spirv_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/ir/interp"
)

// interpreter runs what the frontend makes as it is, on the IR interpreter.
type interpreter struct{}

func (interpreter) Name() string { return "ir" }

func (interpreter) Compile(_ context.Context, s amber.Shader) (emu.Program, error) {
	m, err := spv.ParseWords(s.Words)
	if err != nil {
		return nil, err
	}
	opts := spirv.Options{Entry: s.Entry, Stage: s.Stage, Debug: true}
	for _, v := range s.Spec {
		opts.Spec = append(opts.Spec, spirv.SpecValue{ID: v.ID, Bits: v.Bits})
	}
	sh, err := spirv.Translate(m, opts)
	if err == nil {
		err = ir.Validate(sh)
	}
	var fail *spirv.Error
	if errors.As(err, &fail) && fail.Unsupported {
		return nil, &amber.Unsupported{What: fail.Error()}
	}
	if err != nil {
		return nil, err
	}
	p, err := interp.New(sh, interp.Options{})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, &amber.Unsupported{What: err.Error()}
	}
	return p, err
}

// corpus returns the scripts of the corpus, or skips.
func scripts(t *testing.T) []string {
	dir := refs.Path(t)
	var list []string
	err := filepath.WalkDir(filepath.Join(dir, "corpus"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".amber") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Skip("no corpus: ", err)
	}
	return list
}

// TestExecute runs scripts of the corpus on the interpreter, whose results
// they check. NIRC_FULL=1 takes all, NIRC_SCRIPT those whose path has the text.
func TestExecute(t *testing.T) {
	list := scripts(t)
	full, want := os.Getenv("NIRC_FULL") == "1", os.Getenv("NIRC_SCRIPT")
	var some []string
	for i, p := range list {
		if want != "" && strings.Contains(p, want) || want == "" && (full || i%40 == 0) {
			some = append(some, p)
		}
	}
	b := amber.Batch{Runner: &amber.Runner{Target: interpreter{}}, Jobs: 2, Timeout: timeout(t)}
	n := map[amber.Verdict]int{}
	b.RunFiles(context.Background(), some, func(path string, r amber.Result) {
		if r.Verdict == amber.Fail && strings.Contains(r.Reason, "not supported by the interpreter") {
			r.Verdict = amber.Skip
		}
		n[r.Verdict]++
		switch {
		case r.Verdict == amber.Fail && r.Cause == amber.CauseCompile:
			t.Errorf("%s: %s", filepath.Base(path), r.Reason)
		case r.Verdict == amber.Fail:
			t.Errorf("%s:%d: %s", filepath.Base(path), r.Line, r.Reason)
		case r.Verdict == amber.Skip && os.Getenv("NIRC_VERBOSE") != "":
			t.Logf("%s: skipped: %s", filepath.Base(path), r.Reason)
		}
	})
	t.Logf("%d scripts pass, %d are skipped, %d fail", n[amber.Pass], n[amber.Skip], n[amber.Fail])
}

// timeout is the time a script may take: NIRC_TIMEOUT, else 20 seconds.
func timeout(t *testing.T) time.Duration {
	s := os.Getenv("NIRC_TIMEOUT")
	if s == "" {
		return 20 * time.Second
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
