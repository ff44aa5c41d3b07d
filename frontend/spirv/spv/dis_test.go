package spv

import "testing"

// TestDisassembleHeader: the text begins with the fields of the header as spirv-dis writes them, if they are asked for, and lines up
// opcodes, if that is.
func TestDisassembleHeader(t *testing.T) {
	words, err := Assemble("OpCapability Shader\n%7 = OpTypeVoid\n%12 = OpTypeInt 32 0\n", AssembleOptions{PreserveNumericIDs: true, Version: 0x103, Generator: 8<<16 | 11})
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	const header = "; SPIR-V\n; Version: 1.3\n; Generator: Khronos Glslang Reference Front End; 11\n; Bound: 13\n; Schema: 0\n"
	const plain = "OpCapability Shader\n%7 = OpTypeVoid\n%12 = OpTypeInt 32 0\n"
	const indented = "               OpCapability Shader\n          %7 = OpTypeVoid\n         %12 = OpTypeInt 32 0\n"
	for _, c := range []struct {
		o    DisassembleOptions
		want string
	}{
		{DisassembleOptions{}, plain}, {DisassembleOptions{Header: true}, header + plain},
		{DisassembleOptions{Indent: true}, indented}, {DisassembleOptions{Header: true, Indent: true}, header + indented},
	} {
		if got := Disassemble(m, c.o); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}
