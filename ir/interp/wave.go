package interp

import (
	"fmt"
	"math"
	"sync"

	"nirc/internal/emu"
	"nirc/internal/raytrace"
	"nirc/ir"
)

// Wave is a wave in flight; see emu.Wave.
type Wave struct {
	p    *Program
	l    *emu.Launch
	w    int32 // lanes of a slot
	pc   int32
	fuel int
	done bool
	err  error
	// outside is the first instruction that left its bounds, of a strict program, or
	// whose address was not aligned.
	outside *ir.Instr
	// goOn says by lane after which call of a shader it goes on, plus 1.
	goOn []uint32
	// promised: that was of a buffer, whose bounds the shader promised to keep.
	promised bool
	// unbound tells of an access to an element of an array of descriptors that nothing is bound to.
	unbound error
	crooked bool // not aligned

	active, helper, dead emu.Mask
	on                   []uint8 // the lanes of active
	dense                int     // how many, if they are the first ones; else 0
	stack                []frame
	*state

	bufHandle uint32
	bufValid  bool
	buf       []byte
	bufAddr   uint64
	bufSize   uint64
	inPre     bool
	preWords  []uint64
	clock     uint64
	absent    uint64                     // counts what was asked of other lanes, see gather
	poison    uint64                     // what such lanes have; 0: zeros
	races     *emu.WaveRaces             // nil: nobody looks
	queries   map[uint64]*raytrace.Query // by lane and address; nil: none yet
	residency uint32                     // code of the texels that a lane has read
}

// state is the storage of a wave, used again by later waves.
type state struct {
	regs     []uint64
	priv     []byte
	tmp      []byte
	laneBuf  [emu.MaxLanes]uint8
	args     [4]uint64
	vecWords []uint64
	vecSrcs  [16][]uint64
	vecDst   [16]uint64
	lane     [emu.MaxLanes]uint64
	texOut   [emu.MaxLanes][5]uint64 // a texel and its residency code
}

type wavePool struct{ sync.Pool }

type frameKind uint8

const (
	frameIf frameKind = iota
	frameLoop
	frameCall
)

// frame is an if, a loop or a call that is being executed.
type frame struct {
	kind frameKind
	// If: lanes of the else side, and lanes at the end of the then side.
	// Loop: lanes that left, and that wait at the continue.
	// Call: lanes that returned.
	a, b emu.Mask
	pc   int32 // Call: where to go on
}

// NewWave makes a wave at the start of the program.
func (p *Program) NewWave(l *emu.Launch) emu.Wave {
	st, _ := p.pool.Get().(*state)
	if st == nil {
		st = &state{regs: make([]uint64, max(1, p.slots)*p.lanes), priv: make([]byte, int(p.private)*p.lanes)}
		for _, k := range p.consts {
			for i := range p.lanes {
				st.regs[int(k.slot)+i] = k.value
			}
		}
	}
	w := &Wave{p: p, l: l, w: int32(p.lanes), state: st}
	if l.NumLanes < 1 || l.NumLanes > p.lanes {
		w.err = fmt.Errorf("interp: a launch of %d lanes does not fit a wave of %d", l.NumLanes, p.lanes)
		return w
	}
	if err := w.checkLaunch(); err != nil {
		w.err = err
		return w
	}
	w.fillUndefined()
	w.watchRaces()
	w.setActive(firstLanes(l.NumLanes))
	if l.Fragment != nil {
		for i := range l.NumLanes {
			if l.Fragment[i].Helper {
				w.helper.Set(i)
			}
		}
	}
	w.startInputs()
	w.startSysvals()
	if l.Rays != nil {
		w.startRays()
	}
	w.pc = p.entry
	if p.preamble >= 0 {
		w.pc, w.inPre = p.preamble, true
		w.preWords = make([]uint64, p.preambleHalves)
	}
	w.stack = append(w.stack, frame{kind: frameCall, pc: -1})
	return w
}

