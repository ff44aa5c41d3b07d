package texts

import (
	"context"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/prove"
	"nirc/passes"
)

// byteCounts is what became of the entry points of modules on a target.
type byteCounts struct{ compiled, refused, equal int }

// TestCorpusBytes compiles the corpus for each target: modules, assembly, and GLSL
// where glslangValidator is there. What the frontend takes compiles or is refused by a
// diagnostic, and the listing of what compiles assembles to the same bytes. It takes a
// sample; NIRC_FULL=1 takes all.
func TestCorpusBytes(t *testing.T) {
	list := prove.Corpus(t, append([]string{"*.spv", "*.spvasm"}, prove.GLSL...)...)
	if len(list) == 0 {
		t.Skip("no corpus beside the repository")
	}
	step := 1
	if !prove.Full() {
		step = max(1, len(list)/60)
	}
	targets := []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}}
	counts := make([]byteCounts, len(targets))
	modules, unread := 0, 0
	for i := 0; i < len(list); i += step {
		m, err := prove.LoadCorpus(t, list[i])
		if err != nil {
			unread++
			continue
		}
		modules++
		for k, o := range targets {
			o.Level = passes.O2
			for _, e := range m.EntryPoints() {
				o.Entry, o.Stage = e.Name, e.Stage
				counts[k].add(t, m, o)
			}
		}
	}
	t.Logf("%d modules, %d files that are none", modules, unread)
	for k, o := range targets {
		c := &counts[k]
		t.Logf("%s %s: %d entry points compiled, %d refused by a diagnostic, %d with equal bytes", o.Target, o.GPU, c.compiled, c.refused, c.equal)
		if c.compiled == 0 && modules > 0 {
			t.Errorf("nothing compiles for %s %s", o.Target, o.GPU)
		}
	}
}

func (c *byteCounts) add(t *testing.T, m *nirc.Module, o nirc.Options) {
	t.Helper()
	obj, err := m.Compile(context.Background(), o)
	if err != nil {
		c.refused++
		if !prove.IsRefusal(m, o, err) {
			t.Errorf("%s, %s: no refusal: %v", m.Name, o.Target, err)
		}
		return
	}
	c.compiled++
	b, err := nirc.Backend(obj.Target)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := b.Disassemble(obj.GPU, obj.Code)
	if err != nil {
		t.Errorf("%s, %s: %v", m.Name, o.Target, err)
		return
	}
	var text strings.Builder
	for i := range lines {
		if l := &lines[i]; l.Label != "" {
			text.WriteString(l.Label + ":\n")
		}
		text.WriteString("    " + lines[i].Text + "\n")
	}
	code, err := b.Assemble(obj.GPU, text.String())
	switch {
	case err != nil:
		t.Errorf("%s, %s: the listing does not assemble: %v", m.Name, o.Target, err)
	case string(code) != string(obj.Code):
		t.Errorf("%s, %s: the listing assembles to other bytes", m.Name, o.Target)
	default:
		c.equal++
	}
}
