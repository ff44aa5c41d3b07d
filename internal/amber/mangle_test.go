package amber

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"nirc/internal/emu"
	"nirc/internal/mangle"
	"nirc/internal/refs"
	"nirc/ir"
)

// anyTarget has a program for every shader.
type anyTarget struct{}

func (anyTarget) Name() string { return "any" }

func (anyTarget) Compile(_ context.Context, s Shader) (emu.Program, error) {
	switch s.Stage {
	case ir.StageCompute:
		return increment(), nil
	case ir.StageVertex:
		return vertexPass(), nil
	case ir.StageFragment:
		return orange(), nil
	}
	return nil, &Unsupported{"stage " + s.Stage.String()}
}

// mangleSources are scripts of both languages that need no compiler of GLSL, and
// a sample of the corpus where it is there.
func mangleSources(t *testing.T) []string {
	list := []string{computeScript, rectScript, vkGraphics}
	if _, err := refs.Find("corpus"); err != nil {
		return list
	}
	files := scripts(t, ".amber", ".vkscript")
	for i := 0; i < len(files); i += max(1, len(files)/150) {
		src, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(src) < 16<<10 {
			list = append(list, string(src))
		}
	}
	return list
}

// TestMangledScripts parses scripts that are changed here and there, and runs
// them with programs in Go: whatever sizes, offsets and states a script asks
// for, it ends, in bounded memory, with a reason if it does not pass.
func TestMangledScripts(t *testing.T) {
	list := mangleSources(t)
	run, parsed, passed, n := mangle.NewRun(t, 500, 8), 0, 0, 0
	for seed, r := range run.Inputs() {
		n++
		text := list[r.IntN(3)] // ours
		if r.IntN(2) == 0 {
			text = list[r.IntN(len(list))]
		}
		text = mangledScript(text, r)
		run.Try(fmt.Sprintf("%d.amber", seed), []byte(text), 10*time.Second, func() string {
			s, err := Parse("mangled", []byte(text))
			if err != nil {
				if at := (*ParseError)(nil); !errors.As(err, &at) || at.Line < 1 || at.Msg == "" {
					return fmt.Sprintf("%q names no line", err)
				}
				return ""
			}
			parsed++
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			res := (&Runner{Target: anyTarget{}, Strict: true, Glslang: "none", Limits: emu.Limits{Budget: 1 << 20}}).Run(ctx, s)
			switch {
			case res.Verdict == Pass:
				passed++
			case res.Reason == "":
				return "a script does not pass, and no reason is given"
			}
			return ""
		})
	}
	t.Logf("%d of %d scripts parsed, %d passed", parsed, n, passed)
	if parsed == 0 || parsed == n || passed == 0 {
		t.Errorf("%d of %d scripts parsed, %d passed", parsed, n, passed)
	}
}

// mangledScript changes a script, leaving its shaders be mostly: their lines
// would be most of what changes.
func mangledScript(text string, r *rand.Rand) string {
	at := strings.LastIndex(text, "\nEND\n")
	if first := strings.Index(text, "\nBUFFER "); first >= 0 {
		at = first
	} else if first := strings.Index(text, "\nPIPELINE "); first >= 0 {
		at = first
	}
	if at < 0 || r.IntN(8) == 0 {
		return mangle.NewOpen(text, nil).Mangled(r)
	}
	return text[:at+1] + mangle.NewOpen(text[at+1:], nil).Mangled(r)
}