// fillUndefined gives private memory and undefined values the launch's garbage,
// and initialised variables their values.
func (w *Wave) fillUndefined() {
	p, st := w.p, w.state
	garbage := w.l.Garbage()
	w.poison = p.undef
	garbage.Mark("undefined values, all of them,", 0, 2)
	if w.poison == 0 && garbage.On() {
		w.poison = garbage.Long() | 1
	}
	for k, u := range p.undefs {
		garbage.Mark("undefined value", k, 2*p.lanes)
		for i := range p.lanes {
			st.regs[int(u.slot)+i] = garbage.Long() & u.value
		}
	}
	garbage.Mark("private memory, byte", 0, 0)
	garbage.Fill(st.priv)
	for i := range w.l.NumLanes {
		own := st.priv[i*int(p.private):]
		for _, s := range p.inits {
			copy(own[s.at:], p.init[s.at:s.at+s.n])
		}
	}
	if c := w.l.Compute; c != nil { // each wave does it, before any runs
		for _, s := range p.sharedInits {
			copy(c.Shared[s.at:], p.sharedInit[s.at:s.at+s.n])
		}
	}
}

// checkLaunch finds what a launch lacks for the program's stage.
func (w *Wave) checkLaunch() error {
	l, n := w.l, w.l.NumLanes
	switch {
	case l.Env == nil:
		return fmt.Errorf("interp: launch without an environment")
	case w.p.shader.Stage == ir.StageVertex && (len(l.Vertex) < n || len(l.Inputs) < n && len(w.p.io.Inputs) > 0 || len(l.Out) < n):
		return fmt.Errorf("interp: launch without vertex lanes")
	case w.p.shader.Stage == ir.StageFragment && (len(l.Fragment) < n || len(l.Out) < n || n%4 != 0):
		return fmt.Errorf("interp: launch without fragment lanes in quads")
	case ir.RayStages.Has(w.p.shader.Stage) && len(l.Rays) < n:
		return fmt.Errorf("interp: launch without rays")
	case ir.RayStages.Has(w.p.shader.Stage) && w.p.shader.Stage != ir.StageRaygen && w.p.shader.Stage != ir.StageCallable && l.Rays[0].Hit == nil:
		return fmt.Errorf("interp: launch of a %s shader without a ray that has reached it", w.p.shader.Stage)
	case arrayed(w.p.shader.Stage):
		return w.checkStages()
	case ir.GroupStages.Has(w.p.shader.Stage) && (l.Compute == nil || len(l.Compute.LocalID) < n):
		return fmt.Errorf("interp: launch without compute lanes")
	case (w.p.shader.Stage == ir.StageTask || w.p.shader.Stage == ir.StageMesh) && l.Compute.Mesh == nil:
		return fmt.Errorf("interp: launch of a %s shader without its workgroup's outputs", w.p.shader.Stage)
	}
	return nil
}

// Run executes until the wave ends, stops at a barrier, or the fuel is used up.
func (w *Wave) Run(fuel int) (status emu.Status, err error) {
	if w.err != nil || w.done {
		return emu.StatusDone, w.err
	}
	defer func() {
		if r := recover(); r != nil {
			at := "the start"
			if pc := int(w.pc) - 1; pc >= 0 && pc < len(w.p.code) && w.p.code[pc].x != nil && w.p.code[pc].x.in != nil {
				at = w.p.where(w.p.code[pc].x.in)
			}
			err = fmt.Errorf("interp: internal error at %s: %v", at, r)
			w.err = err
		}
	}()
	w.fuel = fuel
	w.bufValid = false // descriptors' memory may have been written by others
	status, err = w.run()
	w.l.Ran = fuel - w.fuel
	if w.outside != nil {
		err = fmt.Errorf("interp: %s is out of bounds", w.p.where(w.outside))
		if w.crooked {
			err = fmt.Errorf("interp: the address of %s is not aligned", w.p.where(w.outside))
		}
		if w.promised {
			err = fmt.Errorf("%w, and robust access was not asked for", err)
		}
	}
	if w.unbound != nil {
		err = w.unbound
	}
	if err != nil {
		w.err = err
	}
	if status == emu.StatusDone && err == nil {
		w.finish()
	}
	return status, err
}

