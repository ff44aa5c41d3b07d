package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// PrintOptions choose what the text form shows.
type PrintOptions struct {
	// Locs keeps source locations and the names of values: the text then reads
	// back to a shader equal in every field.
	Locs bool
	// Instr is handed the text of each instruction, without its place, its name and
	// comments, in the order of the text.
	Instr func(in *Instr, text string)
	// CFG prints each block's predecessors and successors as a comment.
	CFG bool
}

// Print returns the shader's text form, which Parse reads back. Values and
// blocks are numbered in the order of the text.
func Print(s *Shader) string { return PrintWith(s, PrintOptions{}) }

// PrintWith is Print with options.
func PrintWith(s *Shader, o PrintOptions) string {
	p := &printer{s: s, o: o}
	p.shader()
	return p.b.String()
}

// PrintInstr returns one instruction in the text form, values named by Def.Index.
func PrintInstr(in *Instr) string {
	p := &printer{raw: true}
	if in.Block != nil {
		p.s = in.Block.impl.Shader
	}
	p.instr(in)
	return strings.TrimSpace(p.b.String())
}

type printer struct {
	s      *Shader
	o      PrintOptions
	b      strings.Builder
	indent int
	raw    bool // values by Def.Index, blocks by Index
	num    []uint32
	blocks map[*Block]int // dumps only
	types  []*Type
}

func (p *printer) f(format string, a ...any) { fmt.Fprintf(&p.b, format, a...) }

func (p *printer) line(format string, a ...any) {
	p.tab()
	p.f(format, a...)
	p.b.WriteByte('\n')
}

func (p *printer) tab() {
	for i := 0; i < p.indent; i++ {
		p.b.WriteString("  ")
	}
}

func (p *printer) shader() {
	s := p.s
	p.line("shader %s %s {", s.Stage, strconv.Quote(s.Name))
	p.indent++
	p.info()
	if len(s.ConstantData) > 0 {
		p.line("constant_data = 0x%x", s.ConstantData)
	}
	if s.ScratchSize != 0 {
		p.line("scratch_size = %d", s.ScratchSize)
	}
	if s.SharedSize != 0 {
		p.line("shared_size = %d", s.SharedSize)
	}
	p.collectTypes()
	for i, t := range p.types {
		p.structType(i, t)
	}
	if p.o.Locs {
		for i, f := range s.Files[1:] {
			p.line("file %d = %s", i+1, strconv.Quote(f))
		}
		for i, f := range s.Funcs[1:] {
			p.line("func %d = %s", i+1, strconv.Quote(f))
		}
		for i, l := range s.Locs[1:] {
			text := fmt.Sprintf("loc %d = %d %d %d %d %d", i+1, l.File, l.Line, l.Col, l.ID, l.Word)
			if l.Func != 0 {
				text += fmt.Sprintf(" in %d", l.Func)
			}
			if l.Call != 0 {
				text += fmt.Sprintf(" at %d", l.Call)
			}
			p.line("%s", text)
		}
	}
	for _, v := range s.Variables {
		p.variable("var", v)
	}
	for i, f := range s.Functions {
		p.function(i, f)
	}
	p.indent--
	p.line("}")
}

// collectTypes lists the struct types that variables, parameters and casts
// mention, members before what holds them.
func (p *printer) collectTypes() {
	for _, v := range p.s.Variables {
		p.addType(v.Type)
		p.addType(v.InterfaceType)
	}
	for _, f := range p.s.Functions {
		for _, a := range f.Params {
			p.addType(a.Type)
		}
		if f.Impl == nil {
			continue
		}
		for _, v := range f.Impl.Locals {
			p.addType(v.Type)
		}
		for b := range f.Impl.Blocks() {
			for in := b.first; in != nil; in = in.next {
				if in.Kind == KindDeref && in.Deref == DerefCast {
					p.addType(in.DerefInfo().Type)
				}
			}
		}
	}
}

func (p *printer) addType(t *Type) {
	for t != nil && t.Base == BaseArray {
		t = t.Elem
	}
	if t == nil || t.Base != BaseStruct || p.typeNum(t) >= 0 {
		return
	}
	for i := range t.Fields {
		p.addType(t.Fields[i].Type)
	}
	p.types = append(p.types, t)
}

