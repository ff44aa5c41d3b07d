package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// sourceLine takes in an OpLine or OpNoLine.
func (t *translator) sourceLine(in *spv.Instruction) {
	t.line = line{file: -1}
	if in.Op == spv.OpLine {
		t.line = line{file: int32(t.m.DefIndex(in.IDArg(0))), line: in.Arg(1), col: in.Arg(2)}
	}
}

// fileName returns the string that an OpString holds, "" for none.
func (t *translator) fileName(i int32) string {
	if i < 0 || t.m.Insts[i].Op != spv.OpString {
		return ""
	}
	s, _ := t.m.Insts[i].StringArg(0)
	return s
}

// setLoc makes a Loc of the current place for the instructions that follow.
func (t *translator) setLoc(id uint32) {
	if t.f == t.scratch && t.f != nil {
		return
	}
	if t.line.line == 0 && !t.opts.Debug {
		t.s.SetLoc(0)
		return
	}
	l := ir.Loc{File: t.fileIndex(t.line.file), Line: t.line.line, Col: t.line.col, Word: uint32(t.word), ID: id, Func: t.fn}
	if t.inScope.fn != 0 {
		l.Func, l.Call = t.inScope.fn, t.inScope.call
	}
	t.s.Locs = append(t.s.Locs, l)
	t.s.SetLoc(uint32(len(t.s.Locs) - 1))
}

// fileIndex returns the index in Files of the OpString defined at i.
func (t *translator) fileIndex(i int32) uint32 {
	if i < 0 || t.m.Insts[i].Op != spv.OpString {
		return 0
	}
	if t.fileIdx == nil {
		t.fileIdx = make([]uint32, len(t.m.Insts))
	}
	if t.fileIdx[i] == 0 {
		t.s.Files = append(t.s.Files, t.fileName(i))
		t.fileIdx[i] = uint32(len(t.s.Files) - 1)
	}
	return t.fileIdx[i]
}

// debugInst takes in an instruction of NonSemantic.Shader.DebugInfo.100: lines, and the functions that
// they are of.
func (t *translator) debugInst(in *inst) {
	switch spv.NonSemanticShaderDebugInfo100(in.args[1]) {
	case spv.NonSemanticShaderDebugInfo100DebugNoLine:
		t.line = line{file: -1}
	case spv.NonSemanticShaderDebugInfo100DebugLine:
		if len(in.args) < 7 {
			return
		}
		l, ok := t.intConst(in.args[3])
		c, ok2 := t.intConst(in.args[5])
		if !ok || !ok2 {
			return
		}
		t.line = line{file: t.debugSource(in.args[2]), line: uint32(l), col: uint32(c)}
	case spv.NonSemanticShaderDebugInfo100DebugNoScope:
		t.inScope = debugScope{}
	case spv.NonSemanticShaderDebugInfo100DebugScope:
		t.setScope(in)
	default:
		return
	}
	t.setLoc(0)
}

// debugSource returns where the file name of a DebugSource is defined.
func (t *translator) debugSource(id uint32) int32 {
	src := t.m.Def(spv.ID(id))
	if src == nil || src.Op != spv.OpExtInst || src.NumArgs() < 3 || spv.NonSemanticShaderDebugInfo100(src.Arg(1)) != spv.NonSemanticShaderDebugInfo100DebugSource {
		return -1
	}
	return int32(t.m.DefIndex(src.IDArg(2)))
}
