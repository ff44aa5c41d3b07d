package isa

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// info is a row of the table, compiled.
type info struct {
	head
	fields []field
	items  []item
	// order are the items in decoding order, plain fields before operands; known those whose meaning is
	// known. The fields of the others are the bits unknown, which most often are customary.
	order, known       []*item
	unknown, customary word
	// allow is what operands can be: the destination, then the sources.
	allow [1 + len(Instr{}.Srcs)]Allow
	exactness
}

// item is one thing in an instruction's text, or a hidden field.
type item struct {
	cls   *class
	code  func(x *xfer, it *item) // of the class
	name  string
	f     [4]*field // the named one and those of class.more; nil absent
	slot  int8      // operand: -1 Dst, else index in Srcs
	def   uint32    // customary value
	shift uint8     // place in Instr.Extra
	width uint8     // of the first field
}

// infos are the rows compiled so far.
var infos [NumOps]atomic.Pointer[info]

// infoOf is the row of o, compiled when it is first asked for: a shader has some twenty of the table's instructions, and
// who compiles it alone does not wait for the rest.
func infoOf(o Op) *info {
	if in := infos[o].Load(); in != nil {
		return in
	}
	return compileRow(o)
}

// compileRow is set here because the parsers that the table names ask for rows too.
var compileRow func(o Op) *info

func init() { compileRow = compileInfo }

func compileInfo(o Op) *info {
	in := new(info)
	if o != OpInvalid {
		in.head = heads()[o]
		if err := in.compile(&opTable[o]); err != nil {
			panic(fmt.Sprintf("agx isa table: %s: %v", opTable[o].name, err))
		}
	}
	infos[o].CompareAndSwap(nil, in)
	return infos[o].Load()
}

func (in *info) compile(r *row) error {
	used := in.mask
	if in.lbit != 0 {
		span{in.lbit, 1}.put(&used, 1)
	}
	for _, s := range strings.Fields(r.fields) {
		f, err := parseField(s)
		if err != nil {
			return err
		}
		var bits word
		f.put(&bits, 1<<f.width-1)
		// A fixed bit inside a field is one value that the field must have.
		if bits.count() != int(f.width) || bits.and(used.xor(in.mask)) != (word{}) {
			return fmt.Errorf("field %q overlaps another", s)
		}
		used = used.or(bits)
		in.fields = append(in.fields, f)
	}
	return in.compileText(r.text)
}

func parseSpan(s string) (span, error) {
	a, b, ok := strings.Cut(s, "+")
	lo, err := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err != nil || err2 != nil || n < 1 || lo < 64 && lo+n > 64 || lo+n > 8*MaxBytes {
		return span{}, fmt.Errorf("bad bit range %q", s)
	}
	return span{uint8(lo), uint8(n)}, nil
}

func parseField(s string) (f field, err error) {
	name, where, _ := strings.Cut(s, "=")
	f.name = name
	for _, p := range strings.Split(where, ",") {
		sp, err := parseSpan(p)
		if err != nil {
			return f, err
		}
		if int(f.pieces) == len(f.spans) {
			return f, fmt.Errorf("field %q has too many pieces", s)
		}
		f.spans[f.pieces] = sp
		f.pieces++
		f.width += sp.n
	}
	return f, nil
}

// field finds a field, and notes in claimed that an operand has it.
func (in *info) field(name string, claimed []bool) *field {
	for i := range in.fields {
		if in.fields[i].name == name {
			claimed[i] = true
			return &in.fields[i]
		}
	}
	return nil
}

// compileText reads the operand list. Operands take Srcs in order, fields of
// class x take bits of Extra in order.
func (in *info) compileText(text string) error {
	slot, extra := int8(0), uint8(0)
	claimed := make([]bool, len(in.fields))
	var classNames []string
	for _, s := range strings.Fields(text) {
		dst := strings.HasPrefix(s, ">")
		name, cls, _ := strings.Cut(strings.TrimPrefix(s, ">"), ":")
		cls, def, hasDef := strings.Cut(cls, "=")
		it := item{cls: classes()[cls], name: name, slot: -2}
		if it.cls == nil {
			return fmt.Errorf("class of %q does not exist", s)
		}
		it.code, it.f[0] = it.cls.code, in.field(name, claimed)
		for i, more := range it.cls.more {
			it.f[i+1] = in.field(strings.Replace(more, "*", name, 1), claimed)
		}
		if it.f[0] != nil {
			it.width = it.f[0].width
		} else if cls != "r0l" {
			return fmt.Errorf("%q has no field", s)
		}
		switch {
		case dst:
			it.slot = -1
		case it.cls.operand:
			it.slot = slot
			slot++
		}
		if hasDef {
			v, err := strconv.ParseUint(def, 10, 32)
			if err != nil {
				return err
			}
			it.def = uint32(v)
		}
		if it.cls.extra {
			it.shift = extra
			extra += it.width
		}
		in.items = append(in.items, it)
		classNames = append(classNames, cls)
	}
	for i, c := range claimed {
		if !c {
			return fmt.Errorf("field %s is in no operand", in.fields[i].name)
		}
	}
	if int(slot) > len(Instr{}.Srcs) || extra > 32 {
		return fmt.Errorf("too many operands or unknown bits")
	}
	for i := range in.items {
		if it := &in.items[i]; it.cls.operand {
			in.allow[it.slot+1] = it.cls.allow
		}
	}
	in.orderItems()
	in.compileExact(classNames)
	return nil
}

// orderItems puts plain fields first: operands may depend on them (a register
// run's length is the number of components, for one). So may operands on the
// destination, which comes next.
func (in *info) orderItems() {
	for pass := 0; pass < 3; pass++ {
		for i := range in.items {
			it := &in.items[i]
			p := 2
			if !it.cls.operand {
				p = 0
			} else if it.slot == -1 {
				p = 1
			}
			if p != pass {
				continue
			}
			if in.order = append(in.order, it); !it.cls.extra {
				in.known = append(in.known, it)
				continue
			}
			it.f[0].put(&in.unknown, 1<<it.width-1)
			it.f[0].put(&in.customary, uint64(it.def))
		}
	}
}

// onlyBits reports a value that needs more than width bits.
func onlyBits(v uint64, width uint8) bool { return v>>width == 0 }
