package agx

import (
	"fmt"

	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// pinstr is a physical instruction: every operand has its register.
type pinstr struct {
	isa.Instr
	loc uint32
	// to is the instruction that a branch leads to.
	to   *pinstr
	addr int
	// divergent: some lanes may not run it.
	divergent bool
}

// program is an allocated function as one run of instructions, in which
// branches only skip and repeat.
type program struct {
	f    *mach.Func
	code *code
	uni  *uniforms
	list []*pinstr
	// head[b] is the first instruction of block b's code.
	start []int
	err   error
	exec  bool // the execution mask is used
	open  bool // another part follows in place of stop
	r0h   bool // shuffles use it
	stale bool // it holds an index
	loops []pendingLoop
}

// pendingLoop is a branch to the start of a block.
type pendingLoop struct {
	branch *pinstr
	block  mach.BlockID
}

// lowerPseudo makes the physical program.
func lowerPseudo(f *mach.Func, u *uniforms) (*program, error) {
	c := templates(f)
	p := &program{f: f, code: c, uni: u, start: slab.Zeroed(c.start, len(f.Blocks)), list: c.list[:0]}
	c.start = p.start
	for b := range f.Blocks {
		p.start[b] = len(p.list)
		for _, in := range f.Blocks[b].Instrs {
			if p.stale && (f.Props(in)&mach.PropTerminator != 0 || in.Op == opRefresh && !faults.has(faultHaltedIndex)) {
				p.clearIndex(in.Loc)
			}
			p.instr(in)
		}
		if p.stale {
			p.clearIndex(0)
		}
	}
	p.emit(isa.Instr{Op: isa.OpStop}, 0)
	for _, l := range p.loops {
		l.branch.to = p.list[p.start[l.block]]
	}
	c.list = p.list
	return p, p.err
}

func (p *program) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("agx: "+format, args...)
	}
}

// newInstr makes an instruction that is in no list.
func (p *program) newInstr(in isa.Instr, loc uint32) *pinstr {
	x := p.code.pinstrs.New()
	x.Instr, x.loc = in, loc
	return x
}

func (p *program) emit(in isa.Instr, loc uint32) *pinstr {
	i := p.newInstr(in, loc)
	p.list = append(p.list, i)
	return i
}

func (p *program) instr(in *mach.Instr) {
	switch in.Op {
	case mach.OpMove:
		p.emit(mov(p.register(&in.Ops[0]), p.register(&in.Ops[1])), in.Loc)
	case mach.OpSwap:
		p.swap(p.register(&in.Ops[0]), p.register(&in.Ops[1]), in.Loc)
	case opInputs, opEnd:
	case opIf:
		p.fill(in)
		p.exec = true
	case opElse:
		p.emit(execFCmp(isa.OpElseFcmp, 1), in.Loc)
	case opEndIf:
		p.emit(popExec(int(in.Aux)), in.Loc)
	case opLoop:
		p.emit(execFCmp(isa.OpIfFcmp, int(in.Aux)), in.Loc)
		p.exec = true
	case opEndLoop:
		p.endLoop(in)
	case opBreak:
		p.emit(isa.Instr{Op: isa.OpMovImm16, Dst: isa.H(isa.R0L), Imm: uint32(in.Aux)}, in.Loc)
		p.emit(popExec(0), in.Loc)
		p.exec = true
	case opRefresh:
		p.emit(execFCmp(isa.OpIfFcmp, int(in.Aux)), in.Loc)
		p.exec = true
	case opUnwrap:
		p.emit(popExec(1), in.Loc)
	case opShuffle:
		p.shuffle(in)
	default:
		if in.Op < mach.FirstTargetOp {
			p.fail("a generic operation is left after allocation")
			return
		}
		if in.Op == machOp(isa.OpStackStore) && faults.has(faultSpillStore) {
			return
		}
		p.fill(in)
	}
}

// endLoop goes back to the loop's head while lanes are active, then lets those go on that left.
func (p *program) endLoop(in *mach.Instr) {
	if in.Flags == 2 {
		p.emit(isa.Instr{Op: isa.OpWhileIcmp, Dst: isa.H(isa.R0L), Cond: isa.CondUEQ, Srcs: [6]isa.Operand{isa.I(0), isa.I(0)}, Nest: 2}, in.Loc)
	}
	j := p.emit(isa.Instr{Op: isa.OpJmpExecAny}, in.Loc)
	p.loops = append(p.loops, pendingLoop{j, mach.BlockID(in.Aux)})
	p.emit(popExec(int(in.Flags)), in.Loc)
	p.exec = true
}

