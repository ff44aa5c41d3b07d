package ir

import (
	"fmt"
	"strconv"
	"strings"

	"nirc/ir/optab"
)

// instr prints one instruction without indent and line end.
func (p *printer) instr(in *Instr) {
	comment, start := "", p.b.Len()
	if in.HasDef() {
		p.f("%s:%s = ", p.val(&in.Def), sizeString(in.Def.BitSize, in.Def.NumComponents))
	}
	switch in.Kind {
	case KindALU:
		p.alu(in)
	case KindIntrinsic:
		p.intrinsic(in)
	case KindTex:
		p.tex(in)
	case KindDeref:
		p.deref(in)
	case KindLoadConst:
		comment = p.loadConst(in)
	case KindUndef:
		p.f("undef")
	case KindPhi:
		p.f("phi")
		for i, b := range in.PhiInfo().Preds {
			if i > 0 {
				p.f(",")
			}
			p.f(" %s: %s", p.blockName(b), p.src(in, i))
		}
	case KindParallelCopy:
		p.parallelCopy(in)
	case KindJump:
		p.f("%s", jumpNames[in.Jump])
	case KindCall:
		p.call(in)
	}
	if p.o.Instr != nil {
		p.o.Instr(in, p.b.String()[start:])
	}
	if p.o.Locs && in.Loc != 0 {
		p.f(" #%d", in.Loc)
	}
	if in.Def.Name != 0 && p.s != nil && int(in.Def.Name) < len(p.s.Names) {
		name := strconv.Quote(p.s.Names[in.Def.Name])
		if p.o.Locs {
			p.f(" %s", name)
		} else {
			comment = strings.TrimSpace(comment + " " + name[1:len(name)-1])
		}
	}
	if comment != "" {
		p.f(" // %s", comment)
	}
}

// src names source i; a broken instruction, which may lack it, prints too.
func (p *printer) src(in *Instr, i int) string {
	if i >= len(in.Srcs) {
		return "%none"
	}
	return p.val(in.Srcs[i].Def)
}

var jumpNames = [...]string{"return", "halt", "break", "continue"}

func (p *printer) alu(in *Instr) {
	p.f("%s", in.Op)
	if in.Exact {
		p.f("!")
	}
	var a attrs
	a.flag("nsw", in.NoSignedWrap)
	a.flag("nuw", in.NoUnsignedWrap)
	a.flag("mediump", in.Relaxed)
	a.word("fm", fmt.Sprintf("0x%x", uint32(in.FastMath)), in.FastMath != 0)
	if len(a) > 0 {
		p.f(" {%s}", strings.Join(a, " "))
	}
	for i := range in.Srcs {
		if i > 0 {
			p.f(",")
		}
		s := &in.Srcs[i]
		p.f(" %s", p.val(s.Def))
		n := int(in.Def.NumComponents)
		if int(in.Op) < NumOps && i < len(in.Op.Info().In) { // a broken instruction prints too
			n = in.SrcComps(i)
		}
		if s.Def != nil && (int(s.Def.NumComponents) != n || !s.Swizzle.Same(IdentitySwizzle, n)) {
			p.f(".%s", swizzleLetters(s.Swizzle, n))
		}
	}
}

func (p *printer) intrinsic(in *Instr) {
	p.f("%s", in.Intr)
	for i := range in.Srcs {
		if i > 0 {
			p.f(",")
		}
		p.f(" %s", p.src(in, i))
	}
	if int(in.Intr) >= NumIntrinsics {
		return
	}
	for i, x := range in.Intr.Info().Indices {
		if i >= len(in.Imm) {
			break
		}
		if v := in.Imm[i]; v != 0 {
			p.f(" %s=%s", x, indexText(x, v, p.stage(), in))
		}
	}
}

func (p *printer) stage() Stage {
	if p.s == nil {
		return StageNone
	}
	return p.s.Stage
}

// ioMode tells which name space an io_semantics location is in.
func ioMode(in *Instr) Mode {
	name := in.Intr.String()
	if strings.Contains(name, "output") || name == "load_attachment" {
		return ModeShaderOut
	}
	return ModeShaderIn
}

// indexText spells the value of a constant index.
func indexText(x Index, v uint64, stage Stage, in *Instr) string {
	switch x {
	case optab.IdxWriteMask:
		return maskLetters(v)
	case optab.IdxAccess, optab.IdxDstAccess, optab.IdxSrcAccess:
		if v < 1<<len(accessNames) {
			return accessString(Access(v))
		}
	case optab.IdxMemoryModes:
		if v < uint64(modeEnd) {
			return Mode(v).String()
		}
	case optab.IdxAtomicOp:
		return enumText(AtomicOpNames[:], v)
	case optab.IdxMemoryScope, optab.IdxExecutionScope:
		return enumText(ScopeNames[:], v)
	case optab.IdxImageDim:
		return enumText(dimNames[:], v)
	case optab.IdxRayQueryValue:
		return rayQueryText(v)
	case optab.IdxInterpMode:
		return enumText(interpNames[:], v)
	case optab.IdxReductionOp:
		if v < uint64(NumOps) {
			return Op(v).String()
		}
	case optab.IdxSrcType, optab.IdxDestType:
		if t := UnpackALUType(v); t.Class <= ClassBool && t.Pack() == v && t.Class != 0 {
			return t.String()
		}
	case optab.IdxIoSemantics:
		if s := UnpackIOSemantics(v); s.Pack() == v {
			return ioText(s, stage, ioMode(in))
		}
	}
	if v > 1<<20 {
		return fmt.Sprintf("0x%x", v)
	}
	return itoa(v)
}

func enumText(names []string, v uint64) string {
	if v < uint64(len(names)) {
		return names[v]
	}
	return itoa(v)
}

