package isa

import (
	"errors"
	"fmt"
	"sync"
)

// ErrTruncated is wrapped by errors about code that ends inside an
// instruction.
var ErrTruncated = errors.New("code ends inside an instruction")

// xfer moves values between an instruction and its fields: one description
// (the classes) serves both directions.
type xfer struct {
	dec  bool
	in   *Instr
	info *info
	w    word // the instruction's bits
	err  error
	it   *item // at work, for messages
	tmp  Instr // what is decoded
}

// xfers are xfer values to use again.
var xfers = sync.Pool{New: func() any { return new(xfer) }}

func (x *xfer) fail(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf("%s: "+format, append([]any{x.it.name}, args...)...)
	}
}

// get is the value of field i of an item, 0 if the instruction has none.
func (x *xfer) get(it *item, i int) uint64 {
	if f := it.f[i]; f != nil {
		return f.get(&x.w)
	}
	return 0
}

// set gives field i of an item, whose bits are 0, a value; one that does not fit is an error.
func (x *xfer) set(it *item, i int, v uint64) {
	if v == 0 {
		return
	}
	f := it.f[i]
	switch {
	case f == nil:
		x.fail("the encoding has no room for it")
	case !onlyBits(v, f.width):
		x.fail("value %d needs more than the %d bits of the encoding", v, f.width)
	default:
		f.put(&x.w, v)
	}
}

func (x *xfer) opnd(it *item) *Operand {
	if it.slot < 0 {
		return &x.in.Dst
	}
	return &x.in.Srcs[it.slot]
}

// run transfers all items, or all but those of unknown meaning.
func (x *xfer) run(extras bool) {
	list := x.info.known
	if extras {
		list = x.info.order
	}
	for _, it := range list {
		x.it = it
		it.code(x, it)
		if x.err != nil {
			return
		}
	}
}

