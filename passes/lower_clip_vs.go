package passes

import "nirc/ir"

var clipPlanesOption = []Option{{Name: "planes", Doc: "bit i: plane i is enabled", Default: 0}}

// maxClipPlanes is the number of clip distances in two slots.
const maxClipPlanes = 8

var lowerClipVSPass = &Pass{
	Name: "lower_clip_vs", Class: "B", Run: lowerClipVS, Idempotent: true,
	Doc: "Computes the distances of the position to enabled user clip planes and stores them as clip distances. Input: a shader of the last stage before the " +
		"rasteriser, after lower_io, that stores its whole position. Output: store_output of CLIP_DIST0 and CLIP_DIST1 after each store of the position, the " +
		"planes by load_user_clip_plane, or from the push constants, clip_distances in the shader's facts. A shader that writes clip distances of its own is left alone. Geometry shaders " +
		"take it too: each vertex stores its position before it is emitted.",
	Options: append(clipPlanesOption[:1:1], Option{"push", "offset of plane 0, four floats, in the push constants, -1: by load_user_clip_plane", -1}),
}

func lowerClipVS(c *Context, s *ir.Shader) (bool, error) {
	planes, push := c.Int("planes")&(1<<maxClipPlanes-1), c.Int("push")
	if err := checkPush(push); err != nil {
		return false, err
	}
	if planes == 0 || s.Stage == ir.StageFragment || s.Stage == ir.StageCompute || s.Stage == ir.StageTessCtrl {
		return false, nil
	}
	own := false
	for _, slot := range []ir.Slot{ir.SlotClipDist0, ir.SlotClipDist1} {
		for _, f := range s.Functions {
			if f.Impl != nil && len(storesOf(f.Impl, slot)) > 0 {
				own = true
			}
		}
	}
	if own {
		return false, nil
	}
	var refused error
	progress := outputStores(s, ir.SlotPos, func(in *ir.Instr) {
		if in.Get(ir.IdxWriteMask) != 15 || in.Srcs[0].Def.NumComponents != 4 {
			refused = diag(s, in, "the position must be stored whole")
			return
		}
		storeDistances(in, planes, push)
	})
	if progress {
		n := uint8(0)
		for planes>>n != 0 {
			n++
		}
		s.Info.ClipDistances = n
	}
	return progress, refused
}

// storeDistances stores the distances after the store of a position. Planes
// that are off below one that is on have distance 0: nothing is outside.
func storeDistances(in *ir.Instr, planes, push int) {
	b := builderBefore(in)
	b.Cursor = ir.After(in)
	pos := full(b, in.Srcs[0].Def)
	for half := range 2 {
		on := planes >> (4 * half)
		if on == 0 {
			break
		}
		var d [4]*ir.Def
		n := 0
		for k := range 4 {
			if on>>k == 0 {
				break
			}
			d[k] = b.ImmFloat(0, 32)
			if on>>k&1 != 0 {
				d[k] = b.Fdot4(pos, clipPlane(b, 4*half+k, push))
			}
			n++
		}
		slot := ir.SlotClipDist0 + ir.Slot(half)
		sem := ir.IOSemantics{Location: slot, NumSlots: 1, GSStreams: ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).GSStreams}
		st := b.Effect(ir.IntrStoreOutput, b.Vec(d[:n]...), b.Imm32(0))
		st.Set(ir.IdxBase, uint64(slot)).Set(ir.IdxRange, 1).Set(ir.IdxWriteMask, 1<<n-1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		st.Set(ir.IdxIoSemantics, sem.Pack())
	}
}

// clipPlane loads a plane.
func clipPlane(b *ir.Builder, k, push int) *ir.Def {
	if push >= 0 {
		return pushFloats(b, push+16*k, 4)
	}
	return &b.Intrinsic(ir.IntrLoadUserClipPlane, 4, 32).Set(ir.IdxUcpId, uint64(k)).Def
}
