package passes

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc/ir"
)

//go:generate go test -run TestHeldLinks -update .

// linksTable has what TestHeldLinks found when it was last told to write it.
const linksTable = "testdata/links.tsv"

// TestHeldLinks links random pairs of stages step by step. What they compute stays what it was, they are valid, and the table has a digest of
// what becomes of them: where a change of linking is meant to change that, -update (go generate) writes it again.
func TestHeldLinks(t *testing.T) {
	var b strings.Builder
	b.WriteString("pairs\tmismatches\tunused\tvalues\tnarrow\tmoved\tdigest\n")
	for group := range uint64(40) {
		sum := sha256.New()
		var n [5]int
		for seed := group * 10; seed < (group+1)*10; seed++ {
			p := newLinkPair(seed)
			for i, k := range p.link(t) {
				n[i] += k
			}
			fmt.Fprintln(sum, ir.Print(p.producer), ir.Print(p.consumer), p.said)
		}
		fmt.Fprintf(&b, "%d\t%d\t%d\t%d\t%d\t%d\t%x\n", group, n[0], n[1], n[2], n[3], n[4], sum.Sum(nil)[:8])
	}
	checkTable(t, linksTable, b.String())
}

// linkPair are two stages with a random interface.
type linkPair struct {
	r                  *rand.Rand
	producer, consumer *ir.Shader
	said               string
	last               *ir.Def // what was stored last
	stream             uint8   // of what is produced
}

// link does to a pair what linking does, and counts.
func (p *linkPair) link(t *testing.T) (n [5]int) {
	var want *stageRun
	if p.producer.Stage == ir.StageVertex {
		want = runLinked(t, p.producer, p.consumer)
	}
	check := func(step string) {
		t.Helper()
		for _, s := range []*ir.Shader{p.producer, p.consumer} {
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v\n%s", step, err, ir.Print(s))
			}
		}
		if want == nil {
			return
		}
		if d := differ(want, runLinked(t, p.producer, p.consumer)); d != "" {
			t.Fatalf("%s: %s\n%s\n%s", step, d, ir.Print(p.producer), ir.Print(p.consumer))
		}
	}
	mismatches := MatchInterface(p.producer, p.consumer)
	n[0] = len(mismatches)
	p.say(mismatches)
	for range 2 {
		out, in := RemoveUnusedIO(p.producer, p.consumer)
		n[1] += out + in
		check("RemoveUnusedIO")
		values := LinkOptVaryings(p.producer, p.consumer, nil)
		p.say(values)
		if values != (LinkedValues{}) {
			n[2]++
		}
		check("LinkOptVaryings")
	}
	n[3] = NarrowVaryings(p.producer, p.consumer, p.r.IntN(2) == 0)
	want = nil // halves are another result
	check("NarrowVaryings")
	kept := []int{p.r.IntN(8), p.r.IntN(8)}[:p.r.IntN(3)]
	n[4] = CompactVaryings(p.producer, p.consumer, kept)
	check("CompactVaryings")
	for _, s := range []*ir.Shader{p.producer, p.consumer} {
		for _, m := range []ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
			comps, slots := VaryingSize(s, m)
			p.say(comps, slots)
		}
	}
	return n
}

// say adds what a step returned.
func (p *linkPair) say(v ...any) { p.said += fmt.Sprintf("%+v\n", v) }