// Unpack decodes the instruction at the start of code and tells its length in
// bytes. Bytes that are no instruction are an error, which names the bit or
// operand at fault; the length is then 0.
func Unpack(code []byte) (Instr, int, error) {
	if len(code) < 2 {
		return Instr{}, 0, fmt.Errorf("agx: %d bytes left: %w", len(code), ErrTruncated)
	}
	all := loadWord(code[:min(len(code), MaxBytes)])
	var first error
	for _, h := range candidates()[code[0]] {
		n := h.length(all)
		w := all.and(below(8 * uint(n)))
		if w.and(h.mask) != h.value {
			continue
		}
		var i Instr
		err := error(nil)
		if n > len(code) {
			err = fmt.Errorf("agx: %s of %d bytes: %w", opTable[h.op].name, n, ErrTruncated)
		} else {
			err = infoOf(h.op).unpack(&i, w, n)
		}
		if err == nil {
			return i, n, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("agx: bytes % x are no instruction", code[:min(len(code), MaxBytes)])
	}
	return Instr{}, 0, first
}

// decode fills i from w, whose fixed bits match.
func (in *info) decode(i *Instr, w word, n int) error {
	x := xfers.Get().(*xfer)
	defer xfers.Put(x)
	err := in.decodeBy(x, w, n)
	if err == nil {
		*i = x.tmp
	}
	return err
}

// decodeBy is decode into x.tmp.
func (in *info) decodeBy(x *xfer, w word, n int) error {
	x.dec, x.info, x.err, x.in, x.w = true, in, nil, &x.tmp, w
	x.tmp = Instr{Op: in.op}
	x.run(w.and(in.unknown) != in.customary)
	if x.err != nil {
		return fmt.Errorf("agx: %s: %w", opTable[in.op].name, x.err)
	}
	if in.lbit != 0 && n == int(in.long) && w.and(below(8*uint(in.short))) == w {
		x.tmp.Flags |= Long
	}
	return nil
}

// unpack is decode; it proves that i keeps every bit of w by packing it again.
func (in *info) unpack(i *Instr, w word, n int) error {
	if err := in.decode(i, w, n); err != nil {
		return err
	}
	back, _, err := in.pack(i)
	if err != nil {
		return err
	}
	if d := back.xor(w); d != (word{}) {
		return fmt.Errorf("agx: %s: bit %d has a value that this instruction cannot have", opTable[in.op].name, d.first())
	}
	return nil
}

// pack encodes i into a word and its length.
func (in *info) pack(i *Instr) (word, int, error) {
	x := xfers.Get().(*xfer)
	defer xfers.Put(x)
	return in.packBy(x, i)
}

// packBy is pack by means of x.
func (in *info) packBy(x *xfer, i *Instr) (word, int, error) {
	x.dec, x.info, x.err, x.in, x.w = false, in, nil, i, word{}
	if i.Extra == 0 {
		x.w = in.customary
	}
	x.run(i.Extra != 0)
	x.in = nil
	if x.err != nil {
		return word{}, 0, fmt.Errorf("agx: %s: %w", opTable[in.op].name, x.err)
	}
	w := x.w.or(in.value)
	if w.and(in.mask) != in.value {
		return word{}, 0, fmt.Errorf("agx: %s: these operands are not those of this form of %[1]s", opTable[in.op].name)
	}
	if in.lbit == 0 {
		return w, int(in.long), nil
	}
	if w.and(below(8*uint(in.short))) == w && i.Flags&Long == 0 {
		return w, int(in.short), nil
	}
	span{in.lbit, 1}.put(&w, 1)
	return w, int(in.long), nil
}

// Pack encodes an instruction, in the short form where there is one and the
// values allow it (see Long). An operand, flag or value that the encoding has
// no room for is an error that names it, never a different instruction.
func Pack(i *Instr) ([]byte, error) { return AppendPack(nil, i) }

// AppendPack appends the bytes of Pack to b; on an error b is returned as it
// was.
func AppendPack(b []byte, i *Instr) ([]byte, error) {
	x := xfers.Get().(*xfer)
	defer xfers.Put(x)
	return x.appendPack(b, i)
}

// Packer has the memory of AppendPack, for many instructions one after another. The zero value is ready for use.
type Packer struct{ x xfer }

// AppendPack is the function of that name.
func (p *Packer) AppendPack(b []byte, i *Instr) ([]byte, error) { return p.x.appendPack(b, i) }

func (x *xfer) appendPack(b []byte, i *Instr) ([]byte, error) {
	if i.Op == OpInvalid || i.Op >= NumOps {
		return b, fmt.Errorf("agx: opcode %d does not exist", i.Op)
	}
	info := infoOf(i.Op)
	w, n, err := info.packBy(x, i)
	if err != nil {
		return b, err
	}
	out := w.append(b, n)
	first := candidateOf(w, n) == i.Op
	if first && info.keeps(x, i) {
		return out, nil
	}
	back := &x.tmp
	if first {
		err = info.decodeBy(x, w, n)
	} else {
		x.tmp, _, err = Unpack(out[len(b):])
	}
	switch {
	case err != nil:
		return b, err
	case back.Op != i.Op:
		return b, fmt.Errorf("agx: %s: these operands are the encoding of %s", i.Op, back.Op)
	case *back != *i:
		return b, fmt.Errorf("agx: %s: %s", i.Op, difference(i, back))
	}
	return out, nil
}

// difference names what of an instruction its encoding could not hold.
func difference(want, got *Instr) string {
	if want.Dst != got.Dst {
		return fmt.Sprintf("destination %s cannot be encoded", want.Dst)
	}
	for i := range want.Srcs {
		if want.Srcs[i] != got.Srcs[i] {
			return fmt.Sprintf("source %d, %s, cannot be encoded", i, want.Srcs[i])
		}
	}
	for _, c := range [...]struct {
		what      string
		want, got int64
	}{
		{"flag set", int64(want.Flags), int64(got.Flags)},
		{"condition", int64(want.Cond), int64(got.Cond)},
		{"shift", int64(want.Shift), int64(got.Shift)},
		{"mask width", int64(want.Bits), int64(got.Bits)},
		{"truth table", int64(want.Table), int64(got.Table)},
		{"mode", int64(want.Mode), int64(got.Mode)},
		{"rounding", int64(want.Round), int64(got.Round)},
		{"format", int64(want.Format), int64(got.Format)},
		{"component mask", int64(want.Mask), int64(got.Mask)},
		{"slot", int64(want.Slot), int64(got.Slot)},
		{"nesting count", int64(want.Nest), int64(got.Nest)},
		{"dimension", int64(want.Dim), int64(got.Dim)},
		{"lod mode", int64(want.Lod), int64(got.Lod)},
		{"gather", int64(want.Gather), int64(got.Gather)},
		{"interpolation", int64(want.Interp), int64(got.Interp)},
		{"immediate", int64(want.Imm), int64(got.Imm)},
		{"branch offset", int64(want.Target), int64(got.Target)},
		{"unknown bits", int64(want.Extra), int64(got.Extra)},
	} {
		if c.want != c.got {
			return fmt.Sprintf("%s %#x cannot be encoded", c.what, c.want)
		}
	}
	return "it cannot be encoded"
}

// extraItem finds the field of unknown meaning called name.
func (i *Instr) extraItem(name string) *item {
	if i.Op < NumOps {
		for k := range infoOf(i.Op).items {
			it := &infoOf(i.Op).items[k]
			if it.cls.extra && it.name == name {
				return it
			}
		}
	}
	return nil
}

// Field returns the value of a field of unknown meaning, by the name it has in
// the reference ("u4", "q3"); ok is false if the instruction has none.
func (i *Instr) Field(name string) (v uint32, ok bool) {
	it := i.extraItem(name)
	if it == nil {
		return 0, false
	}
	return (i.Extra >> it.shift & (1<<it.width - 1)) ^ it.def, true
}

// SetField sets a field of unknown meaning.
func (i *Instr) SetField(name string, v uint32) error {
	it := i.extraItem(name)
	if it == nil {
		return fmt.Errorf("agx: %s has no field %s", i.Op, name)
	}
	if !onlyBits(uint64(v), it.width) {
		return fmt.Errorf("agx: %s: field %s has %d bits, %d needs more", i.Op, name, it.width, v)
	}
	i.Extra = i.Extra&^((1<<it.width-1)<<it.shift) | (v^it.def)<<it.shift
	return nil
}

// SetReadWrite makes a texture_load one of an image that the shader writes too.
func (i *Instr) SetReadWrite() error { return i.SetField("q3", 13) }

// SetCoherent makes a device_load, device_store, texture_load of an image or
// image_write bypass the caches that other cores do not see.
func (i *Instr) SetCoherent() error {
	switch i.Op {
	case OpDeviceLoad:
		return i.SetField("u4", 7)
	case OpDeviceStore:
		return errors.Join(i.SetField("u6", 1), i.SetField("u4", 3))
	case OpTextureLoad:
		return i.SetField("q3", 15)
	case OpImageWrite:
		return i.SetField("u3", 15)
	}
	return fmt.Errorf("agx: %s has no coherent form", i.Op)
}
