package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes a compute shader as SPIR-V assembly.
type generator struct {
	b     strings.Builder
	r     *rand.Rand
	next  int // result ids
	n     int // instructions written
	block string
	// floats and words are the values that are available, the latest last.
	floats, words []string
	depth         int
}

//go:embed testdata/asm/generated_head.spvasm
var generatedHead string

// generate returns a compute shader of about n instructions in its function:
// arithmetic over a window of recent values, loads and stores at computed
// places, ifs with phis, loops with trip counts from memory. The same n gives
// the same text, a larger n a longer one.
func generate(n int) string {
	g := &generator{r: rand.New(rand.NewPCG(1, 1)), block: "%entry"}
	g.b.WriteString(generatedHead)
	p := g.op("OpAccessChain %%puintin %%id %%c0")
	g.words = append(g.words, g.op("OpLoad %%uint %s", p), "%chash")
	g.floats = append(g.floats, "%fhalf", "%ftwo", "%fpi")
	for g.n < n {
		g.statement()
		if g.n%8 == 0 {
			g.store()
		}
	}
	g.store()
	g.b.WriteString("OpReturn\nOpFunctionEnd\n")
	return g.b.String()
}

// op writes an instruction with a result and returns its id.
func (g *generator) op(format string, a ...any) string {
	g.next++
	g.n++
	id := fmt.Sprintf("%%x%d", g.next)
	fmt.Fprintf(&g.b, "%s = "+format+"\n", append([]any{id}, a...)...)
	return id
}

func (g *generator) line(format string, a ...any) {
	g.n++
	fmt.Fprintf(&g.b, format+"\n", a...)
}

func (g *generator) label(id string) {
	g.line("%s = OpLabel", id)
	g.block = id
}

// recent picks one of the last values, so that few are alive at once.
func (g *generator) recent(l []string) string {
	return l[len(l)-1-g.r.IntN(min(len(l), 10))]
}

func (g *generator) word() string  { return g.recent(g.words) }
func (g *generator) float() string { return g.recent(g.floats) }

func (g *generator) place(buffer string) string {
	i := g.op("OpBitwiseAnd %%uint %s %%c63", g.word())
	return g.op("OpAccessChain %%puint %s %%c0 %s", buffer, i)
}

func (g *generator) store() {
	p := g.place("%out")
	g.line("OpStore %s %s", p, g.op("OpBitwiseXor %%uint %s %s", g.word(), g.op("OpBitcast %%uint %s", g.float())))
}

var wordOps = [...]string{"OpIAdd", "OpIMul", "OpBitwiseXor", "OpBitwiseOr", "OpISub", "OpBitwiseAnd"}
var floatOps = [...]string{"OpFAdd", "OpFMul", "OpFSub", "OpFAdd", "OpFMul"}
var floatFuncs = [...]string{"FAbs", "Sqrt", "Floor", "Sin"}

func (g *generator) statement() {
	switch k := g.r.IntN(40); {
	case k < 12:
		g.words = append(g.words, g.op("%s %%uint %s %s", wordOps[g.r.IntN(len(wordOps))], g.word(), g.word()))
	case k < 14:
		g.words = append(g.words, g.op("OpShiftRightLogical %%uint %s %%c7", g.word()))
	case k < 26:
		g.floats = append(g.floats, g.op("%s %%float %s %s", floatOps[g.r.IntN(len(floatOps))], g.float(), g.float()))
	case k < 28:
		g.floats = append(g.floats, g.op("OpExtInst %%float %%glsl %s %s", floatFuncs[g.r.IntN(len(floatFuncs))], g.float()))
	case k < 30:
		g.floats = append(g.floats, g.op("OpConvertUToF %%float %s", g.word()))
	case k < 32:
		c := g.op("OpFOrdLessThan %%bool %s %s", g.float(), g.float())
		g.words = append(g.words, g.op("OpSelect %%uint %s %s %s", c, g.word(), g.word()))
	case k < 36:
		g.words = append(g.words, g.op("OpLoad %%uint %s", g.place("%in")))
	case k < 38 && g.depth < 3:
		g.branch()
	case k < 39 && g.depth < 2:
		g.loop()
	}
}

// body writes n statements whose values are gone after it, except for one of each kind.
func (g *generator) body(n int) (word, float string) {
	w, f := len(g.words), len(g.floats)
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
	word, float = g.words[len(g.words)-1], g.floats[len(g.floats)-1]
	g.words, g.floats = g.words[:w], g.floats[:f]
	return word, float
}

func (g *generator) labels(names ...string) []string {
	g.next++
	for i, n := range names {
		names[i] = fmt.Sprintf("%%%s%d", n, g.next)
	}
	return names
}

func (g *generator) branch() {
	c := g.op("OpULessThan %%bool %s %s", g.word(), g.word())
	l := g.labels("then", "else", "merge")
	g.line("OpSelectionMerge %s None", l[2])
	g.line("OpBranchConditional %s %s %s", c, l[0], l[1])
	g.label(l[0])
	w1, f1 := g.body(4 + g.r.IntN(8))
	b1 := g.block
	g.line("OpBranch %s", l[2])
	g.label(l[1])
	w2, f2 := g.body(2 + g.r.IntN(8))
	b2 := g.block
	g.line("OpBranch %s", l[2])
	g.label(l[2])
	g.words = append(g.words, g.op("OpPhi %%uint %s %s %s %s", w1, b1, w2, b2))
	g.floats = append(g.floats, g.op("OpPhi %%float %s %s %s %s", f1, b1, f2, b2))
}

// loop writes a loop that runs 0 to 63 times: too often to be unrolled, for the shader is to stay as large as it was asked for.
func (g *generator) loop() {
	trips := g.op("OpBitwiseAnd %%uint %s %%c63", g.op("OpLoad %%uint %s", g.place("%in")))
	l := g.labels("head", "test", "body", "cont", "done", "i", "w", "nexti", "nextw")
	before, w := g.block, g.word()
	g.line("OpBranch %s", l[0])
	g.label(l[0])
	g.line("%s = OpPhi %%uint %%c0 %s %s %s", l[5], before, l[7], l[3])
	g.line("%s = OpPhi %%uint %s %s %s %s", l[6], w, before, l[8], l[3])
	g.line("OpLoopMerge %s %s None", l[4], l[3])
	g.line("OpBranch %s", l[1])
	g.label(l[1])
	c := g.op("OpULessThan %%bool %s %s", l[5], trips)
	g.line("OpBranchConditional %s %s %s", c, l[2], l[4])
	g.label(l[2])
	mark := len(g.words)
	g.words = append(g.words, l[5], l[6])
	bw, _ := g.body(8 + g.r.IntN(12))
	g.words = g.words[:mark]
	g.line("OpBranch %s", l[3])
	g.label(l[3])
	g.line("%s = OpIAdd %%uint %s %%c1", l[7], l[5])
	g.line("%s = OpBitwiseXor %%uint %s %s", l[8], l[6], bw)
	g.line("OpBranch %s", l[0])
	g.label(l[4])
	g.words = append(g.words, l[6])
}