func (p *printer) typeNum(t *Type) int {
	for i, u := range p.types {
		if u == t || u.Name == t.Name && u.Equal(t) {
			return i
		}
	}
	return -1
}

func (p *printer) structType(n int, t *Type) {
	block := ""
	if t.Block {
		block = " block"
	}
	p.line("type $%d = struct %s%s {", n, strconv.Quote(t.Name), block)
	p.indent++
	for i := range t.Fields {
		f := &t.Fields[i]
		p.tab()
		p.f("%s: %s", strconv.Quote(f.Name), p.typ(f.Type))
		for _, kv := range fieldAttrs(f) {
			p.f(" %s", kv)
		}
		p.b.WriteByte('\n')
	}
	p.indent--
	p.line("}")
}

func fieldAttrs(f *Field) []string {
	var a attrs
	a.intNot("offset", int64(f.Offset), -1)
	a.intNot("location", int64(f.Location), -1)
	a.intNot("component", int64(f.Component), 0)
	a.word("interp", f.Interp.String(), f.Interp != 0)
	a.flag("centroid", f.Centroid)
	a.flag("sample", f.Sample)
	a.flag("patch", f.Patch)
	a.flag("invariant", f.Invariant)
	a.word("access", accessString(f.Access), f.Access != 0)
	a.intNot("builtin", int64(f.BuiltIn), -1)
	a.intNot("xfb_buffer", int64(f.XfbBuffer), -1)
	a.intNot("xfb_offset", int64(f.XfbOffset), -1)
	a.flag("per_primitive", f.PerPrimitive)
	a.flag("mediump", f.RelaxedPrecis)
	return a
}

// attrs collects name=value words, leaving out defaults.
type attrs []string

func (a *attrs) intNot(name string, v, def int64) {
	if v != def {
		*a = append(*a, name+"="+strconv.FormatInt(v, 10))
	}
}

func (a *attrs) word(name, v string, show bool) {
	if show {
		*a = append(*a, name+"="+v)
	}
}

func (a *attrs) flag(name string, v bool) {
	if v {
		*a = append(*a, name)
	}
}

// field adds a field that is not zero.
func (a *attrs) field(f namedField) {
	switch v := f.ptr.(type) {
	case *bool:
		a.flag(f.name, *v)
	case *uint8:
		a.intNot(f.name, int64(*v), 0)
	case *uint32:
		a.intNot(f.name, int64(*v), 0)
	case *uint64:
		a.word(f.name, fmt.Sprintf("0x%x", *v), *v != 0)
	case *FloatControls:
		a.word(f.name, fmt.Sprintf("0x%x", uint32(*v)), *v != 0)
	}
}

func accessString(x Access) string {
	s := ""
	for i, n := range accessNames {
		if x&(1<<i) != 0 {
			if s != "" {
				s += "|"
			}
			s += n
		}
	}
	if s == "" {
		return "0"
	}
	return s
}

// typ spells a type: array suffixes give length and stride, matrices their
// stride after a colon with r for row major.
func (p *printer) typ(t *Type) string {
	switch {
	case t == nil:
		return "nil"
	case t.Base == BaseArray:
		n, st := "", ""
		if t.Len != 0 {
			n = strconv.FormatUint(uint64(t.Len), 10)
		}
		if t.Stride != 0 {
			st = ":" + strconv.FormatUint(uint64(t.Stride), 10)
		}
		return p.typ(t.Elem) + "[" + n + st + "]"
	case t.Base == BaseStruct:
		return "$" + strconv.Itoa(p.typeNum(t))
	case t.IsNumeric():
		s := t.String()
		if t.Stride != 0 {
			s += ":" + strconv.FormatUint(uint64(t.Stride), 10)
			if t.RowMajor {
				s += "r"
			}
		}
		return s
	case t.Base == BaseTexture || t.Base == BaseImage || t.Base == BaseSampledImage:
		s := t.String()
		if t.MS {
			s += "ms"
		}
		return s
	}
	return t.String()
}

