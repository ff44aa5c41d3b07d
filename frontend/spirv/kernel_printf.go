package spirv

import (
	"strings"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// OpenCL's printf (OpenCL C 3.0, “printf”). Its format and what %s prints are literals: constant arrays of bytes that nothing but the
// module knows, so that they need not be in memory.

// openclPrintf translates a call of printf, whose result is 0.
func (t *translator) openclPrintf(in *inst) {
	if t.opts.Printf {
		t.putKernelPrintf(in)
	}
	if ty := t.typeOf(in.typ); ty.kind == tInt {
		t.set(in, t.f.constant(ty.bits, 0))
	} else {
		t.fail(in.id, "printf gives %s", ty)
	}
}

// putKernelPrintf prints the words of a call's arguments. Those of pointers are their addresses.
func (t *translator) putKernelPrintf(in *inst) {
	format, ok := literalText(t.m, t.arg(in, 0))
	if !ok {
		t.refuse(in.id, "a printf whose format is no literal is not supported: the format is read from the module")
	}
	in.args = in.args[1:]
	verbs := printfVerbs(format)
	var words []*ir.Def
	for k, id := range in.args {
		switch {
		case k < len(verbs) && verbs[k] == 's':
			if _, ok := literalText(t.m, id); !ok {
				t.refuse(in.id, "a printf of %%s with what is no literal is not supported: OpenCL C wants a literal there")
			}
		case t.valType(id).kind == tPointer:
			p := t.pointerValue(t.anyPtr(id))
			words = append(words, t.f.b.Unpack64_2x32SplitX(p), t.f.b.Unpack64_2x32SplitY(p))
		default:
			words = t.appendPrintf(words, in, id)
		}
	}
	t.putPrintf(in, "printf", words)
}

// printfVerbs are the letters of a format's conversions, in their order; what has no letter ends them.
func printfVerbs(format string) (verbs []byte) {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return verbs
		}
		if strings.HasPrefix(rest, "%") {
			format = rest[1:]
			continue
		}
		rest = strings.TrimLeft(rest, "-+ #0123456789.vhlLjzt")
		if rest == "" {
			return verbs
		}
		verbs, format = append(verbs, rest[0]), rest[1:]
	}
}

// kernelPrintf is a call of OpenCL's printf.
func kernelPrintf(m *spv.Module, in *spv.Instruction) (call PrintfCall, ok bool) {
	call.Kernel = true
	if call.Format, ok = literalText(m, uint32(in.IDArg(2))); !ok {
		return call, false
	}
	verbs := printfVerbs(call.Format)
	for k := 3; k < in.NumArgs(); k++ {
		var arg PrintfArg
		if k-3 < len(verbs) && verbs[k-3] == 's' {
			arg.Text, ok = literalText(m, uint32(in.IDArg(k)))
		} else {
			arg, ok = printfArg(m, in.IDArg(k))
		}
		if !ok {
			return call, false
		}
		call.Args = append(call.Args, arg)
	}
	return call, true
}

// literalText is the text that a pointer leads to, up to its 0: that into an initialised array of bytes that is constant, at a constant place.
func literalText(m *spv.Module, id uint32) (text string, ok bool) {
	from := uint64(0)
	for range maxLiteralSteps {
		in := m.Def(spv.ID(id))
		if in == nil {
			return "", false
		}
		op, first := in.Op, 0
		if op == spv.OpSpecConstantOp && in.NumArgs() > 1 {
			op, first = spv.Op(in.Arg(0)), 1
		}
		switch op {
		case spv.OpBitcast, spv.OpCopyObject:
		case spv.OpAccessChain, spv.OpInBoundsAccessChain, spv.OpPtrAccessChain, spv.OpInBoundsPtrAccessChain:
			for k := first + 1; k < in.NumArgs(); k++ { // the last index is that of bytes, those before it are 0
				n, ok := constantWord(m, in.IDArg(k))
				if !ok || from != 0 && n != 0 {
					return "", false
				}
				if k < in.NumArgs()-1 && n != 0 {
					return "", false
				}
				from += n
			}
		case spv.OpVariable:
			return literalBytes(m, in, from)
		default:
			return "", false
		}
		id = uint32(in.IDArg(first))
	}
	return "", false
}

// maxLiteralSteps bounds the casts between a literal and its use.
const maxLiteralSteps = 16

// literalBytes is the text of a variable's initialiser from a byte on.
func literalBytes(m *spv.Module, v *spv.Instruction, from uint64) (string, bool) {
	if spv.StorageClass(v.Arg(0)) != spv.StorageClassUniformConstant || v.NumArgs() < 2 {
		return "", false
	}
	init := m.Def(v.IDArg(1))
	switch {
	case init == nil:
		return "", false
	case init.Op == spv.OpConstantNull:
		return "", true
	case init.Op != spv.OpConstantComposite || from > uint64(init.NumArgs()):
		return "", false
	}
	var b strings.Builder
	for k := int(from); k < init.NumArgs(); k++ {
		c, ok := constantWord(m, init.IDArg(k))
		if !ok || c > 255 {
			return "", false
		}
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String(), true
}

// constantWord is an integer constant of the module.
func constantWord(m *spv.Module, id spv.ID) (uint64, bool) {
	in := m.Def(id)
	switch {
	case in == nil:
		return 0, false
	case in.Op == spv.OpConstantNull:
		return 0, true
	case in.Op != spv.OpConstant || in.NumArgs() < 1:
		return 0, false
	}
	ty := m.Def(in.ResultType())
	if ty == nil || ty.Op != spv.OpTypeInt {
		return 0, false
	}
	v := uint64(in.Arg(0))
	if in.NumArgs() > 1 {
		v |= uint64(in.Arg(1)) << 32
	}
	return v, true
}
