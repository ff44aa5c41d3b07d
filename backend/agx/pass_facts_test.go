package agx

import (
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPassFacts: each thing that a driver must know to choose the type of a pass is known of a main part from the one
// operation that makes it so.
func TestPassFacts(t *testing.T) {
	programs.Hold(t)
	separate := abi.Pass{SeparateTriangles: true}
	flag := func(b *ir.Builder, x ir.Intrinsic) *ir.Def {
		return b.Bcsel(&b.Intrinsic(x, 1, 1).Def, b.Imm32(1), b.Imm32(2))
	}
	reduce := func(op ir.Op, cluster uint64) func(b *ir.Builder) *ir.Def {
		return func(b *ir.Builder) *ir.Def {
			x := &b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def
			return &b.Intrinsic(ir.IntrReduce, 1, 32, x).Set(ir.IdxReductionOp, uint64(op)).Set(ir.IdxClusterSize, cluster).Def
		}
	}
	lookup := func(op ir.TexOp, kinds ...ir.TexSrc) func(b *ir.Builder) *ir.Def {
		return func(b *ir.Builder) *ir.Def { return lookedUp(b, op, kinds) }
	}
	for _, c := range []struct {
		name string
		body func(b *ir.Builder) *ir.Def
		want abi.Pass
	}{
		{"a colour", func(b *ir.Builder) *ir.Def { return b.Imm32(1) }, abi.Pass{}},
		{"an election", func(b *ir.Builder) *ir.Def { return flag(b, ir.IntrElect) }, separate},
		{"a sum", reduce(ir.OpIadd, 0), separate},
		{"a sum of quads", reduce(ir.OpIadd, 4), separate},
		{"the number of active lanes", func(b *ir.Builder) *ir.Def {
			return &b.Intrinsic(ir.IntrReduce, 1, 32, b.Imm32(1)).Set(ir.IdxReductionOp, uint64(ir.OpIadd)).Def
		}, separate},
		{"a ballot", func(b *ir.Builder) *ir.Def {
			odd := b.Ine(&b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def, b.Imm32(1))
			return &b.Intrinsic(ir.IntrBallot, 1, 32, odd).Def
		}, separate},
		{"a quad's swap", func(b *ir.Builder) *ir.Def {
			return &b.Intrinsic(ir.IntrQuadSwapHorizontal, 1, 32, &b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def).Def
		}, separate},
		{"a derivative", func(b *ir.Builder) *ir.Def {
			at := b.Channel(&b.Intrinsic(ir.IntrLoadPixelCoord, 2, 16).Def, 0)
			return &b.Intrinsic(ir.IntrDdx, 1, 32, b.U2f32(at)).Def
		}, separate},
		{"a lookup", lookup(ir.TexOpTex), separate},
		{"a lookup with a bias", lookup(ir.TexOpTxb, ir.TexSrcBias), separate},
		{"a lookup with a bound", lookup(ir.TexOpTex, ir.TexSrcMinLod), separate},
		{"a lookup with a bias and a bound", lookup(ir.TexOpTxb, ir.TexSrcBias, ir.TexSrcMinLod), separate},
		{"a query of the level", lookup(ir.TexOpLod), separate},
		{"a lookup of a level", lookup(ir.TexOpTxl, ir.TexSrcLod), abi.Pass{}},
		{"a gather", lookup(ir.TexOpTg4), abi.Pass{}},
		{"a store, which writes a depth too", func(b *ir.Builder) *ir.Def {
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), b.Imm32(7))
			return b.Imm32(1)
		}, abi.Pass{SeparateTriangles: true, WritesDepth: true}},
		{"a store after early tests", func(b *ir.Builder) *ir.Def {
			b.Shader.Info.EarlyFragmentTests = true
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), b.Imm32(7))
			return b.Imm32(1)
		}, abi.Pass{SeparateTriangles: true, WritesSampleMask: true}},
		{"a mask after early tests", func(b *ir.Builder) *ir.Def {
			b.Shader.Info.EarlyFragmentTests = true
			storeOutput(b, ir.SlotSampleMask, b.Imm32(1))
			return b.Imm32(1)
		}, abi.Pass{WritesSampleMask: true}},
		{"a stencil after early tests", func(b *ir.Builder) *ir.Def {
			b.Shader.Info.EarlyFragmentTests = true
			storeOutput(b, ir.SlotStencil, b.Imm32(1))
			return b.Imm32(1)
		}, abi.Pass{WritesSampleMask: true}},
		{"a depth after early tests", func(b *ir.Builder) *ir.Def {
			b.Shader.Info.EarlyFragmentTests = true
			storeOutput(b, ir.SlotDepth, b.Imm32(1))
			return b.Imm32(1)
		}, abi.Pass{WritesSampleMask: true}},
		{"a discard", func(b *ir.Builder) *ir.Def {
			b.Intrinsic(ir.IntrTerminateIf, 0, 0, b.Ine(&b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def, b.Imm32(1)))
			return b.Imm32(1)
		}, abi.Pass{WritesSampleMask: true}},
	} {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		v := c.body(b)
		storeOutput(b, ir.SlotData0, b.Vec(v, v, v, v))
		o, err := held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {})}))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if o.Meta.Pass != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, o.Meta.Pass, c.want)
		}
	}
}

// lookedUp is the first component of what a texture gives at the pixel's coordinates, with more sources of one half.
func lookedUp(b *ir.Builder, op ir.TexOp, kinds []ir.TexSrc) *ir.Def {
	s := b.Shader
	v := s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseSampledImage, Dim: ir.Dim2D, Texel: ir.BaseFloat, TexelBits: 32}, "t")
	v.HasBinding = true
	d, at := b.DerefVar(v), &b.Intrinsic(ir.IntrLoadPixelCoord, 2, 16).Def
	n := uint8(4)
	if op == ir.TexOpLod {
		n = 2
	}
	in := s.NewTex(op, n, 32)
	for _, src := range []struct {
		kind ir.TexSrc
		def  *ir.Def
	}{{ir.TexSrcTextureDeref, d}, {ir.TexSrcSamplerDeref, d}, {ir.TexSrcCoord, b.Vec(b.U2f32(b.Channel(at, 0)), b.U2f32(b.Channel(at, 1)))}} {
		s.AddTexSrc(in, src.kind, src.def)
	}
	for _, k := range kinds {
		s.AddTexSrc(in, k, b.ImmFloat(0.5, 32))
	}
	i := in.TexInfo()
	i.Dim, i.CoordComponents, i.DestType = ir.Dim2D, 2, ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	b.Insert(in)
	return b.Channel(&in.Def, 0)
}