func (p *printer) info() {
	i := &p.s.Info
	var a attrs
	if i.WorkgroupSize != [3]uint32{} {
		a = append(a, fmt.Sprintf("workgroup_size=%d,%d,%d", i.WorkgroupSize[0], i.WorkgroupSize[1], i.WorkgroupSize[2]))
	}
	for _, f := range infoFields(i) {
		a.field(f)
	}
	if len(a) > 0 {
		p.line("info { %s }", strings.Join(a, " "))
	}
	for k := range p.s.Captures {
		c := &p.s.Captures[k]
		var a attrs
		for _, f := range captureFields(c) {
			a = append(a, fmt.Sprintf("%s=%d", f.name, fieldValue(f)))
		}
		p.line("capture %s { %s }", slotName(p.s.Stage, ModeShaderOut, int32(c.Slot)), strings.Join(a, " "))
	}
	for k := range p.s.Arguments {
		p.line("%s", argumentText(&p.s.Arguments[k]))
	}
}

type namedField struct {
	name string
	ptr  any
}

// infoFields names the fields of Info for printer and parser.
func infoFields(i *Info) []namedField {
	return []namedField{
		{"inputs_read", &i.InputsRead[0]}, {"inputs_read_hi", &i.InputsRead[1]},
		{"outputs_written", &i.OutputsWritten[0]}, {"outputs_written_hi", &i.OutputsWritten[1]},
		{"outputs_read", &i.OutputsRead[0]}, {"outputs_read_hi", &i.OutputsRead[1]},
		{"inputs_read_indirectly", &i.InputsReadIndirectly[0]}, {"inputs_read_indirectly_hi", &i.InputsReadIndirectly[1]},
		{"outputs_accessed_indirectly", &i.OutputsAccessedIndirectly[0]}, {"outputs_accessed_indirectly_hi", &i.OutputsAccessedIndirectly[1]},
		{"textures_used", &i.TexturesUsed[0]}, {"textures_used_hi", &i.TexturesUsed[1]}, {"images_used", &i.ImagesUsed[0]}, {"images_used_hi", &i.ImagesUsed[1]},
		{"buffers_used", &i.BuffersUsed[0]}, {"buffers_used_hi", &i.BuffersUsed[1]},
		{"system_values_read", &i.SystemValuesRead[0]}, {"system_values_read_hi", &i.SystemValuesRead[1]},
		{"num_ubos", &i.NumUBOs}, {"num_ssbos", &i.NumSSBOs}, {"num_textures", &i.NumTextures}, {"num_images", &i.NumImages},
		{"writes_memory", &i.WritesMemory}, {"uses_discard", &i.UsesDiscard}, {"uses_demote", &i.UsesDemote},
		{"needs_quad_helpers", &i.NeedsQuadHelpers}, {"uses_control_barrier", &i.UsesControlBarrier},
		{"uses_sample_shading", &i.UsesSampleShading}, {"io_lowered", &i.IOLowered}, {"sample_inputs", &i.SampleInputs},
		{"non_coherent_color_reads", &i.NonCoherentColorReads},
		{"non_coherent_depth_reads", &i.NonCoherentDepthReads}, {"non_coherent_stencil_reads", &i.NonCoherentStencilReads},
		{"kernel", &i.Kernel}, {"workgroup_size_variable", &i.WorkgroupSizeVariable}, {"subgroup_size", &i.SubgroupSize},
		{"float_controls", &i.FloatControls}, {"derivative_group", &i.DerivativeGroup},
		{"zero_init_shared", &i.ZeroInitShared}, {"shared_explicit_layout", &i.SharedExplicitLayout},
		{"clip_distances", &i.ClipDistances}, {"cull_distances", &i.CullDistances},
		{"early_fragment_tests", &i.EarlyFragmentTests}, {"post_depth_coverage", &i.PostDepthCoverage},
		{"depth_layout", &i.DepthLayout}, {"depth_replacing", &i.DepthReplacing},
		{"stencil_replacing", &i.StencilReplacing}, {"full_quads", &i.FullQuads}, {"subgroup_uniform", &i.SubgroupUniform},
		{"maximally_reconverges", &i.MaximalR}, {"xfb", &i.Xfb},
		{"xfb_stride0", &i.XfbStrides[0]}, {"xfb_stride1", &i.XfbStrides[1]}, {"xfb_stride2", &i.XfbStrides[2]}, {"xfb_stride3", &i.XfbStrides[3]},
		{"tess_output_vertices", &i.Tess.OutputVertices}, {"tess_domain", &i.Tess.Domain},
		{"tess_spacing", &i.Tess.Spacing}, {"tess_ccw", &i.Tess.CCW}, {"tess_point_mode", &i.Tess.PointMode},
		{"gs_invocations", &i.Geom.Invocations}, {"gs_max_vertices", &i.Geom.MaxVertices},
		{"gs_in_primitive", &i.Geom.InPrimitive}, {"gs_out_primitive", &i.Geom.OutPrimitive},
		{"mesh_max_vertices", &i.Mesh.MaxVertices}, {"mesh_max_primitives", &i.Mesh.MaxPrimitives}, {"mesh_primitive", &i.Mesh.Primitive},
		{"task_payload_size", &i.TaskPayloadSize}, {"coherent_shared", &i.CoherentShared},
	}
}

