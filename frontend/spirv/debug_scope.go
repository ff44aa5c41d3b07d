package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// debugScope is the function that instructions come from, an index into Shader.Funcs, and the place of
// the call where the module's optimizer has inlined it, one into Shader.Locs.
type debugScope struct{ fn, call uint32 }

// maxScopes bounds how far scopes lead to each other.
const maxScopes = 64

// funcIndex is the index of a function's name in Shader.Funcs, 0 if debug information is not wanted.
func (t *translator) funcIndex(name string) uint32 {
	if !t.opts.Debug || name == "" {
		return 0
	}
	i, ok := t.funcIdx[name]
	if !ok {
		if t.funcIdx == nil {
			t.funcIdx = map[string]uint32{}
		}
		i = uint32(len(t.s.Funcs))
		t.s.Funcs = append(t.s.Funcs, name)
		t.funcIdx[name] = i
	}
	return i
}

// setScope takes in a DebugScope.
func (t *translator) setScope(in *inst) {
	t.inScope = debugScope{}
	if len(in.args) < 3 || !t.opts.Debug {
		return
	}
	t.inScope.fn, _ = t.scopeFunction(in.args[2])
	if len(in.args) > 3 {
		t.inScope.call = t.inlinedAt(in.args[3], 0)
	}
}

// debugArgs are the operands of a debug instruction of that kind, nil if id is none, or has fewer than n.
func (t *translator) debugArgs(id uint32, kind spv.NonSemanticShaderDebugInfo100, n int) []uint32 {
	in := t.m.Def(spv.ID(id))
	if in == nil || in.Op != spv.OpExtInst || in.NumArgs() < 2+n || spv.NonSemanticShaderDebugInfo100(in.Arg(1)) != kind {
		return nil
	}
	args := make([]uint32, in.NumArgs()-2)
	for i := range args {
		args[i] = in.Arg(i + 2)
	}
	return args
}

// scopeFunction finds the function around a scope: its name in Shader.Funcs and its file in Shader.Files.
func (t *translator) scopeFunction(id uint32) (fn, file uint32) {
	for range maxScopes {
		if f := t.debugArgs(id, spv.NonSemanticShaderDebugInfo100DebugFunction, 3); f != nil {
			return t.funcIndex(t.fileName(int32(t.m.DefIndex(spv.ID(f[0]))))), t.fileIndex(t.debugSource(f[2]))
		}
		block := t.debugArgs(id, spv.NonSemanticShaderDebugInfo100DebugLexicalBlock, 4)
		if block == nil {
			break
		}
		id = block[3]
	}
	return 0, 0
}

// inlinedAt makes the place of a DebugInlinedAt: the line of the call, the function around it, and where that
// was inlined in turn.
func (t *translator) inlinedAt(id uint32, depth int) uint32 {
	if n, ok := t.inlined[id]; ok {
		return n
	}
	at := t.debugArgs(id, spv.NonSemanticShaderDebugInfo100DebugInlinedAt, 2)
	if at == nil || depth == maxScopes {
		return 0
	}
	line, ok := t.intConst(at[0])
	if !ok {
		return 0
	}
	l := ir.Loc{Line: uint32(line), Word: uint32(t.word)}
	l.Func, l.File = t.scopeFunction(at[1])
	if len(at) > 2 {
		l.Call = t.inlinedAt(at[2], depth+1)
	}
	if t.inlined == nil {
		t.inlined = map[uint32]uint32{}
	}
	n := uint32(len(t.s.Locs))
	t.s.Locs = append(t.s.Locs, l)
	t.inlined[id] = n
	return n
}
