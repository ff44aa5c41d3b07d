package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Tile images (SPV_EXT_shader_tile_image) are what the colour attachments have where a fragment is: outputs that are
// read before anything is written. Depth and stencil are read so too, without a variable.

// tileType makes the type of a colour attachment: the four components that are read.
func (t *translator) tileType(id uint32, ty *typ, sh imageShape, texel *typ) {
	base := ir.BaseFloat
	switch {
	case texel.bits != 32:
		t.refuse(id, "tile images of %s are not supported: attachments are read as 32-bit numbers", texel)
	case texel.kind == tInt && texel.sign:
		base = ir.BaseInt
	case texel.kind == tInt:
		base = ir.BaseUint
	}
	ty.kind, ty.image, ty.elem = tImage, sh, texel
	ty.ir = ir.VectorType(base, 32, 4)
}

// tileVariable makes the output that an attachment, or an array of some, is read as.
func (t *translator) tileVariable(v *variable, i int) {
	if t.s.Stage != ir.StageFragment {
		t.fail(v.id, "a tile image in a %s shader", t.s.Stage)
	}
	at, ok := t.decOf(i, spv.DecorationLocation)
	if !ok {
		t.fail(v.id, "a tile image without a Location")
	}
	v.iv = t.s.NewVariable(v.mode, v.typ.ir, t.nameOf(v.id))
	v.iv.Location, v.iv.FBFetch = int32(ir.SlotData0)+int32(min(at, ir.NumVaryingSlots)), true
	if n := uint64(v.typ.ir.SlotCount()); uint64(at)+n > ir.MaxColors {
		t.refuse(v.id, "tile images at locations %d to %d are not supported, there are %d colour attachments", at, uint64(at)+n-1, ir.MaxColors)
	}
}

// readTile translates OpColorAttachmentReadEXT.
func (t *translator) readTile(in *inst) {
	v := t.val(t.arg(in, 0))
	ty := t.typeOf(in.typ)
	if v.kind != vOpaque || v.typ.kind != tImage || v.typ.image.dim != spv.DimTileImageDataEXT {
		t.fail(in.id, "%s: the attachment is no tile image", in.op)
	}
	n, _ := ty.shape()
	if !ty.narrow() || ty.scalarType() != v.typ.elem {
		t.fail(in.id, "%s: the result is no scalar or vector of %s", in.op, v.typ.elem)
	}
	p := v.obj.(*pointer)
	if p.v == nil || p.v.iv == nil {
		t.refuse(in.id, "a tile image that control flow or a caller chooses is not supported")
	}
	t.set(in, t.tileColor(p.v, t.tileIndex(t.derefOf(p)), t.tileSample(in, 1), n))
}

// readDepthStencil translates OpDepthAttachmentReadEXT and OpStencilAttachmentReadEXT.
func (t *translator) readDepthStencil(in *inst) {
	ty := t.typeOf(in.typ)
	slot, kind := ir.SlotDepth, ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	if in.op == spv.OpStencilAttachmentReadEXT {
		slot, kind.Class = ir.SlotStencil, ir.ClassUint
	}
	if ty.bits != 32 || slot == ir.SlotDepth && ty.kind != tFloat || slot == ir.SlotStencil && ty.kind != tInt {
		t.fail(in.id, "%s: the result is %s, not a 32-bit %s", in.op, ty, map[ir.Slot]string{ir.SlotDepth: "float", ir.SlotStencil: "integer"}[slot])
	}
	t.set(in, t.loadAttachment(slot, kind, t.tileSample(in, 0), 1))
}

// tileSample is the sample that operand k names, sample 0 where there is none.
func (t *translator) tileSample(in *inst, k int) *ir.Def {
	if len(in.args) <= k {
		return t.f.u32(0)
	}
	return t.intVector(t.arg(in, k), 1, 32)
}

// tileIndex is the number of an attachment in its array, nil of one by itself.
func (t *translator) tileIndex(d *ir.Def) (n *ir.Def) {
	for in := d.Instr; in.Deref == ir.DerefArray; in = in.Srcs[0].Def.Instr {
		at := in.Srcs[1].Def
		if n != nil { // what is inside counts by the elements of this one
			at = t.f.b.IMulImm(at, int64(in.DerefInfo().Type.SlotCount()))
			n = t.f.b.Iadd(n, at)
		} else {
			n = at
		}
	}
	return n
}

// tileColor reads the n-th attachment of a variable.
func (t *translator) tileColor(v *variable, n, sample *ir.Def, comps uint8) *ir.Def {
	read := func(k uint32) *ir.Def { return t.attachment(v, k, sample, comps) }
	if n == nil {
		return read(0)
	}
	if k, ok := n.Const(0); ok {
		return read(uint32(min(k, uint64(v.typ.ir.SlotCount()-1))))
	}
	b := t.f.b
	color := read(0)
	for k := uint32(1); k < uint32(v.typ.ir.SlotCount()); k++ {
		color = b.Bcsel(b.Ieq(n, b.Imm32(k)), read(k), color)
	}
	return color
}

// attachment reads components of the color of the k-th attachment of a variable.
func (t *translator) attachment(v *variable, k uint32, sample *ir.Def, comps uint8) *ir.Def {
	return t.loadAttachment(ir.Slot(v.iv.Location)+ir.Slot(k), tileClass(v.typ), sample, comps)
}

// loadAttachment reads components of what the attachment of a fragment result has in a sample.
func (t *translator) loadAttachment(slot ir.Slot, kind ir.ALUType, sample *ir.Def, comps uint8) *ir.Def {
	sem := ir.IOSemantics{Location: slot, NumSlots: 1, FBFetch: true}
	return &t.f.b.Intrinsic(ir.IntrLoadAttachment, comps, 32, sample).Set(ir.IdxDestType, kind.Pack()).Set(ir.IdxIoSemantics, sem.Pack()).Def
}

// tileClass is the kind of numbers that a tile image, or an array of them, has.
func tileClass(ty *typ) ir.ALUType {
	c := ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	switch e := ty.withoutArray().elem; {
	case e.kind == tInt && e.sign:
		c.Class = ir.ClassInt
	case e.kind == tInt:
		c.Class = ir.ClassUint
	}
	return c
}