func (p *printer) variable(kw string, v *Variable) {
	p.tab()
	p.f("%s @%d %s %s %s", kw, v.ID, v.Mode, p.typ(v.Type), strconv.Quote(v.Name))
	a := p.varAttrs(v)
	if v.Init != nil {
		a = append(a, "init="+p.constant(v.Init, v.Type))
	}
	if v.PointerInit != nil {
		a = append(a, fmt.Sprintf("pointer_init=@%d", v.PointerInit.ID))
	}
	if v.InterfaceType != nil {
		a = append(a, "interface="+p.typ(v.InterfaceType))
	}
	if len(a) > 0 {
		p.f(" { %s }", strings.Join(a, " "))
	}
	p.b.WriteByte('\n')
}

func (p *printer) varAttrs(v *Variable) attrs {
	var a attrs
	if v.Location != -1 {
		a = append(a, "location="+slotName(p.s.Stage, v.Mode, v.Location))
	}
	if v.HasBinding {
		a = append(a, fmt.Sprintf("set=%d binding=%d", v.Set, v.Binding))
	}
	a.word("interp", v.Interp.String(), v.Interp != 0)
	a.word("access", accessString(v.Access), v.Access != 0)
	a.word("format", v.ImageFormat.String(), v.ImageFormat != 0)
	for _, f := range varFields(v) {
		switch x := f.ptr.(type) {
		case *bool:
			a.flag(f.name, *x)
		case *uint8:
			a.intNot(f.name, int64(*x), 0)
		case *uint32:
			a.intNot(f.name, int64(*x), 0)
		case *int32:
			a.intNot(f.name, int64(*x), -1)
		}
	}
	return a
}

// varFields names the plain fields of a Variable for printer and parser.
func varFields(v *Variable) []namedField {
	return []namedField{
		{"component", &v.Component}, {"driver_location", &v.DriverLocation}, {"index", &v.Index}, {"builtin", &v.BuiltIn},
		{"centroid", &v.Centroid}, {"sample", &v.Sample}, {"patch", &v.Patch}, {"invariant", &v.Invariant},
		{"mediump", &v.Mediump}, {"compact", &v.Compact}, {"per_view", &v.PerView}, {"per_vertex", &v.PerVertex},
		{"per_primitive", &v.PerPrimitive}, {"incoming", &v.Incoming}, {"fb_fetch", &v.FBFetch}, {"always_active", &v.AlwaysActive}, {"explicit", &v.ExplicitLayout}, {"temporary", &v.Temporary},
		{"stream", &v.Stream}, {"depth_layout", &v.DepthLayout}, {"xfb_buffer", &v.XfbBuffer},
		{"xfb_stride", &v.XfbStride}, {"xfb_offset", &v.XfbOffset},
	}
}

