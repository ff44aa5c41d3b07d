package midgard

import (
	"strconv"
	"strings"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// The fixed functions of this hardware know no clip and cull distances: the fragment
// program drops what they cut off. A vertex program stores clip distances as varyings, and
// of each cull distance whether the vertex is inside, 1 or 0 (backend.StoreCullFlags). Where that is 0 at all
// vertices of a primitive, and only there, it is 0 with all its derivatives.

// parseDistances reads "N+M" or "N": numbers of clip and of cull distances.
func parseDistances(text string) (clip, cull int, err error) {
	n, m, both := strings.Cut(text, "+")
	if clip, err = strconv.Atoi(n); err == nil && both {
		cull, err = strconv.Atoi(m)
	}
	if err != nil || clip < 0 || cull < 0 || clip+cull < 1 || clip+cull > 8 {
		return 0, 0, ir.Unsupportedf("midgard: %q clip and cull distances are not supported, a stage has 1 to 8 in all, as in clip:2+1", text)
	}
	return clip, cull, nil
}

// lowerClipDistances rewrites the stores of a vertex shader and begins a fragment shader
// with the tests.
func (c *compiler) lowerClipDistances() error {
	switch {
	case faults.has(faultClip):
	case c.s.Stage == ir.StageVertex && c.opts.Next == ir.StageNone:
		c.s.Info.CullDistances = uint8(backend.StoreCullFlags(c.s, c.impl(), abi.InsideSlot0))
	case c.s.Stage == ir.StageFragment && c.opts.Clip+c.opts.Cull > 0:
		if c.s.Info.EarlyFragmentTests {
			return backend.Refuse(TargetName, c.s, nil, "early fragment tests with clip or cull distances are not supported")
		}
		return c.dropClipped()
	}
	return nil
}

// dropClipped demotes the threads that distances cut off, where the program begins.
func (c *compiler) dropClipped() error {
	if c.opts.Cull > 0 {
		c.dropCulled()
	}
	// Clip distances of a fragment shader are no fact of its own, but of the stage before it.
	c.s.Info.ClipDistances = uint8(c.opts.Clip)
	defer func() { c.s.Info.ClipDistances = 0 }()
	return c.job.Lists.Run(c.s, "midgard_clip")
}

// dropCulled demotes the threads of primitives that are outside of a cull distance at all vertices.
func (c *compiler) dropCulled() {
	b := ir.NewBuilder(ir.AtStart(c.impl().Start()))
	varying := func(k int) *ir.Def {
		bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
		bary.Set(ir.IdxInterpMode, uint64(ir.InterpSmooth))
		sem := ir.IOSemantics{Location: abi.InsideSlot0 + ir.Slot(k/4), NumSlots: 1}
		v := b.Intrinsic(ir.IntrLoadInterpolatedInput, 1, 32, &bary.Def, b.Imm32(0)).Set(ir.IdxComponent, uint64(k%4)).Set(ir.IdxIoSemantics, sem.Pack())
		return &v.Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
	}
	out := b.ImmBool(false)
	for k := range c.opts.Cull {
		v := varying(k)
		dx, dy := b.Intrinsic(ir.IntrDdx, 1, 32, v), b.Intrinsic(ir.IntrDdy, 1, 32, v)
		all := b.Feq(v, b.ImmFloat(0, 32))
		for _, d := range []*ir.Def{&dx.Def, &dy.Def} {
			all = b.Iand(all, b.Feq(d, b.ImmFloat(0, 32)))
		}
		out = b.Ior(out, all)
	}
	b.Effect(ir.IntrDemoteIf, out)
	c.impl().Preserve(ir.MetaControlFlow)
}

// Dropper compiles the fragment program of pipelines that have none of their own, but
// distances as those of an ABI, backend.ClipABI and the numbers.
func (t Target) Dropper(abi string, lists passes.Lists) (*object.Object, error) {
	s := ir.NewShader(ir.StageFragment, nil)
	s.Name = "clip"
	s.NewFunction("main").IsEntry = true
	return t.Compile(s, &backend.Job{ABI: abi, Lists: lists})
}
