package passes

import (
	"fmt"
	"strings"

	"nirc/ir"
)

var lowerNonUniformAccessPass = &Pass{
	Name: "lower_non_uniform_access", Class: "B", Run: lowerNonUniformAccess, Idempotent: true,
	Instead: "descriptors: ir3 and AGX take indices that differ between lanes, midgard runs lanes by themselves; it stays for targets that take one descriptor a wave",
	Doc: "Puts accesses whose descriptor may differ between lanes (non_uniform) into a loop: the first active lane's descriptor index is read by all, the lanes that have the same run the access " +
		"and leave, the others go round again. For targets whose descriptors must be uniform in a subgroup. Takes buffer accesses after lower_explicit_io (their handle), texture operations and " +
		"image accesses through derefs (their array indices) or handles. The lowered access is uniform: the mark goes. Quads stay together, for Vulkan wants the descriptors of implicit derivatives uniform in a quad.",
	Options: []Option{
		{"types", "what to lower: ubo, ssbo, texture, image, size or all; ubo|ssbo combines", "all"},
	},
}

// accessKinds are what the pass lowers.
type accessKinds struct{ ubo, ssbo, texture, image, size bool }

func parseAccessKinds(list string) (k accessKinds, err error) {
	for _, n := range strings.Split(list, "|") {
		switch n {
		case "ubo":
			k.ubo = true
		case "ssbo":
			k.ssbo = true
		case "texture":
			k.texture = true
		case "image":
			k.image = true
		case "size":
			k.size = true
		case "all":
			k = accessKinds{true, true, true, true, true}
		default:
			return k, fmt.Errorf("types=%s: want ubo, ssbo, texture, image, size or all", list)
		}
	}
	return k, nil
}

func lowerNonUniformAccess(c *Context, s *ir.Shader) (bool, error) {
	kinds, err := parseAccessKinds(c.String("types"))
	if err != nil {
		return false, err
	}
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		var found []*ir.Instr
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if kinds.has(in) {
					found = append(found, in)
				}
			}
		}
		for _, in := range found {
			waterfall(in)
		}
		return len(found) > 0
	}), nil
}

// has reports whether in is a non-uniform access of a wanted kind.
func (k accessKinds) has(in *ir.Instr) bool {
	if in.Kind == ir.KindTex {
		return k.texture && (in.TexInfo().TextureNonUniform || in.TexInfo().SamplerNonUniform)
	}
	if in.Kind != ir.KindIntrinsic || !in.Has(ir.IdxAccess) || ir.Access(in.Get(ir.IdxAccess))&ir.AccessNonUniform == 0 {
		return false
	}
	switch m := in.Memory(); m.Space {
	case ir.SpaceUbo:
		return k.ubo
	case ir.SpaceSsbo:
		if m.Op == ir.MemQuery {
			return k.size
		}
		return k.ssbo
	case ir.SpaceImage:
		return k.image
	}
	return false
}

// texHandles are the sources of a texture operation that choose descriptors.
var texHandles = [...]ir.TexSrc{ir.TexSrcTextureDeref, ir.TexSrcTextureHandle, ir.TexSrcTextureOffset, ir.TexSrcSamplerDeref, ir.TexSrcSamplerHandle, ir.TexSrcSamplerOffset,
	ir.TexSrcTexture2Deref}

// fall is one waterfall: b stands in it, first maps a value that must be
// uniform to the first lane's.
type fall struct {
	b      *ir.Builder
	copies *ir.Cloner
	from   []*ir.Def
	first  []*ir.Def
}

