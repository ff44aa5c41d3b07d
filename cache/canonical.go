package cache

import (
	"encoding/binary"
	"strings"

	"nirc/frontend/spirv/spv"
)

// spirvMagic is the first word of a module.
const spirvMagic = 0x07230203

// Canonical returns a module's words, little endian, without debug information
// that no object holds: source lines and text, strings, non-semantic instructions, and the names of
// what is no variable and no struct (those two are in an object's reflection). Ids are numbered
// without gaps, in their order, since tools that strip debug information leave gaps and those that write none do not;
// the word that names the generator is zero. Modules that differ in nothing else have one
// canonical form, and it compiles to the same object.
func Canonical(m *spv.Module) []byte {
	words, _ := canonical(m)
	return words
}

// canonical is Canonical with the canonical ids by those of the module, 0 for ids of debug information; nil if all
// are the same.
func canonical(m *spv.Module) (words []byte, number []uint32) {
	keep := make([]bool, m.Bound) // ids whose name counts
	quiet := map[spv.ID]bool{}    // non-semantic imports
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case spv.OpVariable, spv.OpTypeStruct:
			if id := in.Result(); uint32(id) < m.Bound {
				keep[id] = true
			}
		case spv.OpExtInstImport:
			if name, _ := in.StringArg(0); strings.HasPrefix(name, "NonSemantic.") || strings.HasPrefix(name, "OpenCL.DebugInfo") {
				quiet[in.Result()] = true
			}
		}
	}
	kept := make([]int32, 0, len(m.Insts)) // indices of instructions
	number = make([]uint32, m.Bound)
	for i := range m.Insts {
		in := &m.Insts[i]
		if isDebug(in, keep, quiet) {
			continue
		}
		kept = append(kept, int32(i))
		number[in.Result()] = 1
	}
	number[0] = 0
	bound := uint32(1)
	for id, is := range number {
		if is != 0 {
			number[id] = bound
			bound++
		}
	}
	if bound != m.Bound {
		if words = appendWords(m, kept, bound, number); words != nil {
			return words, number
		}
	}
	return appendWords(m, kept, m.Bound, nil), nil // what names an id that nothing defines keeps them all
}

// appendWords writes the kept instructions, with the ids of number unless that is nil; it returns nil if one of them
// names an id that has none.
func appendWords(m *spv.Module, kept []int32, bound uint32, number []uint32) []byte {
	r := renumber{m: m, number: number}
	out := make([]byte, 0, 4*len(m.Words))
	for _, w := range []uint32{spirvMagic, uint32(m.Version) << 8, 0, bound, m.Schema} {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for _, i := range kept {
		in := &m.Insts[i]
		start := len(out)
		for _, w := range in.Words {
			out = binary.LittleEndian.AppendUint32(out, w)
		}
		if number != nil && !r.instruction(in, out[start:]) {
			return nil
		}
	}
	return out
}

// renumber gives instructions the canonical ids.
type renumber struct {
	m        *spv.Module
	number   []uint32 // by id
	glsl     spv.ID   // the import of GLSL.std.450
	operands []spv.Operand
}

// instruction changes the ids in out, the bytes of an instruction. It returns
// false if there is no number for one of them.
func (r *renumber) instruction(in *spv.Instruction, out []byte) bool {
	if in.Op == spv.OpExtInstImport {
		if name, _ := in.StringArg(0); name == "GLSL.std.450" {
			r.glsl = in.Result()
		}
	}
	w, known := idWordsOf(in, r.glsl)
	if !known {
		return r.decoded(in, out)
	}
	for i := 1; i < len(in.Words); i++ {
		if w.is(i) && !r.word(in, i, out) {
			return false
		}
	}
	return true
}

// decoded is instruction for those of any form.
func (r *renumber) decoded(in *spv.Instruction, out []byte) bool {
	var err error
	if r.operands, err = r.m.Decode(r.operands[:0], in); err != nil {
		return false
	}
	for _, o := range r.operands {
		if o.Kind.IsID() && !r.word(in, int(o.Start), out) {
			return false
		}
	}
	return true
}

// word renumbers one word.
func (r *renumber) word(in *spv.Instruction, i int, out []byte) bool {
	n := r.number[in.Words[i]]
	binary.LittleEndian.PutUint32(out[4*i:], n)
	return n != 0
}

func isDebug(in *spv.Instruction, keep []bool, quiet map[spv.ID]bool) bool {
	switch in.Op {
	case spv.OpSource, spv.OpSourceContinued, spv.OpSourceExtension, spv.OpModuleProcessed, spv.OpLine, spv.OpNoLine, spv.OpString:
		return true
	case spv.OpExtension:
		name, _ := in.StringArg(0)
		return name == "SPV_KHR_non_semantic_info"
	case spv.OpName, spv.OpMemberName:
		id := in.Arg(0)
		return int(id) >= len(keep) || !keep[id]
	case spv.OpExtInstImport:
		return quiet[in.Result()]
	case spv.OpExtInst, spv.OpExtInstWithForwardRefsKHR:
		return quiet[in.IDArg(0)]
	}
	return false
}
