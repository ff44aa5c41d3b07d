package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// valueGrid is an operation that runs once for each row of words, and what it must give for them.
type valueGrid struct {
	name     string
	decorate string
	decl     string // types and constants besides those of gridHead
	body     string // computes the words %r0 and on of the words %x0 and on
	rows     [][]uint64
	want     func(row []uint64) []uint64
}

// gridHead begins the module of a grid: a kernel that is given a buffer of words of 64 bits.
const gridHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float64
OpCapability Float16
OpCapability BitInstructions
OpCapability DotProduct
OpCapability DotProductInputAll
OpCapability DotProductInput4x8BitPacked
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %index
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %index BuiltIn GlobalInvocationId
DECORATE
%void = OpTypeVoid
%bool = OpTypeBool
%t8 = OpTypeInt 8 0
%t16 = OpTypeInt 16 0
%t32 = OpTypeInt 32 0
%t64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%lvec3 = OpTypeVector %t64 3
%word = OpTypePointer CrossWorkgroup %t64
%pin = OpTypePointer Input %lvec3
%index = OpVariable %pin Input
`

// text is the module; each item has words of its own, first those that it reads.
func (g *valueGrid) text(in, out int) string {
	var w strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	w.WriteString(strings.Replace(gridHead, "DECORATE\n", g.decorate, 1) + g.decl)
	for i := range in + out + 1 {
		p("%%at%d = OpConstant %%t64 %d", i, i)
	}
	p("%%fn = OpTypeFunction %%void %%word\n%%main = OpFunction %%void None %%fn\n%%buf = OpFunctionParameter %%word\n%%entry = OpLabel")
	for _, line := range g.variables() {
		p("%s", line)
	}
	p("%%ids = OpLoad %%lvec3 %%index\n%%id = OpCompositeExtract %%t64 %%ids 0\n%%base = OpIMul %%t64 %%id %%at%d", in+out)
	for i := range in + out {
		p("%%i%d = OpIAdd %%t64 %%base %%at%d\n%%p%d = OpInBoundsPtrAccessChain %%word %%buf %%i%d", i, i, i, i)
	}
	for i := range in {
		p("%%x%d = OpLoad %%t64 %%p%d Aligned 8", i, i)
	}
	for line := range strings.Lines(g.body) {
		if !strings.Contains(line, "OpVariable") {
			w.WriteString(line)
		}
	}
	for i := range out {
		p("OpStore %%p%d %%r%d Aligned 8", in+i, i)
	}
	p("OpReturn\nOpFunctionEnd")
	return w.String()
}

// run compares what the interpreter computes with what is wanted.
func (g *valueGrid) run(t *testing.T) {
	t.Helper()
	if len(g.rows) == 0 {
		t.Errorf("%s: no rows", g.name)
		return
	}
	in, out := len(g.rows[0]), len(g.want(g.rows[0]))
	s, err := Translate(assemble(t, g.text(in, out)), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Errorf("%s: %v", g.name, err)
		return
	}
	p, err := interp.New(s, interp.Options{WaveSize: 8})
	if err != nil {
		t.Errorf("%s: %v", g.name, err)
		return
	}
	groups := (len(g.rows) + 7) / 8
	mem := emu.NewMemory()
	buf := mem.Alloc(groups * 8 * 8 * (in + out))
	for i, row := range g.rows {
		for k, x := range row {
			binary.LittleEndian.PutUint64(buf.Data[8*(i*(in+out)+k):], x)
		}
	}
	env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: append(binary.LittleEndian.AppendUint64(nil, buf.Addr), make([]byte, 16)...)}
	if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{uint32(groups), 1, 1}, Limits: emu.Limits{Exact: true}}); err != nil {
		t.Errorf("%s: %v", g.name, err)
		return
	}
	for i, row := range g.rows {
		for k, want := range g.want(row) {
			if got := binary.LittleEndian.Uint64(buf.Data[8*(i*(in+out)+in+k):]); got != want {
				t.Errorf("%s of %#x: word %d is %#x, want %#x", g.name, row, k, got, want)
				return // one of a grid says enough
			}
		}
	}
}

// variables are the lines that declare variables of the function, which stand before all others.
func (g *valueGrid) variables() (lines []string) {
	for line := range strings.Lines(g.body) {
		if strings.Contains(line, "OpVariable") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// signed is a word of some bits with its sign extended.
func signed(x uint64, bits int) int64 { return int64(x<<(64-bits)) >> (64 - bits) }

// lowest is a word's lowest bits.
func lowest(x uint64, bits int) uint64 { return x << (64 - bits) >> (64 - bits) }