func maskLetters(v uint64) string {
	if v >= 1<<16 {
		return itoa(v)
	}
	var b []byte
	for i := 0; i < 16; i++ {
		if v>>i&1 != 0 {
			b = append(b, letters[i])
		}
	}
	return string(b)
}

func ioText(s IOSemantics, stage Stage, mode Mode) string {
	a := attrs{slotName(stage, mode, int32(s.Location)), itoa(uint64(s.NumSlots))}
	a.intNot("dual", int64(s.DualSourceIndex), 0)
	a.intNot("streams", int64(s.GSStreams), 0)
	for _, f := range ioFlags(&s) {
		a.flag(f.name, *f.ptr.(*bool))
	}
	return "{" + strings.Join(a, " ") + "}"
}

func ioFlags(s *IOSemantics) []namedField {
	return []namedField{{"fb_fetch", &s.FBFetch}, {"mediump", &s.MediumPrecision}, {"per_view", &s.PerView}, {"high16", &s.High16},
		{"invariant", &s.Invariant}, {"high_dvec2", &s.HighDvec2}, {"no_varying", &s.NoVarying}, {"no_sysval", &s.NoSysvalOutput}, {"explicit", &s.InterpExplicit}}
}

func (p *printer) tex(in *Instr) {
	t := in.TexInfo()
	p.f("%s", in.TexOp)
	for i, k := range t.SrcKinds {
		p.f(" %s=%s", k, p.src(in, i))
	}
	var a attrs
	a.word("dim", t.Dim.String(), true)
	a.word("dest", t.DestType.String(), true)
	for _, f := range texFields(t) {
		a.field(f)
	}
	if t.HasOffsets {
		s := "offsets="
		for i, o := range t.Offsets {
			if i > 0 {
				s += ","
			}
			s += fmt.Sprintf("%d,%d", o[0], o[1])
		}
		a = append(a, s)
	}
	p.f(" %s", strings.Join(a, " "))
}

// texFields names the plain fields of a TexInfo for printer and parser.
func texFields(t *TexInfo) []namedField {
	return []namedField{
		{"array", &t.IsArray}, {"shadow", &t.IsShadow}, {"new_style_shadow", &t.NewStyleShadow}, {"sparse", &t.IsSparse},
		{"coord_components", &t.CoordComponents}, {"component", &t.Component}, {"texture_index", &t.TextureIndex},
		{"sampler_index", &t.SamplerIndex}, {"texture_non_uniform", &t.TextureNonUniform}, {"sampler_non_uniform", &t.SamplerNonUniform},
		{"gather_implicit_lod", &t.GatherImplicitLod}, {"lowered_cube", &t.ArrayIsLoweredCube}, {"backend_flags", &t.BackendFlags},
		{"mediump", &t.Precise16}, {"can_speculate", &t.CanSpeculate}, {"skip_helpers", &t.SkipHelpers},
		{"texture_base", &t.TextureBase}, {"aliased", &t.Aliased}, {"sampler_set", &t.SamplerSet},
	}
}

func (p *printer) deref(in *Instr) {
	d := in.DerefInfo()
	switch in.Deref {
	case DerefVar:
		id := uint32(0)
		if d.Var != nil {
			id = d.Var.ID
		}
		p.f("deref_var @%d", id)
	case DerefArray:
		p.f("deref_array %s[%s]", p.src(in, 0), p.src(in, 1))
	case DerefArrayWildcard:
		p.f("deref_wildcard %s[*]", p.src(in, 0))
	case DerefPtrAsArray:
		p.f("deref_ptr %s + %s", p.src(in, 0), p.src(in, 1))
	case DerefStruct:
		p.f("deref_struct %s.%d", p.src(in, 0), d.Field)
	case DerefCast:
		p.f("deref_cast %s (%s %s)", p.src(in, 0), d.Modes, p.typ(d.Type))
		if d.PtrStride != 0 {
			p.f(" stride=%d", d.PtrStride)
		}
		if d.AlignMul != 0 {
			p.f(" align=%d+%d", d.AlignMul, d.AlignOffset)
		}
	}
	if d.InBounds {
		p.f(" inbounds")
	}
}

func (p *printer) loadConst(in *Instr) (comment string) {
	p.f("load_const ")
	n := len(in.Imm)
	if n > 1 {
		p.f("(")
	}
	var c []string
	for i, v := range in.Imm {
		if i > 0 {
			p.f(", ")
		}
		if in.Def.BitSize == 1 {
			p.f("%t", v != 0)
			continue
		}
		p.f("0x%x", v)
		if s := constComment(v, in.Def.BitSize); s != "" {
			c = append(c, s)
		}
	}
	if n > 1 {
		p.f(")")
	}
	return strings.Join(c, ", ")
}

func (p *printer) parallelCopy(in *Instr) {
	p.f("parallel_copy (")
	for i := range in.CopyInfo().Entries {
		e := &in.CopyInfo().Entries[i]
		if i > 0 {
			p.f(", ")
		}
		if e.DstReg != nil {
			p.f("reg %s", p.val(e.DstReg))
		} else {
			p.f("%s:%s", p.val(&e.Dst), sizeString(e.Dst.BitSize, e.Dst.NumComponents))
		}
		p.f(" <- ")
		if e.SrcIsReg {
			p.f("reg ")
		}
		p.f("%s", p.src(in, i))
	}
	p.f(")")
}

func (p *printer) call(in *Instr) {
	callee := in.CallInfo().Callee
	n := -1
	if p.s != nil {
		for i, f := range p.s.Functions {
			if f == callee {
				n = i
			}
		}
	}
	p.f("call f%d(", n)
	for i := range in.Srcs {
		if i > 0 {
			p.f(", ")
		}
		p.f("%s", p.src(in, i))
	}
	p.f(")")
}
