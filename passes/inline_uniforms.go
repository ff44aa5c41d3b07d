package passes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc/ir"
)

var inlineUniformsPass = &Pass{
	Name: "inline_uniforms", Class: "C", Run: inlineUniforms,
	Doc: "Makes a variant of a shader for known uniforms: words of uniform buffers and push constants become constants, so that what they decide is decided. Input: after lower_explicit_io. " +
		"Takes components of 32 bits at constant offsets; folding and opt_dead_cf do the rest.",
	Options: []Option{{"values", "words that are known, each SET.BINDING+OFFSET=VALUE or push+OFFSET=VALUE, joined by |; a value is an integer, 0x bits, or a float with a point or an exponent", ""}},
}

// UniformValue is a word of a uniform buffer, or of the push constants, that is known.
type UniformValue struct {
	Push         bool
	Set, Binding uint32
	Offset       uint32 // in bytes, a multiple of 4
	Value        uint32
}

// String is the form that ParseUniformValue reads.
func (u *UniformValue) String() string { return fmt.Sprintf("%s=%#x", u.Place(), u.Value) }

// Place says where the word is, SET.BINDING+OFFSET or push+OFFSET.
func (u *UniformValue) Place() string {
	if u.Push {
		return fmt.Sprintf("push+%d", u.Offset)
	}
	return fmt.Sprintf("%d.%d+%d", u.Set, u.Binding, u.Offset)
}

// ParseUniformValue reads SET.BINDING+OFFSET=VALUE or push+OFFSET=VALUE.
func ParseUniformValue(text string) (u UniformValue, err error) {
	place, value, ok := strings.Cut(text, "=")
	block, offset, ok2 := strings.Cut(place, "+")
	bad := fmt.Errorf("%q: want SET.BINDING+OFFSET=VALUE or push+OFFSET=VALUE", text)
	if !ok || !ok2 {
		return u, bad
	}
	if u.Push = block == "push"; !u.Push {
		set, binding, ok := strings.Cut(block, ".")
		s, err1 := strconv.ParseUint(set, 10, 16)
		b, err2 := strconv.ParseUint(binding, 10, 32)
		if !ok || err1 != nil || err2 != nil {
			return u, bad
		}
		u.Set, u.Binding = uint32(s), uint32(b)
	}
	at, err := strconv.ParseUint(offset, 10, 32)
	if err != nil {
		return u, bad
	}
	if at%4 != 0 {
		return u, fmt.Errorf("%q: offset %d is not that of a word", text, at)
	}
	u.Offset = uint32(at)
	if u.Value, err = parseWord(value); err != nil {
		return u, fmt.Errorf("%q: %w", text, err)
	}
	return u, nil
}

// parseWord reads an integer, or a float that has a point or an exponent.
func parseWord(text string) (uint32, error) {
	if strings.ContainsAny(text, ".eE") && !strings.HasPrefix(text, "0x") {
		f, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no number of 32 bits", text)
		}
		return uint32(ir.FloatBits(f, 32)), nil
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil || v < -1<<31 || v >= 1<<32 {
		return 0, fmt.Errorf("%q is no number of 32 bits", text)
	}
	return uint32(v), nil
}

func inlineUniforms(c *Context, s *ir.Shader) (bool, error) {
	var known []UniformValue
	for text := range strings.SplitSeq(c.String("values"), "|") {
		if text == "" {
			continue
		}
		u, err := ParseUniformValue(text)
		if err != nil {
			return false, err
		}
		known = append(known, u)
	}
	if len(known) == 0 {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		list := collect(impl, func(in *ir.Instr) bool {
			return (in.Intr == ir.IntrLoadUbo || in.Intr == ir.IntrLoadPushConstant) && in.Def.BitSize == 32
		})
		for _, in := range list {
			if at, ok := knownPlace(in); ok {
				changed = inlineLoad(in, at, known) || changed
			}
		}
		return changed
	}), nil
}

// knownPlace is where a load begins; its value is not set. False if that is not constant.
func knownPlace(in *ir.Instr) (u UniformValue, ok bool) {
	off, ok := in.Srcs[len(in.Srcs)-1].Def.Const(0)
	if !ok {
		return u, false
	}
	if in.Intr == ir.IntrLoadPushConstant {
		return UniformValue{Push: true, Offset: uint32(off + in.Get(ir.IdxBase))}, true
	}
	d, _ := scalarValue(in.Srcs[0].Def, 0)
	if d.Instr.IsIntrinsic(ir.IntrLoadVulkanDescriptor) {
		d = d.Instr.Srcs[0].Def
	}
	if !d.Instr.IsIntrinsic(ir.IntrVulkanResourceIndex) {
		return u, false
	}
	if element, ok := d.Instr.Srcs[0].Def.Const(0); !ok || element != 0 {
		return u, false
	}
	return UniformValue{Set: uint32(d.Instr.Get(ir.IdxDescSet)), Binding: uint32(d.Instr.Get(ir.IdxBinding)), Offset: uint32(off)}, true
}

// inlineLoad puts the components that are known in place of those loaded.
func inlineLoad(in *ir.Instr, at UniformValue, known []UniformValue) bool {
	b := ir.NewBuilder(ir.After(in))
	b.Shader.SetLoc(in.Loc)
	parts, found := make([]*ir.Def, in.Def.NumComponents), 0
	for i := range parts {
		k := slices.IndexFunc(known, func(u UniformValue) bool {
			return u.Push == at.Push && u.Set == at.Set && u.Binding == at.Binding && u.Offset == at.Offset+4*uint32(i)
		})
		if k >= 0 {
			parts[i] = b.Imm32(known[k].Value)
			found++
		}
	}
	if found == 0 {
		return false
	}
	for i := range parts {
		if parts[i] == nil {
			parts[i] = b.Channel(&in.Def, i)
		}
	}
	v := b.Vec(parts...)
	in.Def.RewriteUsesAfter(v, v.Instr)
	if in.Def.Unused() {
		in.Remove()
	}
	return true
}
