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
// what is no variable and no struct (those two are in an object's reflection). The word
// that names the generator is zero. Modules that differ in nothing else have one canonical form,
// and it compiles to the same object.
func Canonical(m *spv.Module) []byte {
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
	out := make([]byte, 0, 4*len(m.Words))
	for _, w := range []uint32{spirvMagic, uint32(m.Version) << 8, 0, m.Bound, m.Schema} {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for i := range m.Insts {
		in := &m.Insts[i]
		if isDebug(in, keep, quiet) {
			continue
		}
		for _, w := range in.Words {
			out = binary.LittleEndian.AppendUint32(out, w)
		}
	}
	return out
}

func isDebug(in *spv.Instruction, keep []bool, quiet map[spv.ID]bool) bool {
	switch in.Op {
	case spv.OpSource, spv.OpSourceContinued, spv.OpSourceExtension, spv.OpModuleProcessed, spv.OpLine, spv.OpNoLine, spv.OpString:
		return true
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
