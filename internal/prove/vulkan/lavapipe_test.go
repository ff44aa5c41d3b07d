//go:build linux && (amd64 || arm64)

// Package vulkan proves the compiler against another implementation: random shaders run on lavapipe
// through libvulkan, and here.
package vulkan

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/internal/exec"
)

// Random compute shaders: each invocation reads integers and floats, computes
// by chains of operations, selections and loops, and writes what came out.
const (
	mixInputs      = 8   // integers, and floats, an invocation reads
	mixOutputs     = 16  // words it writes
	mixInvocations = 128 // in 4 workgroups
)

//go:embed testdata/asm/mix_head.spvasm
var mixHead string

//go:embed testdata/asm/mix_types.spvasm
var mixTypes string

// mix makes a random shader.
type mix struct {
	r       *rand.Rand
	decs    strings.Builder
	consts  map[uint32]bool
	decls   strings.Builder
	body    strings.Builder
	ids     int
	ints    []string
	floats  []string
	bools   []string
	current string // label of the block
}

func (m *mix) id() string { m.ids++; return fmt.Sprintf("%%v%d", m.ids) }

func (m *mix) op(typ, format string, args ...any) string {
	id := m.id()
	fmt.Fprintf(&m.body, "%s = %s\n", id, strings.Replace(fmt.Sprintf(format, args...), " ", " "+typ+" ", 1))
	return id
}

func (m *mix) label(name string) {
	fmt.Fprintf(&m.body, "%s = OpLabel\n", name)
	m.current = name
}