// finish hands out the outputs and gives the storage back.
func (w *Wave) finish() {
	w.done = true
	w.finishRays()
	for i := range w.l.NumLanes {
		if len(w.p.outputs) > 0 && w.l.Geometry == nil {
			w.readOutputs(i, &w.l.Out[i])
		}
		if !w.dead.Get(i) {
			w.l.Live.Set(i)
		} else {
			w.l.Live.Clear(i)
		}
	}
	w.p.pool.Put(w.state)
	w.state = nil
}

// run is the main loop.
func (w *Wave) run() (emu.Status, error) {
	code := w.p.code
	for {
		i := &code[w.pc]
		w.pc++
		w.fuel--
		switch {
		case i.op >= opFadd && w.dense > 0 && w.execDense(i, w.dense):
			continue
		case i.op >= opAnd:
			w.execBits(i)
			continue
		case i.op >= opIadd:
			w.execInt(i)
			continue
		case i.op >= opFadd:
			w.execFloat(i)
			continue
		}
		switch i.op {
		case opEval:
			w.execEval(i)
		case opEvalVec:
			w.execEvalVec(i)
		case opCopy:
			w.execCopy(i)
		case opLoadMem, opStoreMem, opPointer, opBounds, opCopyMem, opAtomic, opInit:
			if w.execMemory(i); w.fuel <= 0 {
				return emu.StatusYield, nil // others' accesses may come before the next of this
			}
		case opLoadReg, opStoreReg:
			w.execReg(i)
		case opResource:
			w.execResource(i)
		case opTex:
			w.execTex(i)
		case opImage:
			if w.execImage(i); w.fuel <= 0 {
				return emu.StatusYield, nil
			}
		case opIntrinsic:
			wait, err := w.execIntrinsic(i)
			if err != nil {
				return emu.StatusDone, fmt.Errorf("interp: %s: %w", w.p.where(i.x.in), err)
			}
			if wait {
				return emu.StatusBarrier, nil
			}
		case opInterlock:
			if !w.l.Pixels.Passed(1) {
				w.pc--
				return emu.StatusYield, nil
			}
		case opInterlockEnd:
			w.letOn()
		case opLoopEnd:
			if w.loopEnd(i) && w.fuel <= 0 {
				return emu.StatusYield, nil
			}
		case opReturnEnd:
			if w.returnEnd() {
				if again, err := w.nextPart(); err != nil || !again {
					return emu.StatusDone, err
				}
			}
		default:
			w.control(i)
		}
	}
}

// execCopy copies a slot in every active lane.
func (w *Wave) execCopy(i *inst) {
	if n := w.dense; n > 0 {
		copy(w.regs[i.dst:][:n], w.regs[i.a:][:n])
		return
	}
	d, a := w.regs[i.dst:], w.regs[i.a:]
	for _, l := range w.on {
		d[l] = a[l]
	}
}

// loopEnd goes back to a loop's start while a lane is active, which it
// reports, and else leaves the loop.
func (w *Wave) loopEnd(i *inst) (again bool) {
	if w.active.Any() {
		w.pc = i.a
		return true
	}
	w.setActive(w.stack[len(w.stack)-1].a)
	w.stack = w.stack[:len(w.stack)-1]
	if !w.active.Any() {
		w.pc = int32(i.imm)
	}
	return false
}

