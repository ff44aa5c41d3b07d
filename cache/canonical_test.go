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

// idForms has the operations that idWordsOf knows with and without what may come after their operands, by numbers that are ids too.
const idForms = `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
%other = OpExtInstImport "NonSemantic.other"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
OpName %main "main"
OpMemberName %s 0 "x"
OpDecorate %v Location 3
OpMemberDecorate %s 0 Offset 4
%void = OpTypeVoid
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%s = OpTypeStruct %float %int
%v4 = OpTypeVector %float 4
%fn = OpTypeFunction %void
%c1 = OpConstant %int 1
%f2 = OpConstant %float 2
%array = OpTypeArray %float %c1
%p = OpTypePointer Private %v4
%pf = OpTypePointer Private %float
%vc = OpConstantComposite %v4 %f2 %f2 %f2 %f2
%v = OpVariable %p Private %vc
%w = OpVariable %p Private
%true = OpConstantTrue %bool
%main = OpFunction %void Inline|Pure %fn
%l = OpLabel
%a = OpLoad %v4 %v
%b = OpLoad %v4 %v Volatile|Aligned 4
%e = OpAccessChain %pf %v %c1
OpStore %w %a
OpStore %w %b Aligned 16
OpStore %w %b Volatile
%x = OpCompositeExtract %float %a 3
%y = OpVectorShuffle %v4 %a %b 0 5 2 7
%z = OpExtInst %float %glsl Sqrt %x
%n = OpFAdd %float %z %x
%o = OpExtInst %void %other 3 %x
%u = OpCompositeConstruct %v4 %n %n %n %n
%t = OpFunctionCall %void %main
OpSelectionMerge %m Flatten
OpBranchConditional %true %m %k
%k = OpLabel
OpSelectionMerge %m2 None
OpBranchConditional %true %m %m2 3 4
%m2 = OpLabel
OpBranch %m
%m = OpLabel
%phi = OpPhi %float %n %l %x %k %x %m2
OpReturn
OpFunctionEnd
`

// What idWordsOf knows of an instruction is what Decode knows.
func TestIDWords(t *testing.T) {
	n, all := 0, 0
	forms, err := nirc.Load([]byte(idForms), "forms")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(samples(t), forms) {
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
