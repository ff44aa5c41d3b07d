package passes

import (
	"slices"

	"nirc/ir"
)

// maxDeciding bounds the uniforms that DecidingUniforms names, for variants of a shader multiply by each; maxDecidingSlice the values that
// a condition may hang on.
const (
	maxDeciding      = 4
	maxDecidingSlice = 64
)

// DecidingUniforms finds words of uniform buffers and push constants that decide branches and the ends of loops with nothing but
// constants and counters of loops beside them: what is worth being known (inline_uniforms). They are in the order in which the shader asks for them;
// their values are not set. Input: after lower_explicit_io.
func DecidingUniforms(s *ir.Shader) (list []UniformValue) {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			if x := b.FollowingIf(); x != nil {
				list = withDeciding(list, x.Cond.Def)
			}
		}
	}
	return list
}

// withDeciding adds what decides a condition to a list, if something does and there is room for all of it.
func withDeciding(list []UniformValue, cond *ir.Def) []UniformValue {
	d := deciding{words: slices.Clone(list)}
	if !d.value(cond, 1) || len(d.words) > maxDeciding {
		return list
	}
	return d.words
}

// deciding follows a condition back to what it hangs on.
type deciding struct {
	words []UniformValue
	seen  []*ir.Def
}

// value reports whether the components of a value hang on known things alone, and notes the uniforms among those.
func (d *deciding) value(v *ir.Def, components uint16) bool {
	in := v.Instr
	switch {
	case in.Kind == ir.KindLoadConst:
		return true
	case in.IsIntrinsic(ir.IntrLoadUbo) || in.IsIntrinsic(ir.IntrLoadPushConstant):
		return d.load(in, components)
	case slices.Contains(d.seen, v):
		return true
	case len(d.seen) == maxDecidingSlice:
		return false
	}
	d.seen = append(d.seen, v)
	switch {
	case in.Kind == ir.KindALU:
		for i := range in.Srcs {
			if !d.value(in.Srcs[i].Def, lanesRead(in, i)) {
				return false
			}
		}
		return true
	case in.Kind == ir.KindPhi && headsLoop(in.Block):
		for i := range in.Srcs {
			if !d.value(in.Srcs[i].Def, components) {
				return false
			}
		}
		return true
	}
	return false
}

// load notes the words that a load gives.
func (d *deciding) load(in *ir.Instr, components uint16) bool {
	at, ok := knownPlace(in)
	if !ok || in.Def.BitSize != 32 {
		return false
	}
	for c := range int(in.Def.NumComponents) {
		if components>>c&1 == 0 {
			continue
		}
		word := at
		word.Offset += 4 * uint32(c)
		if !slices.Contains(d.words, word) {
			d.words = append(d.words, word)
		}
	}
	return true
}

// lanesRead is the mask of the components of an ALU operation's source that it reads.
func lanesRead(in *ir.Instr, src int) (mask uint16) {
	for c := range in.SrcComps(src) {
		mask |= 1 << in.Srcs[src].Swizzle.Lane(c)
	}
	return mask
}

// headsLoop reports whether a block is the first of a loop's body.
func headsLoop(b *ir.Block) bool {
	l, ok := ir.Parent(b).(*ir.Loop)
	return ok && l.Body.FirstBlock() == b
}
