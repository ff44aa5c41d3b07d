package amber

import (
	"slices"
	"testing"

	"nirc/frontend/spirv/spv"
)

// A shader is compiled without the extension, line by line where it was, and its module gets the mode.
func TestWithoutReconvergence(t *testing.T) {
	text := "#version 450\n  # extension GL_EXT_maximal_reconvergence : require // so\n#extension GL_EXT_maximal_reconvergence2 : enable\nvoid main()\n[[maximally_reconverges]]\n{}\n"
	got, maximal := withoutReconvergence(text)
	if want := "#version 450\n\n#extension GL_EXT_maximal_reconvergence2 : enable\nvoid main()\n\n{}\n"; got != want || !maximal {
		t.Errorf("%q, %v", got, maximal)
	}
	if _, maximal := withoutReconvergence("#extension GL_EXT_maximal_reconvergence : enable\nvoid main() {}\n"); maximal {
		t.Error("a shader that does not ask for it has the mode")
	}
}

func TestReconverging(t *testing.T) {
	const module = `OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpEntryPoint GLCompute %other "other"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
`
	words, err := spv.Assemble(module, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	words, err = reconverging(words)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	var ops []spv.Op
	for i := range m.Insts {
		ops = append(ops, m.Insts[i].Op)
	}
	want := []spv.Op{spv.OpCapability, spv.OpExtension, spv.OpExtInstImport, spv.OpMemoryModel, spv.OpEntryPoint, spv.OpEntryPoint,
		spv.OpExecutionMode, spv.OpExecutionMode, spv.OpExecutionMode, spv.OpTypeVoid}
	if !slices.Equal(ops, want) {
		t.Fatalf("%v", ops)
	}
	for i, at := range []int{6, 7} {
		in := &m.Insts[at]
		if in.Arg(0) != m.Insts[4+i].Arg(1) || spv.ExecutionMode(in.Arg(1)) != spv.ExecutionModeMaximallyReconvergesKHR {
			t.Errorf("mode %d: %v", i, in.Words)
		}
	}
}
