package passes

import (
	"encoding/binary"
	"slices"

	"nirc/ir"
)

var optLargeConstantsPass = &Pass{
	Name: "opt_large_constants", For: ir.HasTemp, Class: "B", Run: optLargeConstants, Idempotent: true, Optional: true,
	Doc: "Moves local arrays that only ever hold constants and are read at indices that are values into the shader's constant data, for lower_explicit_io(modes=mem_constant) to read; small tables of integers may become one integer instead. " +
		"Every store must be of constants at a constant place, and agree with the others; components of vectors have no derefs there, so lower_array_deref_of_vec comes first. Where such an array was read before it was written, the constant is as good as what was there.",
	Options: []Option{
		{"threshold", "smallest variable that moves, in bytes", 32},
		{"packed", "bits of the integer that takes the place of a small table of integers, at most 32; 0: none does", 0},
	},
}

// constantVar is what is known of a local.
type constantVar struct {
	v        *ir.Variable
	t        *ir.Type // laid out
	data     []byte
	written  []bool // by byte
	stores   []*ir.Instr
	loads    []*ir.Instr
	indirect bool
	refused  bool
}

func optLargeConstants(c *Context, s *ir.Shader) (bool, error) {
	threshold, packed := c.Int("threshold"), min(c.Int("packed"), 32)
	placed := map[string]uint32{}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		order := constantVars(impl, threshold, packed > 0)
		moved, packs := false, false
		for _, k := range order {
			if packed > 0 && k.pack(packed) {
				packs = true
				continue
			}
			if k.constant(threshold) {
				k.move(s, impl, placed)
				moved = true
			}
		}
		if moved {
			retargetDerefs(s, impl)
		}
		if packs {
			removeUnusedDerefs(impl)
		}
		return moved || packs
	}), nil
}

// constantVars looks at the arrays among a function's variables that have at least so many bytes, or any number.
func constantVars(impl *ir.Impl, threshold int, any bool) (order []*constantVar) {
	vars := map[*ir.Variable]*constantVar{}
	for _, v := range impl.Locals {
		if !v.Type.IsArray() || v.ExplicitLayout || v.Init != nil || v.PointerInit != nil {
			continue
		}
		t, size, _ := v.Type.Explicit()
		if size < uint64(threshold) && !any || size > 1<<16 {
			continue
		}
		k := &constantVar{v: v, t: t, data: make([]byte, size), written: make([]bool, size)}
		vars[v] = k
		order = append(order, k)
	}
	if len(order) == 0 {
		return nil
	}
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindDeref && in.Deref != ir.DerefCast {
				if k := vars[rootVar(in)]; k != nil {
					k.uses(in)
				}
			}
		}
	}
	return order
}

// constant reports whether the variable only ever holds constants, is read at indices that are values, and is that large.
func (k *constantVar) constant(threshold int) bool {
	return !k.refused && k.indirect && len(k.stores) > 0 && len(k.data) >= threshold
}

// uses looks at what is done with a deref of the variable.
func (k *constantVar) uses(d *ir.Instr) {
	if d.Deref == ir.DerefArray {
		if p := derefParent(d); p.DerefInfo().Type.IsVector() {
			k.refused = true // constant data has no derefs of components
		}
		if _, ok := d.Srcs[1].Def.Const(0); !ok {
			k.indirect = true
		}
	}
	for u := range d.Def.Uses() {
		in := u.Instr
		switch {
		case in.Kind == ir.KindDeref && in.Deref != ir.DerefCast && in.Deref != ir.DerefPtrAsArray:
		case in.IsIntrinsic(ir.IntrLoadDeref) && ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile == 0:
			k.loads = append(k.loads, in)
		case in.IsIntrinsic(ir.IntrStoreDeref) && u == &in.Srcs[0] && k.store(in, d):
		default:
			k.refused = true
		}
	}
}

// store notes constants stored; false if they cannot be.
func (k *constantVar) store(in, d *ir.Instr) bool {
	at, t, ok := k.place(d)
	val := in.Srcs[1].Def
	if !ok || !val.IsConst() || !t.IsNumeric() || t.IsMatrix() {
		return false
	}
	size := uint64(t.MemBits() / 8)
	for i := range uint64(val.NumComponents) {
		if in.Get(ir.IdxWriteMask)>>i&1 == 0 {
			continue
		}
		v, _ := val.Const(int(i))
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		from := at + i*size
		for b := range size {
			if from+b >= uint64(len(k.data)) || k.written[from+b] && k.data[from+b] != word[b] {
				return false
			}
			k.data[from+b], k.written[from+b] = word[b], true
		}
	}
	k.stores = append(k.stores, in)
	return true
}

// place is the byte offset and laid-out type of a deref with constant indices.
func (k *constantVar) place(d *ir.Instr) (at uint64, t *ir.Type, ok bool) {
	if d.Deref == ir.DerefVar {
		return 0, k.t, true
	}
	at, t, ok = k.place(derefParent(d))
	if !ok {
		return 0, nil, false
	}
	if d.Deref == ir.DerefStruct {
		f := &t.Fields[d.DerefInfo().Field]
		return at + uint64(f.Offset), f.Type, true
	}
	if d.Deref != ir.DerefArray || t.RowMajor {
		return 0, nil, false
	}
	i, ok := d.Srcs[1].Def.Const(0)
	if !ok {
		return 0, nil, false
	}
	stride := uint64(t.Stride)
	if !t.IsArray() && !t.IsMatrix() { // a component
		stride = uint64(t.MemBits() / 8)
	}
	return at + i*stride, t.Child(), i < 1<<16
}

// move makes the variable part of the constant data, 16 bytes aligned. placed is where the tables are that moved before it:
// those of a function that is inlined several times are all the same one.
func (k *constantVar) move(s *ir.Shader, impl *ir.Impl, placed map[string]uint32) {
	at, same := placed[string(k.data)]
	if !same {
		for len(s.ConstantData)%16 != 0 {
			s.ConstantData = append(s.ConstantData, 0)
		}
		at = uint32(len(s.ConstantData))
		s.ConstantData = append(s.ConstantData, k.data...)
		placed[string(k.data)] = at
	}
	k.v.DriverLocation = at
	k.v.Mode, k.v.Type, k.v.ExplicitLayout = ir.ModeConstant, k.t, true
	impl.Locals = slices.DeleteFunc(impl.Locals, func(v *ir.Variable) bool { return v == k.v })
	s.Variables = append(s.Variables, k.v)
	for _, in := range k.stores {
		in.Remove()
	}
}

// retargetDerefs gives the derefs of what moved their mode and types.
func retargetDerefs(s *ir.Shader, impl *ir.Impl) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindDeref || in.Deref == ir.DerefCast {
				continue
			}
			if v := rootVar(in); v != nil && v.Mode == ir.ModeConstant {
				in.SetModes(ir.ModeConstant)
			}
		}
	}
	retypeDerefs(s, ir.ModeConstant)
}
