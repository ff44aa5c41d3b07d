package code

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/mangle"
	"nirc/ir"
	"nirc/passes"
)

// nearlyTargets are the chips whose code generators are asked.
var nearlyTargets = []nirc.Options{
	{Target: "ir3", GPU: "a630", Level: passes.O2},
	{Target: "ir3", GPU: "a750", Level: passes.O2},
	{Target: "agx", Level: passes.O2},
	{Target: "midgard", GPU: "t860", Level: passes.O2},
}

// nearlyText is how much text of a shader is made: small shaders are changed more often than large ones.
const nearlyText = 40 << 10

// TestCodeNearly gives code generators what passes leave of our shaders, with a few changes, which most conditions and refusals of theirs
// say something about: their code, or what they say, is that of the table, or a change means to change it (go generate).
func TestCodeNearly(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "passes", "testdata", "words.txt"))
	if err != nil {
		t.Fatal(err)
	}
	operations, intrinsics, _ := strings.Cut(string(data), "\n")
	words := mangle.NewWords(strings.Fields(operations), strings.Fields(intrinsics))
	rows := map[string]string{}
	for _, g := range append(forms(t), texts(t)) {
		for _, o := range nearlyTargets {
			x := reading{sum: sha256.New()}
			for _, mod := range g.modules {
				x.nearly(t, mod, o, words)
			}
			rows[fmt.Sprintf("nearly %s %s\t%s %s", g.name, g.digest, o.Target, o.GPU)] = x.row()
		}
	}
	compareRows(t, "nearly", rows)
}

// nearly generates code of what is nearly the shaders of a module.
func (f *reading) nearly(t *testing.T, mod module, o nirc.Options, words *mangle.Words) {
	m, err := nirc.Load(mod.data, mod.name)
	if err != nil {
		f.refuse(err)
		return
	}
	for _, e := range m.EntryPoints() {
		o.Entry, o.Stage = e.Name, e.Stage
		s, err := nirc.Translate(context.Background(), m, o)
		if err == nil {
			err = nirc.Optimize(context.Background(), s, o)
		}
		if err != nil {
			f.refuse(err)
			continue
		}
		text := ir.Print(s)
		r := rand.New(rand.NewPCG(uint64(len(text)), 0))
		x := mangle.New(text, words)
		n := max(1, min(16, nearlyText/len(text)))
		for tries := 0; n > 0 && tries < 120; tries++ {
			if f.generate(t, x.Mangled(r), s.Options, o) {
				n--
			}
		}
	}
}

// generate generates code of a text, and reports whether it is a shader.
func (f *reading) generate(t *testing.T, text string, wishes *ir.Options, o nirc.Options) bool {
	s, err := ir.Parse(text)
	if err != nil || ir.Validate(s) != nil {
		return false // that is what TestTexts is about
	}
	f.texts++
	s.Options = wishes
	obj, err := nirc.Generate(context.Background(), s, o)
	if internal := (*nirc.InternalError)(nil); errors.As(err, &internal) {
		t.Errorf("%s: %v\n%s", o.Target, err, text)
	}
	if err != nil {
		f.refuse(err)
		return true
	}
	f.compiled++
	f.bytes += len(obj.Code)
	f.sum.Write(facts(t, obj))
	return true
}