// returnEnd leaves a function; true: the program is over.
func (w *Wave) returnEnd() bool {
	f := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	w.setActive(or(w.active, f.a))
	if f.pc >= 0 {
		w.pc = f.pc
		return false
	}
	if !w.inPre {
		return true
	}
	w.inPre = false
	w.setActive(firstLanes(w.l.NumLanes))
	w.pc = w.p.entry
	w.stack = append(w.stack, frame{kind: frameCall, pc: -1})
	return false
}

// control changes the active lanes.
func (w *Wave) control(i *inst) {
	top := len(w.stack) - 1
	switch i.op {
	case opIf:
		then := w.where1(i.a)
		w.stack = append(w.stack, frame{kind: frameIf, a: andNot(w.active, then)})
		if !then.Any() {
			w.pc = int32(i.imm)
			w.setActive(then)
		} else if then != w.active {
			w.setActive(then)
		}
	case opElse:
		f := &w.stack[top]
		f.b = w.active
		if !f.a.Any() {
			w.pc = int32(i.imm)
		}
		w.setActive(f.a)
	case opEndIf:
		m := or(w.active, w.stack[top].b)
		w.stack = w.stack[:top]
		if m != w.active {
			w.setActive(m)
		}
		if !m.Any() {
			w.pc = int32(i.imm)
		}
	case opLoop:
		w.stack = append(w.stack, frame{kind: frameLoop})
	case opLoopContinue:
		f := &w.stack[top]
		if f.b.Any() {
			w.setActive(or(w.active, f.b))
			f.b = emu.Mask{}
		}
	case opBreak, opContinue:
		for w.stack[top].kind != frameLoop {
			top--
		}
		if f := &w.stack[top]; i.op == opBreak {
			f.a = or(f.a, w.active)
		} else {
			f.b = or(f.b, w.active)
		}
		w.setActive(emu.Mask{})
	case opReturn:
		for w.stack[top].kind != frameCall {
			top--
		}
		w.stack[top].a = or(w.stack[top].a, w.active)
		w.setActive(emu.Mask{})
	case opHalt:
		w.setActive(emu.Mask{})
	case opCall:
		w.stack = append(w.stack, frame{kind: frameCall, pc: w.pc})
		w.pc = int32(i.imm)
	}
}

// execPointer computes a + b*imm, or a + imm if b is -1.
func (w *Wave) execPointer(i *inst) {
	d, a, m := w.regs[i.dst:], w.regs[i.a:], lowBits(i.bits)
	if i.x != nil {
		w.execBufferPointer(i)
		return
	}
	if i.b < 0 {
		for _, l := range w.on {
			d[l] = (a[l] + i.imm) & m
		}
		return
	}
	b, sh := w.regs[i.b:], 64-i.n
	for _, l := range w.on {
		d[l] = (a[l] + uint64(int64(b[l])<<sh>>sh)*i.imm) & m
	}
}

// execBufferPointer is execPointer for pointers to buffers.
func (w *Wave) execBufferPointer(i *inst) {
	d, a := w.regs[i.dst:], w.regs[i.a:]
	for _, l := range w.on {
		step := i.imm
		if i.b >= 0 {
			sh := 64 - i.n
			step *= uint64(int64(w.regs[i.b+int32(l)]) << sh >> sh)
		}
		d[l] = bufferOffset(a[l], step)
	}
}

// execBounds tests an index plus b against imm, or, if it goes into a binding, whether
// the binding has the element.
func (w *Wave) execBounds(i *inst) {
	sh := 64 - i.n
	for _, l := range w.on {
		v := uint64(int64(w.regs[i.a+int32(l)])<<sh>>sh) + uint64(int64(i.b))
		if i.x.space == spOpaque {
			if w.l.Env.Bindings.Handle(uint32(i.imm>>32), uint32(i.imm), uint32(v)) < 0 {
				w.stray(i.x, l)
			}
		} else if v >= i.imm {
			w.stray(i.x, l)
		}
	}
}