var floatZero = isa.Operand{Kind: isa.FImm}

// execFCmp is a mask instruction whose comparison always holds: push_exec or else.
func execFCmp(op isa.Op, n int) isa.Instr {
	return isa.Instr{Op: op, Dst: isa.H(isa.R0L), Cond: isa.CondFEQ, Srcs: [6]isa.Operand{floatZero, floatZero}, Nest: uint8(n)}
}

func popExec(n int) isa.Instr {
	return isa.Instr{Op: isa.OpPopExec, Dst: isa.H(isa.R0L), Nest: uint8(n)}
}

func mov(dst, src isa.Operand) isa.Instr {
	return isa.Instr{Op: isa.OpBitop, Table: tableA, Dst: dst, Srcs: [6]isa.Operand{src, isa.I(0)}}
}

// register is the register of a machine operand.
func (p *program) register(o *mach.Operand) isa.Operand {
	class, n := o.Class, int(o.Size)/int(machClasses[o.Class].Elem)
	if o.Val != 0 {
		class, n = p.f.Class(o.Val), p.f.Elems(o.Val)
	}
	r := shape(class, n)
	r.Val = int32(o.Reg)
	return r
}

// swap exchanges two registers: the halves of one register by a rotation,
// others by three exclusive ors.
func (p *program) swap(x, y isa.Operand, loc uint32) {
	if x.Size == 16 && x.Val^1 == y.Val {
		r := isa.R(int(x.Val / 2))
		p.emit(isa.Instr{Op: isa.OpExtr, Dst: r, Srcs: [6]isa.Operand{r, r, isa.I(16)}}, loc)
		return
	}
	for _, d := range [3]isa.Operand{x, y, x} {
		p.emit(isa.Instr{Op: isa.OpBitop, Table: tableXor, Dst: d, Srcs: [6]isa.Operand{x, y}}, loc)
	}
}

// fill emits the template of in with its registers.
func (p *program) fill(in *mach.Instr) {
	x := p.code.pinstrs.New()
	x.loc = in.Loc
	p.list = append(p.list, x)
	p.fillIn(&x.Instr, in)
}

// fillIn makes t the template of in with its registers.
func (p *program) fillIn(t *isa.Instr, in *mach.Instr) {
	*t = p.code.tmpl[in.Ext]
	if in.NDefs > 0 {
		t.Dst.Val = int32(in.Ops[0].Reg)
	}
	uses := in.Uses()
	k := 0
	for i := range t.Srcs {
		switch o := &t.Srcs[i]; {
		case o.Kind == isa.Reg && k < len(uses):
			o.Val = int32(uses[k].Reg)
			k++
		case o.Kind == isa.Uniform:
			p.uni.resolve(o)
		}
	}
	if t.Op == isa.OpUniformStore {
		p.uni.resolve(&t.Srcs[1])
	}
}

// entry puts at the start what every program that needs it begins with: the
// nesting counter's start and the stack frame. A part that runs once a sample
// finds the counter at 0; it closes its frame.
func (p *program) entry(scratch int, again bool) {
	var head []*pinstr
	if p.exec && !again && !faults.has(faultNestingStart) {
		head = append(head, p.newInstr(isa.Instr{Op: isa.OpMovImm16, Dst: isa.H(isa.R0L)}, 0))
	}
	if p.r0h {
		head = append(head, p.newInstr(zeroIndex, 0))
	}
	if scratch > 0 {
		words := frameWords(scratch)
		head = append(head, p.newInstr(isa.Instr{Op: isa.OpStackAdjust, Imm: uint32(words)}, 0))
		if p.open {
			stop := p.list[len(p.list)-1]
			p.list[len(p.list)-1] = p.newInstr(isa.Instr{Op: isa.OpStackAdjust, Imm: uint32(-words)}, 0)
			p.list = append(p.list, stop)
		}
	}
	if len(head) > 0 {
		p.list = append(head, p.list...)
	}
}

// frameWords is what stack_adjust takes for some bytes (agx.md §7.4).
func frameWords(bytes int) int { return backend.AlignUp((bytes+3)/4+stackReserved, stackAlign) }