// constant declares an unsigned constant.
func (m *mix) constant(v uint32) string {
	id := fmt.Sprintf("%%k%d", v)
	if !m.consts[v] {
		m.consts[v] = true
		fmt.Fprintf(&m.decls, "%s = OpConstant %%u %d\n", id, v)
	}
	return id
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// integer makes an operation on integers; results are the same everywhere.
func (m *mix) integer() string {
	a, b := pick(m.r, m.ints), pick(m.r, m.ints)
	ext := func(name string, args ...string) string {
		return m.op("%u", "OpExtInst %%ext %s %s", name, strings.Join(args, " "))
	}
	shift := func() string { return m.op("%u", "OpBitwiseAnd %s %s", b, m.constant(31)) }
	switch m.r.IntN(8) {
	case 0, 1:
		return m.op("%u", pick(m.r, []string{"OpIAdd", "OpISub", "OpIMul", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"})+" %s %s", a, b)
	case 2:
		return m.op("%u", pick(m.r, []string{"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"})+" %s %s", a, shift())
	case 3:
		return m.op("%u", pick(m.r, []string{"OpNot", "OpBitReverse", "OpBitCount", "OpSNegate"})+" %s", a)
	case 4:
		d := m.op("%u", "OpBitwiseOr %s %s", b, m.constant(1<<uint(m.r.IntN(8))))
		return m.op("%u", pick(m.r, []string{"OpUDiv", "OpUMod"})+" %s %s", a, d)
	case 5:
		return ext(pick(m.r, []string{"UMin", "UMax", "SMin", "SMax"}), a, b)
	case 6:
		return ext(pick(m.r, []string{"FindILsb", "FindUMsb", "FindSMsb", "SAbs", "SSign"}), a)
	}
	// OpBitFieldInsert is left out: where OpNot takes its result, Mesa 22.3 does
	// not mask what is inserted (0x48211 at bit 7, 3 bits, gave 0x2410e4b).
	at, n := uint32(m.r.IntN(16)), uint32(1+m.r.IntN(16))
	return m.op("%u", pick(m.r, []string{"OpBitFieldUExtract", "OpBitFieldSExtract"})+" %s %s %s", a, m.constant(at), m.constant(n))
}

// float makes an operation on floats that is rounded correctly.
func (m *mix) float() string {
	a, b := pick(m.r, m.floats), pick(m.r, m.floats)
	switch m.r.IntN(6) {
	case 0, 1, 2:
		id := m.op("%f", pick(m.r, []string{"OpFAdd", "OpFSub", "OpFMul"})+" %s %s", a, b)
		fmt.Fprintf(&m.decs, "OpDecorate %s NoContraction\n", id)
		return id
	case 3:
		return m.op("%f", "OpExtInst %%ext %s %s", pick(m.r, []string{"FAbs", "Floor", "Ceil", "Trunc", "RoundEven", "FSign"}), a)
	case 4:
		return m.op("%f", "OpExtInst %%ext %s %s %s", pick(m.r, []string{"FMin", "FMax"}), a, b)
	}
	return m.op("%f", "OpConvertUToF %s", m.op("%u", "OpBitwiseAnd %s %s", pick(m.r, m.ints), m.constant(0xffff)))
}

func (m *mix) boolean() string {
	if m.r.IntN(3) == 0 {
		return m.op("%bool", pick(m.r, []string{"OpFOrdLessThan", "OpFOrdGreaterThanEqual", "OpFOrdEqual", "OpFUnordNotEqual"})+" %s %s", pick(m.r, m.floats), pick(m.r, m.floats))
	}
	return m.op("%bool", pick(m.r, []string{"OpULessThan", "OpSLessThan", "OpIEqual", "OpSGreaterThanEqual", "OpUGreaterThan", "OpINotEqual"})+" %s %s", pick(m.r, m.ints), pick(m.r, m.ints))
}

// values makes n operations; what is made inside a construct stays there.
func (m *mix) values(n int) {
	for range n {
		switch m.r.IntN(5) {
		case 0, 1, 2:
			m.ints = append(m.ints, m.integer())
		case 3:
			m.floats = append(m.floats, m.float())
		default:
			m.bools = append(m.bools, m.boolean())
			m.ints = append(m.ints, m.op("%u", "OpSelect %s %s %s", pick(m.r, m.bools), pick(m.r, m.ints), pick(m.r, m.ints)))
		}
	}
}

// selection chooses between two sides by a condition.
func (m *mix) selection(depth int) {
	c, then, other, end := m.boolean(), m.id(), m.id(), m.id()
	fmt.Fprintf(&m.body, "OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n", end, c, then, other)
	ints, floats, bools := len(m.ints), len(m.floats), len(m.bools)
	var from, value [2]string
	for k, side := range []string{then, other} {
		m.label(side)
		m.block(depth - 1)
		from[k], value[k] = m.current, pick(m.r, m.ints)
		m.ints, m.floats, m.bools = m.ints[:ints], m.floats[:floats], m.bools[:bools]
		fmt.Fprintf(&m.body, "OpBranch %s\n", end)
	}
	m.label(end)
	m.ints = append(m.ints, m.op("%u", "OpPhi %s %s %s %s", value[0], from[0], value[1], from[1]))
}

// loop repeats a body up to 7 times, a number that invocations do not share.
func (m *mix) loop(depth int) {
	n := m.op("%u", "OpBitwiseAnd %s %s", pick(m.r, m.ints), m.constant(7))
	start, before := pick(m.r, m.ints), m.current
	head, body, next, end := m.id(), m.id(), m.id(), m.id()
	k, k1, x := m.id(), m.id(), m.id()
	fmt.Fprintf(&m.body, "OpBranch %s\n", head)
	m.label(head)
	at := m.body.Len()
	ints, floats, bools := len(m.ints), len(m.floats), len(m.bools)
	m.ints = append(m.ints, x, k)
	m.label(body)
	m.block(depth - 1)
	y := pick(m.r, m.ints[ints:])
	fmt.Fprintf(&m.body, "OpBranch %s\n%s = OpLabel\n%s = OpIAdd %%u %s %s\nOpBranch %s\n%s = OpLabel\n", next, next, k1, k, m.constant(1), head, end)
	text := m.body.String()
	m.body.Reset()
	c := m.id()
	fmt.Fprintf(&m.body, "%s%s = OpPhi %%u %s %s %s %s\n%s = OpPhi %%u %s %s %s %s\n%s = OpULessThan %%bool %s %s\nOpLoopMerge %s %s None\nOpBranchConditional %s %s %s\n%s",
		text[:at], k, m.constant(0), before, k1, next, x, start, before, y, next, c, k, n, end, next, c, body, end, text[at:])
	m.current = end
	m.ints, m.floats, m.bools = append(m.ints[:ints], x), m.floats[:floats], m.bools[:bools]
}

func (m *mix) block(depth int) {
	m.values(3 + m.r.IntN(6))
	if depth <= 0 {
		return
	}
	for range 1 + m.r.IntN(2) {
		if m.r.IntN(2) == 0 {
			m.selection(depth)
		} else {
			m.loop(depth)
		}
		m.values(1 + m.r.IntN(4))
	}
}

// inexact are the operations of which Vulkan bounds the error; each reads
// inputs, so that errors do not add up.
var inexact = []string{"Sqrt", "InverseSqrt", "Exp2", "Log2", "Sin", "Cos", "FDiv"}

// shader returns the text, and for each output the operation that it is the
// result of, "" if it is exact.
func (m *mix) shader() (text string, kinds [mixOutputs]string) {
	m.consts = map[uint32]bool{}
	m.label("%entry")
	g := m.op("%u3", "OpLoad %%gid")
	x := m.op("%u", "OpCompositeExtract %s 0", g)
	base := m.op("%u", "OpIMul %s %s", x, m.constant(mixInputs))
	out := m.op("%u", "OpIMul %s %s", x, m.constant(mixOutputs))
	for k := range uint32(mixInputs) {
		at := m.op("%u", "OpIAdd %s %s", base, m.constant(k))
		m.ints = append(m.ints, m.op("%u", "OpLoad %s", m.op("%pu", "OpAccessChain %%bi %s %s", m.constant(0), at)))
		m.floats = append(m.floats, m.op("%f", "OpLoad %s", m.op("%pf", "OpAccessChain %%bf %s %s", m.constant(0), at)))
	}
	in := m.floats[:mixInputs:mixInputs]
	m.block(2)
	for k := range uint32(mixOutputs) {
		v := pick(m.r, m.ints)
		switch {
		case k < 4: // the last ones
			v = m.ints[len(m.ints)-1-int(k)]
		case k%4 == 1:
			v = m.op("%u", "OpBitcast %s", pick(m.r, m.floats))
		case k%4 == 2:
			kinds[k] = pick(m.r, inexact)
			a := pick(m.r, in)
			switch kinds[k] {
			case "FDiv":
				a = m.op("%f", "OpFDiv %s %s", a, pick(m.r, in))
			case "Sin", "Cos", "Exp2":
				a = m.op("%f", "OpExtInst %%ext %s %s", kinds[k], m.op("%f", "OpExtInst %%ext FMin %s %s", a, m.op("%f", "OpConvertUToF %s", m.constant(3))))
			default:
				a = m.op("%f", "OpExtInst %%ext %s %s", kinds[k], m.op("%f", "OpExtInst %%ext FAbs %s", a))
			}
			v = m.op("%u", "OpBitcast %s", a)
		}
		at := m.op("%u", "OpIAdd %s %s", out, m.constant(k))
		fmt.Fprintf(&m.body, "OpStore %s %s\n", m.op("%pu", "OpAccessChain %%bo %s %s", m.constant(0), at), v)
	}
	return mixHead + m.decs.String() + mixTypes + m.decls.String() + "%main = OpFunction %void None %fn\n" + m.body.String() + "OpReturn\nOpFunctionEnd\n", kinds
}

// within reports whether two results of an operation are within what Vulkan
// allows each of them (specification, Precision of Individual Operations).
func within(kind string, a, b uint32) bool {
	if a == b {
		return true
	}
	x, y := float64(math.Float32frombits(a)), float64(math.Float32frombits(b))
	ulp := math.Abs(float64(math.Nextafter32(float32(x), float32(math.Inf(1)))) - x)
	switch d := math.Abs(x - y); kind {
	case "Sin", "Cos":
		return d <= 2*math.Exp2(-11)
	case "Exp2":
		return d <= 2*(3+2*16)*ulp // inputs are within 16
	case "Log2":
		return d <= max(2*3*ulp, 2*math.Exp2(-21))
	case "InverseSqrt":
		return d <= 2*2*ulp
	case "Sqrt":
		return d <= 2*5*ulp // 1/inversesqrt
	case "FDiv":
		return d <= 2*2.5*ulp
	}
	return false
}

// TestLavapipe compares random compute shaders with Mesa's driver for the
// processor: integers and correctly rounded floats bit for bit, other floats
// within Vulkan's precision. NIRC_LAVAPIPE says how many shaders.
func TestLavapipe(t *testing.T) {
	icd, err := findLavapipe()
	if err != nil {
		if os.Getenv("NIRC_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	first, count := seeds(t, 20)
	v, err := openVulkan(icd)
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	var buffers []*vkBuffer
	for _, n := range []int{mixInputs, mixInputs, mixOutputs} {
		b, err := v.newBuffer(4 * n * mixInvocations)
		if err != nil {
			t.Fatal(err)
		}
		defer v.freeBuffer(b)
		buffers = append(buffers, b)
	}
	words := 0
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		r := rand.New(rand.NewPCG(seed, 7))
		text, kinds := (&mix{r: r}).shader()
		module, err := spv.Assemble(text, spv.AssembleOptions{Version: 0x0100})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for k := range mixInputs * mixInvocations {
			n := r.Uint32() >> uint(r.IntN(32))
			binary.LittleEndian.PutUint32(buffers[0].data[4*k:], n)
			x := float32((r.Float64() + 0.0625) * math.Exp2(float64(r.IntN(5)-1)))
			if r.IntN(2) == 0 {
				x = -x
			}
			binary.LittleEndian.PutUint32(buffers[1].data[4*k:], math.Float32bits(x))
		}
		clear(buffers[2].data)
		ours := runMix(t, module, buffers)
		p, err := v.newPipeline(module, buffers)
		if err == nil {
			err = v.run(p, mixInvocations/32)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		v.free(p)
		for k := range mixOutputs * mixInvocations {
			a, b := binary.LittleEndian.Uint32(ours[4*k:]), binary.LittleEndian.Uint32(buffers[2].data[4*k:])
			if kind := kinds[k%mixOutputs]; !within(kind, a, b) {
				t.Errorf("seed %d: invocation %d, output %d %s: %#x, lavapipe %#x (%v, %v)", seed, k/mixOutputs, k%mixOutputs, kind, a, b, math.Float32frombits(a), math.Float32frombits(b))
				if os.Getenv("NIRC_VERBOSE") != "" {
					t.Log(text)
				}
				break
			}
			words++
		}
	}
	t.Logf("%d shaders, %d results", count, words)
}

// runMix runs the shader on the interpreter and returns its outputs.
func runMix(t *testing.T, words []uint32, buffers []*vkBuffer) []byte {
	t.Helper()
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	m, err := nirc.Load(data, "mix")
	if err != nil {
		t.Fatal(err)
	}
	x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: nirc.IRTarget}, Groups: [3]uint32{mixInvocations / 32, 1, 1}}
	for i, b := range buffers {
		x.Bindings = append(x.Bindings, exec.Binding{Binding: uint32(i), Data: bytes.Clone(b.data)})
	}
	if err := exec.Execute(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	return x.Bindings[2].Data
}
