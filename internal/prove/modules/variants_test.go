package modules

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc"
	run "nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
)

// variantPasses are what spirv-opt makes other modules with: structure and variables come to the frontend as no compiler of
// GLSL or HLSL leaves them.
var variantPasses = []string{
	"--merge-return --private-to-local --ssa-rewrite --cfg-cleanup --merge-blocks",
	"--inline-entry-points-exhaustive --scalar-replacement=100 --convert-local-access-chains --eliminate-local-single-store --copy-propagate-arrays",
	"--loop-unroll --loop-peeling --loop-unswitch --if-conversion --ccp",
	"--loop-fission=4 --loop-fusion=8 --code-sink --combine-access-chains --redundancy-elimination",
	"--wrap-opkill --upgrade-memory-model --vector-dce --reduce-load-size --simplify-instructions --strength-reduction",
	"--replace-desc-array-access-using-var-index --interpolate-fixup --spread-volatile-semantics --eliminate-insert-extract --unify-const -O",
}

// TestVariantsAgree has the modules of a sample of the corpus rewritten by spirv-opt, whose authors are not ours, and runs both
// in the same worlds: they leave the same.
func TestVariantsAgree(t *testing.T) {
	tool, err := exec.LookPath("spirv-opt")
	if err != nil {
		t.Skip("spirv-opt is not installed")
	}
	list := prove.Corpus(t, append([]string{"*.spv", "*.spvasm"}, prove.GLSL...)...)
	if dir := os.Getenv("NIRC_MODULES"); dir != "" {
		list, _ = filepath.Glob(filepath.Join(dir, "*.spv"))
	}
	if len(list) == 0 {
		t.Skip("no corpus beside the repository")
	}
	same := 0
	step := max(1, len(list)/48)
	for i := 0; i < len(list); i += step {
		m, err := prove.LoadCorpus(t, list[i])
		if err != nil {
			continue
		}
		v, err := variant(t, tool, m, variantPasses[i/step%len(variantPasses)])
		if err != nil {
			t.Errorf("%s: %v", list[i], err)
			continue
		}
		for _, e := range m.EntryPoints() {
			if v == nil || e.Stage != ir.StageCompute && e.Stage != ir.StageFragment && e.Stage != ir.StageVertex {
				continue
			}
			switch diff, ok, err := variantDiffers(t, m, v, e); {
			case err != nil:
				t.Errorf("%s, %s: %v", list[i], e.Name, err)
			case diff != "":
				t.Errorf("%s, %s, after %s: %s", list[i], e.Name, variantPasses[i/step%len(variantPasses)], diff)
			case ok:
				same++
			}
		}
	}
	if t.Logf("%d shaders leave the same", same); same == 0 {
		t.Error("no shader was compared")
	}
}

// variant is what spirv-opt makes of a module, nil if it refuses.
func variant(t *testing.T, tool string, m *nirc.Module, passes string) (*nirc.Module, error) {
	in, out := filepath.Join(t.TempDir(), "in.spv"), filepath.Join(t.TempDir(), "out.spv")
	if err := os.WriteFile(in, m.Bytes(), 0o666); err != nil {
		return nil, err
	}
	if err := exec.Command(tool, append(strings.Fields(passes), in, "-o", out)...).Run(); err != nil {
		return nil, nil
	}
	return prove.Read(out)
}

// variantDiffers tells in what the variant of a shader leaves its world in another state than the shader; ok reports whether
// the two could be compared.
func variantDiffers(t *testing.T, m, v *nirc.Module, e nirc.EntryPoint) (diff string, ok bool, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	o := nirc.Options{Target: nirc.IRTarget, Entry: e.Name, Stage: e.Stage}
	s, err := nirc.Translate(ctx, m, o)
	if err != nil {
		return "", false, nil
	}
	c := &agreeCase{m: m, o: o, s: s}
	c.examine()
	if c.settle(ctx) != nil {
		return "", false, nil
	}
	p, _, err := run.Executable(ctx, v, o)
	if err != nil {
		return "", false, fmt.Errorf("the variant: %w", err)
	}
	got, err := c.run(ctx, p, 16*agreeBudget, agreeRun{})
	if err != nil {
		return "", false, fmt.Errorf("the variant: %w", err)
	}
	want, err := c.reference(ctx, p.WaveSize())
	if err != nil {
		return "", false, err
	}
	if diff = differ(want, got, c.tolerance()); diff != "" {
		a := &agreement{t: t}
		diff, _, err = a.difference(ctx, c, "variant", looseCopy(want), got, p.WaveSize())
	}
	return diff, err == nil, err
}