func (p *printer) constant(c *Constant, t *Type) string {
	if c.Zero {
		return "zero"
	}
	if t.IsVectorOrScalar() {
		var parts []string
		for i := 0; i < int(t.Rows); i++ {
			parts = append(parts, fmt.Sprintf("0x%x", c.Value(i)))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	var parts []string
	for i, e := range c.Elems {
		et := t.Child()
		if t.IsStruct() && i < len(t.Fields) {
			et = t.Fields[i].Type
		}
		parts = append(parts, p.constant(e, et))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

var varyingNames = [...]string{"POS", "PSIZ", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1", "LAYER", "VIEWPORT", "PRIMITIVE_ID", "FACE", "PNTC", "TESS_LEVEL_OUTER", "TESS_LEVEL_INNER", "VIEW_INDEX", "PRIMITIVE_SHADING_RATE", "BOUNDING_BOX0", "BOUNDING_BOX1",
	"PRIMITIVE_INDICES", "PRIMITIVE_COUNT", "TASK_COUNT", "CULL_PRIMITIVE"}
var resultNames = [...]string{"DEPTH", "STENCIL", "SAMPLE_MASK"}

// slotName spells a location; which name space it is follows from stage and mode.
func slotName(stage Stage, mode Mode, loc int32) string {
	switch {
	case mode == ModeShaderIn && stage == StageVertex:
		return fmt.Sprintf("ATTRIB%d", loc)
	case mode == ModeShaderOut && stage == StageFragment:
		if loc >= int32(SlotData0) {
			return fmt.Sprintf("DATA%d", loc-int32(SlotData0))
		}
		if int(loc) < len(resultNames) && loc >= 0 {
			return resultNames[loc]
		}
	case loc >= int32(SlotPatch0):
		return fmt.Sprintf("PATCH%d", loc-int32(SlotPatch0))
	case loc >= int32(SlotVar0):
		return fmt.Sprintf("VAR%d", loc-int32(SlotVar0))
	case loc >= 0 && int(loc) < len(varyingNames):
		return varyingNames[loc]
	}
	return strconv.Itoa(int(loc))
}

// parseSlot is the inverse of slotName.
func parseSlot(name string) (int32, bool) {
	for i, n := range varyingNames {
		if n == name {
			return int32(i), true
		}
	}
	for i, n := range resultNames {
		if n == name {
			return int32(i), true
		}
	}
	for _, x := range []struct {
		prefix string
		base   Slot
	}{{"ATTRIB", SlotAttrib0}, {"VAR", SlotVar0}, {"PATCH", SlotPatch0}, {"DATA", SlotData0}, {"", 0}} {
		if strings.HasPrefix(name, x.prefix) {
			if n, err := strconv.ParseInt(name[len(x.prefix):], 10, 24); err == nil {
				return int32(n) + int32(x.base), true
			}
		}
	}
	return 0, false
}

func (p *printer) function(n int, f *Function) {
	p.tab()
	p.f("fn f%d %s", n, strconv.Quote(f.Name))
	var a attrs
	a.flag("entry", f.IsEntry)
	a.flag("preamble", f.IsPreamble)
	a.flag("should_inline", f.ShouldInline)
	a.flag("dont_inline", f.DontInline)
	for _, x := range a {
		p.f(" %s", x)
	}
	p.f("(")
	for i, q := range f.Params {
		if i > 0 {
			p.f(", ")
		}
		p.f("%s", sizeString(q.BitSize, q.NumComponents))
		if q.Name != "" {
			p.f(" %s", strconv.Quote(q.Name))
		}
		if q.IsReturn {
			p.f(" return")
		}
		if q.IsUniform {
			p.f(" uniform")
		}
		if q.Type != nil {
			p.f(" to %s %s", q.Modes, p.typ(q.Type))
		}
	}
	p.f(")")
	if f.Impl == nil {
		p.f("\n")
		return
	}
	p.f(" {\n")
	p.indent++
	if !f.Impl.Structured {
		p.line("unstructured")
	}
	for _, v := range f.Impl.Locals {
		p.variable("local", v)
	}
	p.number(f.Impl)
	p.list(&f.Impl.Body)
	p.indent--
	p.line("}")
}

// number gives values and blocks their numbers in text order.
func (p *printer) number(impl *Impl) {
	p.num = make([]uint32, impl.NumDefs)
	p.blocks = map[*Block]int{}
	n := uint32(0)
	give := func(d *Def) {
		if int(d.Index) < len(p.num) {
			p.num[d.Index] = n
		}
		n++
	}
	for b := range impl.Blocks() {
		p.blocks[b] = len(p.blocks)
		for in := b.first; in != nil; in = in.next {
			in.eachDef(give)
		}
	}
	p.blocks[impl.End] = len(p.blocks)
}

// eachDef calls f with each value that in defines.
func (in *Instr) eachDef(f func(*Def)) {
	if in.HasDef() {
		f(&in.Def)
	}
	if in.Kind != KindParallelCopy {
		return
	}
	for i := range in.CopyInfo().Entries {
		if e := &in.CopyInfo().Entries[i]; e.DstReg == nil {
			f(&e.Dst)
		}
	}
}

func (p *printer) list(l *List) {
	for n := range l.Nodes() {
		switch n := n.(type) {
		case *Block:
			p.block(n)
		case *If:
			p.line("if %s%s {", p.val(n.Cond.Def), [...]string{"", " flatten", " dont_flatten", " divergent_always_taken"}[n.Control])
			p.nested(&n.Then)
			p.line("} else {")
			p.nested(&n.Else)
			p.line("}")
		case *Loop:
			partial := ""
			if n.PartiallyUnrolled {
				partial = " partially_unrolled"
			}
			p.line("loop%s%s {", [...]string{"", " unroll", " dont_unroll"}[n.Control], partial)
			p.nested(&n.Body)
			if !n.Continue.Empty() {
				p.line("} continue {")
				p.nested(&n.Continue)
			}
			p.line("}")
		}
	}
}

func (p *printer) nested(l *List) {
	p.indent++
	p.list(l)
	p.indent--
}

func (p *printer) block(b *Block) {
	p.tab()
	p.f("%s:", p.blockName(b))
	p.f(" // preds:")
	preds := make([]int, 0, len(b.Preds))
	for _, q := range b.Preds {
		preds = append(preds, p.blocks[q])
	}
	for i := 1; i < len(preds); i++ {
		for j := i; j > 0 && preds[j] < preds[j-1]; j-- {
			preds[j], preds[j-1] = preds[j-1], preds[j]
		}
	}
	for _, n := range preds {
		p.f(" b%d", n)
	}
	if p.o.CFG {
		p.f(" succs:")
		for _, s := range b.Succ {
			if s != nil {
				p.f(" %s", p.blockName(s))
			}
		}
	}
	p.b.WriteByte('\n')
	p.indent++
	for in := b.first; in != nil; in = in.next {
		p.tab()
		p.instr(in)
		p.b.WriteByte('\n')
	}
	p.indent--
}

func (p *printer) blockName(b *Block) string {
	if p.raw || p.blocks == nil {
		return "b" + strconv.Itoa(int(b.Index))
	}
	return "b" + strconv.Itoa(p.blocks[b])
}

func sizeString(bits, comps uint8) string {
	if comps == 1 {
		return strconv.Itoa(int(bits))
	}
	return fmt.Sprintf("%dx%d", bits, comps)
}

func (p *printer) val(d *Def) string {
	switch {
	case d == nil:
		return "%nil"
	case p.raw || int(d.Index) >= len(p.num):
		return "%" + itoa(uint64(d.Index))
	}
	return "%" + itoa(uint64(p.num[d.Index]))
}

const letters = "xyzwefghijklmnop"

func swizzleLetters(s Swizzle, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[s.Lane(i)]
	}
	return string(b)
}

// constComment reads a constant as a float, or as an integer where the float
// would be a denormal or no number.
func constComment(v uint64, bits uint8) string {
	switch bits {
	case 16:
		if v&0x3ff != 0 && (v>>10&0x1f == 0 || v>>10&0x1f == 0x1f) {
			return strconv.Itoa(int(int16(v)))
		}
		return strconv.FormatFloat(Float16Value(uint16(v)), 'g', -1, 32)
	case 32:
		if e := v >> 23 & 0xff; v&(1<<23-1) != 0 && (e == 0 || e == 0xff) {
			return strconv.Itoa(int(int32(v)))
		}
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case 64:
		if e := v >> 52 & 0x7ff; v&(1<<52-1) != 0 && (e == 0 || e == 0x7ff) {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	}
	return ""
}