// stray notes that an instruction left its bounds in a lane. A helper may.
func (w *Wave) stray(x *extra, lane uint8) {
	if w.p.strict && w.outside == nil && x != nil && x.in != nil && !w.helper.Get(int(lane)) {
		w.outside = x.in
	}
}

// strayTexel notes that an instruction named what its image does not have.
func (w *Wave) strayTexel(in *ir.Instr, lane int) {
	if w.outside == nil && !w.helper.Get(lane) {
		w.outside = in
	}
}

// beyond notes that an access left memory in a lane. Of a buffer it is an error in checking mode too,
// unless the shader was to be robust against it.
func (w *Wave) beyond(x *extra, sp space, lane uint8, handle uint64) {
	if sp != spBuffer || !w.l.Check || w.p.strict {
		w.stray(x, lane)
		return
	}
	t := w.l.Env.Bindings.Desc(int(int32(uint32(handle)))).Type
	if t == emu.DescNone {
		w.unboundAt(x.in, int(int32(uint32(handle))), int(lane))
		return
	}
	if t.Robust(&w.p.shader.Options.Robust) == ir.RobustOff && w.outside == nil && x.in != nil && !w.helper.Get(int(lane)) {
		w.outside, w.promised = x.in, true
	}
}

// unboundAt notes that an instruction accesses an element of an array of descriptors that nothing is bound to.
func (w *Wave) unboundAt(in *ir.Instr, handle, lane int) {
	if w.l.Check && w.unbound == nil && in != nil && !w.helper.Get(lane) {
		if err := w.l.Env.Bindings.MissingHandle(handle, &w.p.shader.Options.Robust); err != nil {
			w.unbound = fmt.Errorf("interp: %s: %w", w.p.where(in), err)
		}
	}
}

// aligned notes that an instruction has an address in a lane that is not aligned to its
// n bytes, a power of two.
func (w *Wave) aligned(x *extra, lane uint8, addr uint64, n int) {
	if w.p.strict && w.outside == nil && addr&uint64(n-1) != 0 {
		w.stray(x, lane)
		w.crooked = w.outside != nil
	}
}

// execResource gives the handle of element a of the binding in imm.
func (w *Wave) execResource(i *inst) {
	for _, l := range w.on {
		h := w.l.Env.Bindings.Handle(uint32(i.imm>>32), uint32(i.imm), uint32(w.regs[i.a+int32(l)]))
		if h < 0 {
			w.stray(i.x, l)
			if i.x.space == spOpaque {
				h = math.MinInt32 // no index makes a handle of it
			}
		}
		w.regs[i.dst+int32(l)] = uint64(uint32(h))
	}
}

// execReg copies between values and a register: element imm, plus the index at
// b unless that is -1. An index outside the register reads 0 and writes nothing.
func (w *Wave) execReg(i *inst) {
	x := i.x
	comps, elems := int32(x.bytes), uint64(x.comp)
	for _, l := range w.on {
		e := i.imm
		if i.b >= 0 {
			e = uint64(uint32(e) + uint32(w.regs[i.b+int32(l)]))
		}
		at := i.a + int32(e)*comps*w.w + int32(l)
		for k := range int32(i.n) {
			switch {
			case i.op == opLoadReg && e >= elems:
				w.regs[i.dst+k*w.w+int32(l)] = 0
			case i.op == opLoadReg:
				v := w.regs[at+k*w.w]
				if x.mask&1 != 0 {
					v &^= 1 << (i.bits - 1)
				}
				if x.mask&2 != 0 {
					v ^= 1 << (i.bits - 1)
				}
				w.regs[i.dst+k*w.w+int32(l)] = v
			case e < elems && x.mask>>k&1 != 0:
				v := w.regs[x.src[0][k]+int32(l)]
				if x.helper {
					w.args[0] = v
					v = ir.OpFsat.Info().Eval(w.p.mode, i.bits, &w.args)
				}
				w.regs[at+k*w.w] = v
			}
		}
	}
}
