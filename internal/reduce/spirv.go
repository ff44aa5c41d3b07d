package reduce

import (
	"encoding/binary"
	"slices"

	"nirc/frontend/spirv/spv"
)

// spirvForm is a SPIR-V module that is being shrunk.
type spirvForm struct {
	m     *spv.Module
	insts []spirvInst
	uses  []uint32 // uses of each id by what is no name, decoration or interface
	text  bool     // written as assembly
}

// spirvInst is an instruction of it.
type spirvInst struct {
	op    spv.Op
	words []uint32
	typ   uint32   // type of the result or 0
	res   uint32   // the result or 0
	ids   []uint16 // places in words of the ids used, that of the type apart
	body  bool     // in a function
}

func newSpirvForm(m *spv.Module, text bool) (*spirvForm, error) {
	f := &spirvForm{m: m, text: text, insts: make([]spirvInst, len(m.Insts)), uses: make([]uint32, m.Bound)}
	var ops []spv.Operand
	body := false
	for i := range m.Insts {
		in := &m.Insts[i]
		var err error
		if ops, err = m.Decode(ops[:0], in); err != nil {
			return nil, err
		}
		body = body || in.Op == spv.OpFunction
		d := spirvInst{op: in.Op, words: in.Words, typ: uint32(in.ResultType()), res: uint32(in.Result()), body: body}
		for _, o := range ops {
			switch o.Kind {
			case spv.KindIdRef, spv.KindIdScope, spv.KindIdMemorySemantics:
				d.ids = append(d.ids, o.Start)
			}
		}
		f.insts[i] = d
		body = body && in.Op != spv.OpFunctionEnd
		if d.remark() {
			continue
		}
		f.uses[d.typ]++
		for _, at := range d.ids {
			f.uses[d.words[at]]++
		}
	}
	return f, nil
}

// remark reports whether an instruction only says something about ids that it
// names, and goes with them.
func (in *spirvInst) remark() bool {
	switch in.op {
	case spv.OpName, spv.OpMemberName, spv.OpDecorate, spv.OpMemberDecorate, spv.OpDecorateId, spv.OpDecorateString, spv.OpMemberDecorateString,
		spv.OpGroupDecorate, spv.OpGroupMemberDecorate, spv.OpExecutionMode, spv.OpExecutionModeId, spv.OpEntryPoint:
		return true
	}
	return false
}

// value reports whether an instruction makes a value in a function.
func (in *spirvInst) value() bool {
	return in.body && in.typ != 0 && in.res != 0 && in.op != spv.OpFunction && in.op != spv.OpFunctionParameter && in.op != spv.OpVariable && in.op != spv.OpUndef
}

// spirvEdit is a kind of edit: fits reports whether it can be made at
// instruction i, and apply makes it in the draft.
type spirvEdit struct {
	name  string
	fits  func(f *spirvForm, i int) bool
	apply func(d *spirvDraft, i int)
}

var spirvEdits = []spirvEdit{
	{"entry points", func(f *spirvForm, i int) bool {
		return f.insts[i].op == spv.OpEntryPoint && f.count(spv.OpEntryPoint) > 1
	}, (*spirvDraft).drop},
	{"functions", (*spirvForm).inner, (*spirvDraft).dropFunction},
	{"loops", func(f *spirvForm, i int) bool { return f.insts[i].op == spv.OpLoopMerge },
		func(d *spirvDraft, i int) { d.branch(i+1, d.f.insts[i].words[1]) }},
	{"first sides of branches", isBranch, func(d *spirvDraft, i int) { d.branch(i, d.f.insts[i].words[2]) }},
	{"second sides of branches", isBranch, func(d *spirvDraft, i int) {
		w := d.f.insts[i].words
		to := w[len(w)-1]
		if d.f.insts[i].op == spv.OpBranchConditional {
			to = w[3]
		}
		d.branch(i, to)
	}},
	{"effects", isEffect, (*spirvDraft).drop},
	{"values", func(f *spirvForm, i int) bool { return f.insts[i].value() }, (*spirvDraft).drop},
	{"values for null", func(f *spirvForm, i int) bool { return f.insts[i].value() }, func(d *spirvDraft, i int) {
		d.null = append(d.null, d.f.insts[i].res)
		d.drop(i)
	}},
	{"values for operands", func(f *spirvForm, i int) bool { return f.operand(i) != 0 }, func(d *spirvDraft, i int) {
		d.rename[d.f.insts[i].res] = d.f.operand(i)
		d.drop(i)
	}},
	{"edges between blocks", (*spirvForm).edge, (*spirvDraft).join},
	{"remarks", func(f *spirvForm, i int) bool {
		return !f.insts[i].body && f.insts[i].res == 0 && f.insts[i].op != spv.OpMemoryModel && f.insts[i].op != spv.OpEntryPoint
	},
		(*spirvDraft).drop},
	{"what is unused", func(f *spirvForm, i int) bool {
		in := &f.insts[i]
		return in.res != 0 && f.uses[in.res] == 0 && in.op != spv.OpFunction && in.op != spv.OpFunctionParameter && in.op != spv.OpLabel && in.op != spv.OpFunctionCall
	}, (*spirvDraft).drop},
}