// newLinkPair makes a pair. Most of what the consumer declares the producer does too, now and then in another shape or at another place.
func newLinkPair(seed uint64) *linkPair {
	p := &linkPair{r: rand.New(rand.NewPCG(seed, 0x6c696e6b))}
	stage := ir.StageVertex
	if seed%4 == 3 {
		stage = ir.StageGeometry
	}
	p.producer, p.consumer = ir.NewShader(stage, nil), ir.NewShader(ir.StageFragment, nil)
	if stage == ir.StageGeometry {
		p.producer.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: 1, InPrimitive: 0, OutPrimitive: 0}
	}
	out, in := entryOf(p.producer), entryOf(p.consumer)
	given := p.givenValues(out)
	sum := in.ImmFloat(0, 32)
	taken := map[[2]int32]bool{}
	for n := range 2 + p.r.IntN(10) {
		v := p.varying(n, taken)
		if v == nil {
			continue
		}
		if p.stream = 0; stage == ir.StageGeometry && p.r.IntN(4) == 0 {
			p.stream = 1 // which no other stage reads
			p.produce(out, v, given)
			continue
		}
		if p.r.IntN(5) > 0 {
			p.produce(out, v, given)
		}
		if p.r.IntN(5) > 0 {
			sum = p.consume(in, v, sum)
		}
	}
	if stage == ir.StageGeometry {
		out.Intrinsic(ir.IntrEmitVertex, 0, 0)
	}
	color := p.consumer.NewVariable(ir.ModeShaderOut, ir.VectorType(ir.BaseFloat, 32, 4), "color")
	color.Location = int32(ir.SlotData0)
	in.StoreVar(color, in.Vec(sum, sum, in.ImmFloat(2, 32), sum), 15)
	return p
}

// entryOf makes the entry point of a shader, and a builder in it.
func entryOf(s *ir.Shader) *ir.Builder {
	f := s.NewFunction("main")
	f.IsEntry = true
	return ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
}

// givenValues are words that differ between vertices and words that do not.
func (p *linkPair) givenValues(b *ir.Builder) []*ir.Def {
	list := []*ir.Def{b.ImmFloat(0.5, 32), b.ImmFloat(3, 32), b.Imm32(7)}
	if p.producer.Stage != ir.StageVertex {
		return append(list, &b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def)
	}
	in := p.producer.NewVariable(ir.ModeShaderIn, ir.VectorType(ir.BaseFloat, 32, 4), "in")
	in.Location = int32(ir.SlotAttrib0)
	v := b.LoadVar(in)
	for c := range 4 {
		list = append(list, b.Channel(v, c))
	}
	return list
}

// varying is the next variable of an interface, as its consumer has it; nil if its place is taken.
func (p *linkPair) varying(n int, taken map[[2]int32]bool) *ir.Variable {
	base, bits, rows := []ir.Base{ir.BaseFloat, ir.BaseFloat, ir.BaseFloat, ir.BaseInt, ir.BaseUint}[p.r.IntN(5)], uint8(32), uint8(1+p.r.IntN(4))
	if p.r.IntN(6) == 0 {
		bits = 16
	}
	v := &ir.Variable{Name: fmt.Sprint("v", n), Type: ir.VectorType(base, bits, rows), Location: int32(ir.SlotVar0) + int32(p.r.IntN(8)), Component: uint8(p.r.IntN(5 - int(rows)))}
	slots := int32(1)
	if p.r.IntN(5) == 0 {
		slots = int32(1 + p.r.IntN(3))
		v.Type = ir.ArrayType(v.Type, uint32(slots), 0)
	}
	for k := range slots {
		for c := range int32(rows) {
			if taken[[2]int32{v.Location + k, int32(v.Component) + c}] {
				return nil
			}
		}
	}
	for k := range slots {
		for c := range int32(rows) {
			taken[[2]int32{v.Location + k, int32(v.Component) + c}] = true
		}
	}
	v.Interp = ir.InterpFlat
	if base == ir.BaseFloat {
		v.Interp = []ir.Interp{ir.InterpNone, ir.InterpSmooth, ir.InterpNoPerspective, ir.InterpFlat}[p.r.IntN(4)]
	}
	v.Centroid, v.Mediump, v.AlwaysActive = p.r.IntN(8) == 0, p.r.IntN(3) == 0, p.r.IntN(12) == 0
	return v
}

// declareLike gives a shader a variable like v.
func declareLike(s *ir.Shader, m ir.Mode, v *ir.Variable) *ir.Variable {
	x := s.NewVariable(m, v.Type, v.Name)
	x.Location, x.Component, x.Interp, x.Centroid, x.Mediump, x.AlwaysActive = v.Location, v.Component, v.Interp, v.Centroid, v.Mediump, v.AlwaysActive
	return x
}

