package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/internal/foz"
)

// A vertex and a fragment shader with a specialization constant, and a compute shader.
const (
	linkedVertex = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %position %used %unused
OpDecorate %in Location 0
OpDecorate %position BuiltIn Position
OpDecorate %used Location 0
OpDecorate %unused Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%position = OpVariable %pout Output
%used = OpVariable %pout Output
%unused = OpVariable %pout Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %v4 %in
%y = OpFMul %v4 %x %x
%z = OpFAdd %v4 %y %x
OpStore %position %x
OpStore %used %y
OpStore %unused %z
OpReturn
OpFunctionEnd
`
	linkedFragment = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %color Location 0
OpDecorate %factor SpecId 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%factor = OpSpecConstant %float 0.5
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%color = OpVariable %pout Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %v4 %in
%y = OpVectorTimesScalar %v4 %x %factor
OpStore %color %y
OpReturn
OpFunctionEnd
`
	unlinkedCompute = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
`
)

// linkedDatabase writes a.vert.spv and a.frag.spv, and a database of them: two pipelines that differ in a specialization constant, one of a
// vertex shader alone, a compute pipeline, and one whose fragment shader the database does not have.
func linkedDatabase(t *testing.T, dir string) []byte {
	t.Helper()
	var db bytes.Buffer
	w, err := foz.NewWriter(&db)
	if err != nil {
		t.Fatal(err)
	}
	add := func(text, file string) uint64 {
		words, err := spv.Assemble(text, spv.AssembleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var code []byte
		for _, x := range words {
			code = binary.LittleEndian.AppendUint32(code, x)
		}
		if err := os.WriteFile(filepath.Join(dir, file), code, 0o666); err != nil {
			t.Fatal(err)
		}
		hash, err := w.AddModule(code)
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	vertex := foz.Use{Module: add(linkedVertex, "a.vert.spv"), Entry: "main", Stage: foz.StageOf("vertex")}
	fragment := foz.Use{Module: add(linkedFragment, "a.frag.spv"), Entry: "main", Stage: foz.StageOf("fragment")}
	compute := foz.Use{Module: add(unlinkedCompute, "c.comp.spv"), Entry: "main", Stage: foz.StageOf("compute")}
	two, three, gone := fragment, fragment, fragment
	two.Spec, three.Spec = []foz.Spec{{ID: 3, Bits: 0x40000000}}, []foz.Spec{{ID: 3, Bits: 0x40400000}}
	gone.Module = 0x1234
	for _, uses := range [][]foz.Use{{vertex, two}, {vertex, three}, {vertex}, {compute}, {vertex, gone}} {
		if _, err := w.AddPipeline(uses...); err != nil {
			t.Fatal(err)
		}
	}
	return db.Bytes()
}

// A cache is filled with the pipelines of a database, each linked: what a compile of the database, or of the same pipeline's
// files, then finds. Pipelines that are not whole are told of, and the others are built.
func TestLinkedDatabase(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	db := linkedDatabase(t, dir)
	write := func(name string, data []byte) {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("db.foz", db)
	nirc := func(line string, want int, words ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := run(context.Background(), strings.Fields(line), streams{strings.NewReader(""), &out, &errs})
		text := out.String() + errs.String()
		if code != want {
			t.Errorf("nirc %s: exit code %d, want %d\n%s", line, code, want, text)
		}
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("nirc %s: no %q in\n%s", line, w, text)
			}
		}
	}
	nirc("cache build --link --dir k --modules -t all --keep-going db.foz", 3, "0 shaders were there, 15 compiled", "db.foz: the database has no shader module 0000000000001234")
	nirc("cache build --link --dir k -t all --keep-going --manifest-out wanted.json db.foz", 3, "15 shaders were there, 0 compiled")
	if text, _ := os.ReadFile("wanted.json"); bytes.Count(text, []byte(`"outcome": "hit"`)) != 15 {
		t.Errorf("%s", text)
	}
	// What a compile finds there is what it makes itself, of the database or of the files.
	nirc("compile --link -t all --cache k --keep-going -o found/ db.foz", 3)
	nirc("compile --link -t all --keep-going -o made/ db.foz", 3)
	nirc("compile --link -t all --cache k -o files/ a.frag.spv a.vert.spv --spec 3=2", 0)
	nirc("compile --link -o bad/ a.frag.spv a.vert.spv --spec 4=2", 2, "--spec 4=2: no shader of the pipeline has the constant")
	nirc("cache stats --dir k", 0, "entries: 15 shaders")
	nirc("cache verify --dir k --sample 1", 0)
	found, made := files(t, "found"), files(t, "made")
	if len(found) != 15 || len(made) != 15 {
		t.Errorf("%d and %d objects", len(found), len(made))
	}
	sames := 0
	for name, data := range found {
		if made[name] != data {
			t.Errorf("%s is not what a compile makes", name)
		}
		for _, f := range files(t, "files") {
			if f == data {
				sames++
			}
		}
	}
	if sames != 9 { // for each target a fragment shader, and a vertex shader that is the same in two pipelines
		t.Errorf("%d objects of the files are those of the database, want 9", sames)
	}
	// A vertex shader whose outputs nobody reads is another than one that is not linked.
	nirc("compile -t all --cache k -o single/ a.vert.spv", 0)
	nirc("compile -t all -o again/ a.vert.spv", 0)
	for name, data := range files(t, "single") {
		if files(t, "again")[name] != data {
			t.Errorf("%s comes from the cache as a linked one", name)
		}
	}
	nirc("cache stats --dir k", 0, "entries: 18 shaders")
	// A damaged module takes its pipelines along, and no other.
	damaged := bytes.Clone(db)
	damaged[16+40+16+30] ^= 1 // in the first module, after the file's head and the entry's
	write("bad.foz", damaged)
	nirc("cache build --link --dir bad -t ir3 --keep-going bad.foz", 1, "its checksum is wrong", " 0 compiled")
	write("none.foz", db[:16])
	nirc("cache build --link --dir none none.foz", 2, "there is no graphics pipeline", "no input")
}
