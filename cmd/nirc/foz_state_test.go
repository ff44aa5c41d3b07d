package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/internal/foz"
)

const statedFragment = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
OpDecorate %words ArrayStride 16
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%words = OpTypeRuntimeArray %v4
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %v4
%buf = OpVariable %pblock StorageBuffer
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%zero = OpConstant %int 0
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
%f = OpCompositeExtract %float %x 0
%i = OpConvertFToS %int %f
%p = OpAccessChain %pword %buf %zero %i
%y = OpLoad %v4 %p
%z = OpFAdd %v4 %x %y
OpStore %out %z
OpReturn
OpFunctionEnd
`

// TestPipelineStates: what a database's pipelines ask of code by their state is compiled as by the flags of the command line, by a
// cache too, and goes into the manifest of what is extracted.
func TestPipelineStates(t *testing.T) {
	t.Chdir(t.TempDir())
	words, err := spv.Assemble(statedFragment, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, x := range words {
		code = binary.LittleEndian.AppendUint32(code, x)
	}
	var db bytes.Buffer
	w, err := foz.NewWriter(&db)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := w.AddModule(code)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []foz.State{{}, {Robust: [4]uint8{3, 0, 0, 0}}, {SampleShading: true}} {
		if _, err := w.AddPipeline(foz.Use{Module: hash, Entry: "main", Stage: foz.StageOf("fragment"), State: s}); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string][]byte{"db.foz": db.Bytes(), "f.spv": code} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	nirc := func(line string, words ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(context.Background(), strings.Fields(line), streams{strings.NewReader(""), &out, &errs})
		text := out.String() + errs.String()
		if got != 0 {
			t.Errorf("nirc %s: exit code %d\n%s", line, got, text)
		}
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("nirc %s: no %q in\n%s", line, w, text)
			}
		}
	}
	nirc("foz ls db.foz", "fragment main --sample-shading", "fragment main --robust storage=buffer2")
	nirc("compile -t all -o made/ db.foz")
	nirc("compile -t all -o plain/ f.spv")
	nirc("compile -t all -o sample/ f.spv --sample-shading")
	nirc("compile -t all -o robust/ f.spv --robust storage=buffer2")
	nirc("cache build --dir c -t all db.foz", "9 compiled")
	nirc("compile -t all --cache c -o found/ db.foz")
	nirc("foz extract -o x db.foz")
	nirc("cache build --dir c -t all --manifest x/manifest", "9 shaders were there, 0 compiled")
	nirc("cache verify --dir c --sample 1")
	nirc("foz pack -o again.foz db.foz")
	if again, err := os.ReadFile("again.foz"); err != nil || !bytes.Equal(again, db.Bytes()) {
		t.Errorf("a database that is packed again is another: %v", err)
	}
	made := files(t, "made")
	different := map[string]bool{}
	for _, folder := range []string{"plain", "sample", "robust"} {
		for name, data := range files(t, folder) {
			found := false
			for _, d := range made {
				found = found || d == data
			}
			if !found {
				t.Errorf("%s/%s is not what the database's pipeline became", folder, name)
			}
			different[data] = true
		}
	}
	if found := files(t, "found"); len(found) != 9 || len(made) != 9 || len(different) < 7 {
		t.Errorf("%d and %d objects, %d that differ", len(found), len(made), len(different))
	} else {
		for name, data := range found {
			if made[name] != data {
				t.Errorf("the cache has another %s", name)
			}
		}
	}
}
