package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// maxPrintfWords bounds what a call prints, in words of 32 bits: what a vector holds.
const maxPrintfWords = 16

// PrintfArg is the type of an argument of a call: so many components. Floats of 64 bits take two words each, as do such
// integers and pointers, lower word first; floats of 16 bits come as 32, smaller integers too.
type PrintfArg struct {
	Components    int
	Float, Signed bool
	Bits          uint8 // 32 or 64
	// Text is the literal that a %s of a kernel prints. It has no components, and takes no words.
	Text string
}

// PrintfCall is a call of debugPrintfEXT, or of a kernel's printf.
type PrintfCall struct {
	Format string
	Args   []PrintfArg
	// Kernel is set of OpenCL's printf: the text has the ends of its lines, and components of vectors have nothing but a comma between them.
	Kernel bool
}

// isDebugPrintf reports whether an OpExtInstImport is that of debugPrintfEXT.
func isDebugPrintf(in *spv.Instruction) bool {
	if in.Op != spv.OpExtInstImport {
		return false
	}
	name, _ := in.StringArg(0)
	return name == "NonSemantic.DebugPrintf"
}

// isKernelPrintf reports whether an instruction of a module is OpenCL's printf.
func isKernelPrintf(m *spv.Module, in *spv.Instruction) bool {
	if in.Op != spv.OpExtInst || in.NumArgs() < 3 || spv.OpenCLstd(in.Arg(1)) != spv.OpenCLstdPrintf {
		return false
	}
	set := m.Def(in.IDArg(0))
	if set == nil || set.Op != spv.OpExtInstImport {
		return false
	}
	named, non := set.ImportSet()
	return !non && named == spv.ExtSetOpenCLstd
}

// Prints reports whether a module calls debugPrintfEXT, or printf in kernels.
func Prints(m *spv.Module) bool {
	kernels := false
	for i := range m.Insts {
		in := &m.Insts[i]
		switch {
		case isDebugPrintf(in):
			return true
		case in.Op == spv.OpMemoryModel:
			kernels = spv.MemoryModel(in.Arg(1)) == spv.MemoryModelOpenCL
		case in.Op == spv.OpFunction && !kernels:
			return false
		case kernels && isKernelPrintf(m, in):
			return true
		}
	}
	return false
}

// printf translates a call of debugPrintfEXT.
func (t *translator) printf(in *inst) {
	if t.arg(in, 1) != 1 {
		t.refuse(in.id, "instruction %d of NonSemantic.DebugPrintf is not supported", t.arg(in, 1))
	}
	var words []*ir.Def
	for i := 3; i < len(in.args); i++ {
		words = t.appendPrintf(words, in, t.arg(in, i))
	}
	t.putPrintf(in, "debugPrintfEXT", words)
}

// appendPrintf appends the words of an argument.
func (t *translator) appendPrintf(words []*ir.Def, in *inst, id uint32) []*ir.Def {
	v, ty := t.vector(id), t.valType(id)
	for c := range int(v.NumComponents) {
		words = append(words, t.printfWords(in, t.f.b.Channel(v, c), ty)...)
	}
	return words
}

// putPrintf prints the words of a call's arguments, with where it stands in the module, by which PrintfAt finds its format.
func (t *translator) putPrintf(in *inst, name string, words []*ir.Def) {
	if len(words) > maxPrintfWords {
		t.refuse(in.id, "a %s of %d words is not supported: the most are %d", name, len(words), maxPrintfWords)
	}
	for len(words) == 0 || len(words) > 5 && len(words) != 8 && len(words) != 16 {
		words = append(words, t.f.u32(0))
	}
	t.f.b.Effect(ir.IntrPrintf, t.f.b.Vec(words...)).Set(ir.IdxBase, uint64(t.word))
}

// printfWords are the words of a component.
func (t *translator) printfWords(in *inst, v *ir.Def, ty *typ) []*ir.Def {
	b := t.f.b
	for ty.elem != nil {
		ty = ty.elem
	}
	switch {
	case ty.encoding != 0:
		return []*ir.Def{t.fromNarrow(v, ty.encoding)}
	case v.BitSize == 1:
		return []*ir.Def{b.B2i32(v)}
	case v.BitSize == 64:
		return []*ir.Def{b.Unpack64_2x32SplitX(v), b.Unpack64_2x32SplitY(v)}
	case v.BitSize == 32:
		return []*ir.Def{v}
	case ty.kind == tFloat:
		return []*ir.Def{b.F2f32(v)}
	case ty.kind == tInt && ty.sign:
		return []*ir.Def{b.I2i32(v)}
	}
	return []*ir.Def{b.U2u32(v)}
}

// PrintfAt is the call that stands at a word of a module, ok false if none does.
func PrintfAt(m *spv.Module, word uint32) (call PrintfCall, ok bool) {
	for i := range m.Insts {
		in := &m.Insts[i]
		if in.Offset != word || in.Op != spv.OpExtInst || in.NumArgs() < 3 {
			continue
		}
		if isKernelPrintf(m, in) {
			return kernelPrintf(m, in)
		}
		set, format := m.Def(in.IDArg(0)), m.Def(in.IDArg(2))
		if set == nil || !isDebugPrintf(set) || format == nil || format.Op != spv.OpString {
			return call, false
		}
		call.Format, _ = format.StringArg(0)
		for k := 3; k < in.NumArgs(); k++ {
			arg, ok := printfArg(m, in.IDArg(k))
			if !ok {
				return call, false
			}
			call.Args = append(call.Args, arg)
		}
		return call, true
	}
	return call, false
}

// printfArg is the type of a value.
func printfArg(m *spv.Module, id spv.ID) (a PrintfArg, ok bool) {
	v := m.Def(id)
	if v == nil {
		return a, false
	}
	ty := m.Def(v.ResultType())
	a.Components = 1
	if ty != nil && ty.Op == spv.OpTypeVector && ty.NumArgs() > 1 {
		a.Components, ty = int(ty.Arg(1)), m.Def(ty.IDArg(0))
	}
	a.Bits = 32
	switch {
	case ty == nil:
		return a, false
	case ty.Op == spv.OpTypePointer:
		a.Bits = 64
		return a, true
	case ty.Op == spv.OpTypeBool:
	case ty.Op == spv.OpTypeInt && ty.NumArgs() > 1:
		a.Signed = ty.Arg(1) != 0
	case ty.Op == spv.OpTypeFloat:
		a.Float = true
	default:
		return a, false
	}
	if ty.Op != spv.OpTypeBool && ty.Arg(0) == 64 {
		a.Bits = 64
	}
	return a, true
}