func isBranch(f *spirvForm, i int) bool {
	op := f.insts[i].op
	return op == spv.OpBranchConditional || op == spv.OpSwitch
}

// isEffect reports whether an instruction of a block has no result and can go.
func isEffect(f *spirvForm, i int) bool {
	in := &f.insts[i]
	if !in.body || in.res != 0 || terminator(in.op) {
		return false
	}
	return in.op != spv.OpFunctionEnd && in.op != spv.OpLoopMerge && in.op != spv.OpSelectionMerge
}

// terminator reports whether an instruction ends a block.
func terminator(op spv.Op) bool {
	switch op {
	case spv.OpBranch, spv.OpBranchConditional, spv.OpSwitch, spv.OpReturn, spv.OpReturnValue, spv.OpKill, spv.OpUnreachable,
		spv.OpTerminateInvocation, spv.OpIgnoreIntersectionKHR, spv.OpTerminateRayKHR, spv.OpEmitMeshTasksEXT:
		return true
	}
	return false
}

func (f *spirvForm) count(op spv.Op) (n int) {
	for i := range f.insts {
		if f.insts[i].op == op {
			n++
		}
	}
	return n
}

// inner reports whether instruction i begins a function that is no entry point.
func (f *spirvForm) inner(i int) bool {
	if f.insts[i].op != spv.OpFunction {
		return false
	}
	for k := range f.insts {
		if in := &f.insts[k]; in.op == spv.OpEntryPoint && in.words[2] == f.insts[i].res {
			return false
		}
	}
	return true
}

// operand returns an operand of a value that has its type, or 0.
func (f *spirvForm) operand(i int) uint32 {
	in := &f.insts[i]
	if !in.value() || in.op == spv.OpPhi {
		return 0
	}
	for _, at := range in.ids {
		if d := f.m.Def(spv.ID(in.words[at])); d != nil && uint32(d.ResultType()) == in.typ && d.Op != spv.OpFunction {
			return in.words[at]
		}
	}
	return 0
}

// edge reports whether instruction i is a branch to the block right after it
// that nothing else leads to or names.
func (f *spirvForm) edge(i int) bool {
	if f.insts[i].op != spv.OpBranch || i+1 >= len(f.insts) || f.insts[i+1].op != spv.OpLabel || f.insts[i+1].res != f.insts[i].words[1] {
		return false
	}
	if merge := f.insts[i-1].op; merge == spv.OpLoopMerge || merge == spv.OpSelectionMerge {
		return false
	}
	n := f.uses[f.insts[i+1].res]
	for k := range f.insts {
		if in := &f.insts[k]; in.op == spv.OpPhi {
			for a := 4; a < len(in.words); a += 2 {
				if in.words[a] == f.insts[i+1].res {
					n-- // phis follow
				}
			}
		}
	}
	return n == 1
}

func (f *spirvForm) edits() []string {
	names := make([]string, len(spirvEdits))
	for i, e := range spirvEdits {
		names[i] = e.name
	}
	return names
}

func (f *spirvForm) chances(edit int) (n int) {
	for i := range f.insts {
		if spirvEdits[edit].fits(f, i) {
			n++
		}
	}
	return n
}

func (f *spirvForm) apply(edit, first, n int) form {
	e := &spirvEdits[edit]
	d := newSpirvDraft(f)
	at := 0
	for i := range f.insts {
		if !e.fits(f, i) {
			continue
		}
		if at >= first && at < first+n {
			e.apply(d, i)
		}
		at++
	}
	words, ok := d.finish()
	if !ok {
		return nil
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		return nil
	}
	g, err := newSpirvForm(m, f.text)
	if err != nil || slices.Equal(words, f.m.Words) {
		return nil
	}
	return g
}

func (f *spirvForm) size() int { return len(f.insts) }

func (f *spirvForm) bytes() []byte {
	if f.text {
		return []byte(spv.Disassemble(f.m, spv.DisassembleOptions{Header: true, Indent: true}))
	}
	b := make([]byte, 0, 4*len(f.m.Words))
	for _, w := range f.m.Words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
