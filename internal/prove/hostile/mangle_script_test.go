package hostile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/mangle"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// mangledScripts lists scripts: ours, and a sample of the corpus where it is
// there. In long runs all that has a size for it.
func mangledScripts(t *testing.T, long bool) []string {
	list, err := filepath.Glob(prove.Data("*.amber"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	dir, err := refs.Find("corpus")
	if err != nil {
		return list
	}
	var more []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && (ext == ".amber" || ext == ".vkscript") {
			if info, err := d.Info(); err == nil && info.Size() < 32<<10 {
				more = append(more, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	step := max(1, len(more)/30)
	if long {
		step = 1
	}
	for i := 0; i < len(more); i += step {
		list = append(list, more[i])
	}
	return list
}

// TestMangledScripts runs scripts that are changed here and there on all targets.
func TestMangledScripts(t *testing.T) {
	run := mangle.NewRun(t, 60, 4)
	files := mangledScripts(t, run.Long())
	texts := map[string]string{}
	var cache amber.ModuleCache
	targets := []string{nirc.IRTarget, "ir3", "agx", "midgard"}
	if only := os.Getenv("NIRC_MANGLE_TARGET"); only != "" {
		targets = []string{only}
	}
	parsed, passed, n := 0, 0, 0
	for seed, r := range run.Inputs() {
		name, target := files[r.IntN(len(files))], targets[r.IntN(len(targets))]
		text, ok := texts[name]
		if !ok {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text = string(src)
			texts[name] = text
		}
		mangled := mangle.NewOpen(text, nil).Mangled(r)
		n++
		run.Try(fmt.Sprintf("%s-%s-%d%s", target, filepath.Base(name), seed, filepath.Ext(name)), []byte(mangled), fuzzLimit, func() string {
			s, err := amber.Parse(name, []byte(mangled))
			if err != nil {
				if at := (*amber.ParseError)(nil); !errors.As(err, &at) || at.Line < 1 {
					return fmt.Sprintf("%q names no line", err)
				}
				return ""
			}
			parsed++
			x, err := exec.AmberTarget(nirc.Options{Target: target, Level: passes.O2, Run: passes.RunOptions{VerifyEach: true}})
			if err != nil {
				t.Fatal(err)
			}
			// Time that is up is no fault: the scripts of the corpus are long.
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			res := (&amber.Runner{Target: x, Strict: true, Limits: emu.Limits{Budget: 1 << 21, Check: true}, Modules: &cache}).Run(ctx, s)
			switch {
			case res.Verdict == amber.Pass:
				passed++
			case strings.TrimSpace(res.Reason) == "":
				return "a script does not pass, and no reason is given"
			case strings.Contains(res.Reason, "internal error"), strings.Contains(res.Reason, "runtime error"):
				return res.Reason
			}
			return ""
		})
	}
	t.Logf("%d of %d scripts parsed, %d of them passed", parsed, n, passed)
	if parsed == 0 || parsed == n || passed == 0 || passed == n {
		t.Errorf("%d of %d scripts parsed, %d passed", parsed, n, passed)
	}
}