// produce stores given words to a variable, most of its components and elements.
func (p *linkPair) produce(b *ir.Builder, like *ir.Variable, given []*ir.Def) {
	v := declareLike(p.producer, ir.ModeShaderOut, like)
	v.Stream = p.stream
	switch p.r.IntN(16) {
	case 0:
		if t := v.Type; t.IsVectorOrScalar() && v.Component+t.Rows < 4 {
			v.Type = ir.VectorType(t.Base, t.Bits, t.Rows+1)
		}
	case 1:
		v.Interp = ir.InterpNone
	case 2:
		v.AlwaysActive = true
	}
	t := v.Type.WithoutArray()
	whole := p.last
	defer func() { p.last = whole }()
	store := func(ptr *ir.Def) {
		comps := make([]*ir.Def, t.Rows)
		first, step := p.r.IntN(len(given)), p.r.IntN(2)
		for c := range comps {
			d := given[(first+c*step)%len(given)]
			if t.Bits == 16 {
				d = b.Channel(b.F2f16(d), 0)
			}
			comps[c] = d
		}
		mask := uint16(1)<<t.Rows - 1
		if p.r.IntN(8) == 0 {
			mask &^= 1 << p.r.IntN(int(t.Rows))
		}
		if mask != 0 {
			val := b.Vec(comps...)
			if whole != nil && whole.NumComponents == val.NumComponents && whole.BitSize == val.BitSize && p.r.IntN(3) == 0 {
				val = whole // two outputs are equal
			}
			whole = val
			b.StoreDeref(ptr, val, mask, 0)
		}
	}
	if !v.Type.IsArray() {
		store(b.DerefVar(v))
		if whole == nil {
			return
		}
		switch ptr := b.DerefVar(v); p.r.IntN(6) {
		case 0: // what was stored last, on one way
			if whole.NumComponents == t.Rows && whole.BitSize == t.Bits {
				i := b.PushIf(b.Flt(given[0], given[len(given)-1]))
				b.StoreDeref(ptr, whole, uint16(1)<<t.Rows-1, 0)
				b.PopIf(i)
			}
		case 1: // something else, on one way
			i := b.PushIf(b.Flt(given[0], given[len(given)-1]))
			before := whole
			store(ptr)
			whole = before // which is there on both ways
			b.PopIf(i)
		case 2: // nothing defined before
			if whole.NumComponents == t.Rows && whole.BitSize == t.Bits {
				b.StoreDeref(ptr, b.Undef(t.Rows, t.Bits), uint16(1)<<t.Rows-1, 0)
				b.StoreDeref(ptr, whole, uint16(1)<<t.Rows-1, 0)
			}
		}
		return
	}
	for k := range v.Type.Len {
		if p.r.IntN(6) > 0 {
			store(b.DerefArrayImm(b.DerefVar(v), int(k)))
		}
	}
}

// consume adds some components of a variable to sum.
func (p *linkPair) consume(b *ir.Builder, like *ir.Variable, sum *ir.Def) *ir.Def {
	v := declareLike(p.consumer, ir.ModeShaderIn, like)
	t := v.Type.WithoutArray()
	if t.Rows > 1 && v.Type == t && p.r.IntN(6) == 0 {
		v.Type = ir.VectorType(t.Base, t.Bits, t.Rows-1)
		t = v.Type
	}
	ptr := b.DerefVar(v)
	if v.Type.IsArray() {
		ptr = b.DerefArrayImm(ptr, p.r.IntN(int(v.Type.Len)))
	}
	d := b.LoadDeref(ptr, 0)
	for c := range int(t.Rows) {
		if p.r.IntN(4) == 0 {
			continue
		}
		x := b.Channel(d, c)
		switch {
		case v.Mediump && t.Base == ir.BaseFloat && t.Bits == 32:
			x = b.F2f32(b.F2f16(x))
		case t.Base == ir.BaseFloat && t.Bits == 16:
			x = b.F2f32(x)
		case t.Base != ir.BaseFloat && t.Bits == 16:
			x = b.U2f32(b.U2u32(x))
		case t.Base != ir.BaseFloat:
			x = b.U2f32(b.Iand(x, b.Imm32(255)))
		}
		sum = b.Fadd(b.Fmul(sum, b.ImmFloat(0.5, 32)), x)
	}
	return sum
}
