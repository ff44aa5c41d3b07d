package cache

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/internal/refs"
)

// samples are modules of the repository and, if it is there, of the corpus.
func samples(t testing.TB) []*nirc.Module {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("..", "testdata", "*.spv"))
	if dir, err := refs.Find("corpus"); err == nil {
		for _, pattern := range []string{"*.spv", "*/*.spv", "*/*/*.spv", "*/*/*/*.spv"} {
			more, _ := filepath.Glob(filepath.Join(dir, pattern))
			files = append(files, more...)
		}
	}
	var list []*nirc.Module
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := nirc.Load(data, name); err == nil && m.SPIRV != nil {
			list = append(list, m)
		}
	}
	if len(list) < 4 {
		t.Fatalf("only %d modules", len(list))
	}
	return list
}

// What idWordsOf knows of an instruction is what Decode knows.
func TestIDWords(t *testing.T) {
	n, all := 0, 0
	for _, m := range samples(t) {
		for i := range m.SPIRV.Insts {
			in := &m.SPIRV.Insts[i]
			all++
			glsl := spv.ID(0)
			if in.Op == spv.OpExtInst {
				if name, _ := m.SPIRV.Def(in.IDArg(0)).StringArg(0); name == "GLSL.std.450" {
					glsl = in.IDArg(0)
				}
			}
			w, known := idWordsOf(in, glsl)
			if !known {
				continue
			}
			n++
			var got, want []int
			for k := 1; k < len(in.Words); k++ {
				if w.is(k) {
					got = append(got, k)
				}
			}
			operands, err := m.SPIRV.Decode(nil, in)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range operands {
				if o.Kind.IsID() {
					want = append(want, int(o.Start))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %s: ids at %v, want %v", m.Name, in.Op, got, want)
			}
		}
	}
	if n < all*3/4 {
		t.Errorf("only %d of %d instructions are known", n, all)
	}
}

// The canonical form is a module that is its own canonical form and compiles to the same object.
func TestCanonicalObjects(t *testing.T) {
	list := samples(t)
	for i, m := range list {
		if i%max(1, len(list)/60) != 0 {
			continue
		}
		words, number := canonical(m.SPIRV)
		again, err := nirc.Load(words, m.Name)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		if !bytes.Equal(words, Canonical(again.SPIRV)) {
			t.Errorf("%s: the canonical form is not its own", m.Name)
		}
		if number != nil && len(again.SPIRV.Insts) == 0 {
			t.Errorf("%s: nothing is left", m.Name)
		}
		for _, e := range m.EntryPoints() {
			var objs [2][]byte
			for k, m := range []*nirc.Module{m, again} {
				if o, err := m.Compile(context.Background(), nirc.Options{Level: 2, Entry: e.Name, Stage: e.Stage}); err == nil {
					objs[k], _ = o.Bytes()
				}
			}
			if !bytes.Equal(objs[0], objs[1]) {
				t.Errorf("%s: %s: another object", m.Name, e.Name)
			}
		}
	}
}

// A refusal names the ids of the module that is asked about, whichever was compiled.
func TestRefusedIDs(t *testing.T) {
	wrong := "%20 = OpArrayLength %int %b 7"
	texts := []*nirc.Module{assemble(t, "%str = OpString \"a.comp\"", wrong, false), assemble(t, "", strings.Replace(wrong, "20", "18", 1), true)}
	for k := range texts {
		d := newDir(t)
		for i := range texts {
			which := (i + k) % 2
			b := &Builder{Store: d, Code: "1"}
			r, err := b.Shader(context.Background(), NewModule(texts[which], false), nirc.Options{File: "m", Entry: "main", Level: 2})
			if err != nil || len(r.Refused) == 0 || r.Outcome != []Outcome{Compiled, Hit}[i] {
				t.Fatalf("outcome %s, %v, %v", r.Outcome, r.Refused, err)
			}
			if id := r.Refused[0].ID; id != []uint32{20, 18}[which] {
				t.Errorf("%v: id %d", &r.Refused[0], id)
			}
		}
	}
}