// waterfall lowers one access.
func waterfall(in *ir.Instr) {
	s := in.Block.Impl().Shader
	var handles []*ir.Src
	if in.Kind == ir.KindTex {
		t := in.TexInfo()
		for _, k := range texHandles {
			if src := in.TexSrc(k); src != nil {
				handles = append(handles, src)
			}
		}
		t.TextureNonUniform, t.SamplerNonUniform = false, false
	} else {
		handles = append(handles, bufferHandle(in))
		in.Set(ir.IdxAccess, in.Get(ir.IdxAccess)&^uint64(ir.AccessNonUniform))
	}
	f := &fall{copies: ir.NewCloner(in.Block.Impl(), in.Block.Impl())}
	for _, h := range handles {
		f.collect(h.Def)
	}
	if len(f.from) == 0 {
		return // a constant descriptor
	}
	old := s.SetLoc(in.Loc)
	defer s.SetLoc(old)
	f.b = ir.NewBuilder(ir.Before(in))
	l := f.b.PushLoop()
	var same *ir.Def
	for _, d := range f.from {
		r := &f.b.Intrinsic(ir.IntrReadFirstInvocation, d.NumComponents, d.BitSize, d).Def
		f.first = append(f.first, r)
		for c := range int(d.NumComponents) {
			eq := f.b.Ieq(f.b.Channel(d, c), f.b.Channel(r, c))
			if same != nil {
				eq = f.b.Iand(same, eq)
			}
			same = eq
		}
	}
	f.b.PushIf(same)
	for _, h := range handles {
		h.Set(f.rebuild(h.Def))
	}
	in.MoveTo(f.b.Cursor)
	f.b.Jump(ir.JumpBreak)
	f.b.PopLoop(l)
	if in.HasDef() && !in.Def.Unused() {
		// Values leave a loop by a phi, so that passes see where they do.
		phi := s.NewPhi(in.Def.NumComponents, in.Def.BitSize)
		ir.AtStart(l.After()).Insert(phi)
		in.Def.RewriteUses(&phi.Def)
		s.AddPhiSrc(phi, in.Block, &in.Def)
	}
}

// linkSrcs splits the sources of a link of what leads to a descriptor (a deref,
// an index or descriptor of a Vulkan resource, a move): in through the chain goes on,
// at is an index; -1 if there is none. ok is false of anything else.
func linkSrcs(x *ir.Instr) (through, at int, ok bool) {
	switch {
	case x.Kind == ir.KindDeref:
		switch x.Deref {
		case ir.DerefVar:
			return -1, -1, true
		case ir.DerefArray, ir.DerefPtrAsArray:
			return 0, 1, true
		}
		return 0, -1, true
	case x.IsIntrinsic(ir.IntrVulkanResourceIndex):
		return -1, 0, true
	case x.IsIntrinsic(ir.IntrVulkanResourceReindex):
		return 0, 1, true
	case x.IsIntrinsic(ir.IntrLoadVulkanDescriptor), x.IsALU(ir.OpMov):
		return 0, -1, true
	}
	return -1, -1, false
}

// collect notes the values that choose a descriptor: the indices of the chain
// that leads to it, or the handle itself.
func (f *fall) collect(d *ir.Def) {
	through, at, ok := linkSrcs(d.Instr)
	if !ok {
		f.note(d)
		return
	}
	if at >= 0 {
		f.note(d.Instr.Srcs[at].Def)
	}
	if through >= 0 {
		f.collect(d.Instr.Srcs[through].Def)
	}
}

func (f *fall) note(d *ir.Def) {
	if d.IsConst() {
		return
	}
	for _, x := range f.from {
		if x == d {
			return
		}
	}
	f.from = append(f.from, d)
}

// rebuild makes the descriptor again, of the first lane's values.
func (f *fall) rebuild(d *ir.Def) *ir.Def {
	for i, x := range f.from {
		if x == d {
			return f.first[i]
		}
	}
	through, at, ok := linkSrcs(d.Instr)
	if !ok || through < 0 && at < 0 {
		return d
	}
	n := f.copies.Instr(d.Instr)
	for _, i := range [...]int{through, at} {
		if i >= 0 {
			n.Srcs[i].Set(f.rebuild(d.Instr.Srcs[i].Def))
		}
	}
	return &f.b.Insert(n).Def
}
