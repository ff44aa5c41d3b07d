package passes

import "nirc/ir"

var lowerTaskShaderPass = &Pass{
	Name: "lower_task_shader", Class: "C", Run: lowerTaskShader,
	Instead: "hardware: no target has task shaders, which the interpreter runs as they are; it stays for those that have",
	Doc: "Makes one launch of mesh workgroups by the first invocation the last thing that a task shader's workgroup does, after a barrier. A shader that launches none gets a launch of none, " +
		"one of NV's of as many as its output TASK_COUNT says. Where the hardware has no atomics on payloads, or no small accesses, all payload accesses go to shared memory, and all " +
		"invocations copy it word by word before the launch. Input: task shaders, everything inlined, after lower_explicit_io of mem_task_payload and lower_io.",
	Options: []Option{
		{Name: "shared_for_atomics", Doc: "put a payload with atomics into shared memory", Default: true},
		{Name: "shared_for_small", Doc: "put a payload with accesses of less than 32 bits into shared memory", Default: false},
		{Name: "shared", Doc: "put every payload into shared memory", Default: false},
	},
}

// taskLowering lowers one task shader.
type taskLowering struct {
	s       *ir.Shader
	impl    *ir.Impl
	payload uint32 // bytes
	copied  uint32 // where the payload lies in shared memory
	shared  bool
}

func lowerTaskShader(c *Context, s *ir.Shader) (bool, error) {
	f := s.Entry()
	if s.Stage != ir.StageTask || f == nil || f.Impl == nil {
		return false, nil
	}
	t := &taskLowering{s: s, impl: f.Impl, payload: s.Info.TaskPayloadSize}
	launches := collect(t.impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLaunchMeshWorkgroups && !byFirst(in) })
	if err := t.check(); err != nil {
		return false, err
	}
	if len(launches) == 0 {
		if launches = t.atEnd(); launches == nil {
			return false, nil
		}
	}
	t.shared = t.payload > 0 && (c.Bool("shared") || t.wants(c))
	if t.shared {
		t.toShared()
	}
	for _, in := range launches {
		t.launch(in)
	}
	t.impl.Preserve(ir.MetaNone)
	return true, nil
}

// byFirst reports whether a launch is what this pass makes of one: alone in the side of an if.
func byFirst(in *ir.Instr) bool {
	i, ok := ir.Parent(in.Block).(*ir.If)
	if !ok || in.Prev() != nil || in.Next() != nil {
		return false
	}
	c := i.Cond.Def.Instr
	return c.IsALU(ir.OpIeq) && c.Srcs[0].Def.Instr.IsIntrinsic(ir.IntrLoadLocalInvocationIndex)
}

// check refuses what other passes have to do before.
func (t *taskLowering) check() error {
	for in := range t.impl.Instrs() {
		switch {
		case in.Kind == ir.KindCall:
			return refusal(t.s, in, "a call in a task shader is not supported here: inline_functions must run before")
		case in.Kind == ir.KindDeref && in.DerefInfo().Modes&ir.ModeShaderOut != 0:
			return refusal(t.s, in, "an output that is a variable is not supported here: lower_io must run before")
		case in.Kind == ir.KindDeref && in.DerefInfo().Modes&ir.ModeTaskPayload != 0:
			return refusal(t.s, in, "a payload that is a variable is not supported here: lower_explicit_io of mem_task_payload must run before")
		}
	}
	return nil
}

// wants reports whether an access asks for a payload in shared memory.
func (t *taskLowering) wants(c *Context) bool {
	for in := range t.impl.Instrs() {
		if in.Kind != ir.KindIntrinsic || in.Memory().Space != ir.SpaceTaskPayload {
			continue
		}
		bits := in.Def.BitSize
		if in.Memory().Op == ir.MemStore {
			bits = in.Srcs[in.Memory().Data].Def.BitSize
		}
		if c.Bool("shared_for_atomics") && in.Memory().Atomic() || c.Bool("shared_for_small") && bits < 32 {
			return true
		}
	}
	return false
}

// atEnd appends the launch of a shader that launches nothing, or says by NV's output how many workgroups. It is nil if there is
// one already.
func (t *taskLowering) atEnd() []*ir.Instr {
	for in := range t.impl.Instrs() {
		if in.IsIntrinsic(ir.IntrLaunchMeshWorkgroups) {
			return nil
		}
	}
	ofCount := collect(t.impl, func(in *ir.Instr) bool {
		return (in.Intr == ir.IntrStoreOutput || in.Intr == ir.IntrLoadOutput) && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == ir.SlotTaskCount
	})
	at := (t.s.SharedSize + 3) &^ 3
	for _, in := range ofCount {
		b := builderBefore(in)
		if in.Intr == ir.IntrLoadOutput {
			in.Def.RewriteUses(t.load(b, at, nil))
		} else {
			t.store(b, in.Srcs[0].Def, at, nil)
		}
		in.Remove()
	}
	if len(ofCount) > 0 {
		// Nothing is launched by a workgroup that says nothing.
		t.s.SharedSize = at + 4
		b := ir.NewBuilder(ir.AtStart(t.impl.Start()))
		first := t.first(b)
		t.store(b, b.Imm32(0), at, nil)
		b.PopIf(first)
		t.barrier(b)
	}
	b := ir.NewBuilder(ir.BeforeJump(t.impl.Body.LastBlock()))
	groups := b.Const(32, 0, 0, 0)
	if len(ofCount) > 0 {
		t.barrier(b)
		groups = b.Vec3(t.load(b, at, nil), b.Imm32(1), b.Imm32(1))
	}
	l := b.Effect(ir.IntrLaunchMeshWorkgroups, groups)
	l.Set(ir.IdxRange, uint64(t.payload))
	return []*ir.Instr{l}
}

// toShared turns accesses to the payload into accesses to shared memory.
func (t *taskLowering) toShared() {
	t.copied = (t.s.SharedSize + 15) &^ 15
	t.s.SharedSize = t.copied + t.payload
	list := collect(t.impl, func(in *ir.Instr) bool { return in.Memory().Space == ir.SpaceTaskPayload && in.Memory().Accesses() })
	for _, in := range list {
		b := builderBefore(in)
		op, _ := ir.MemoryIntrinsic(ir.ModeShared, in.Memory().Op)
		srcs := make([]*ir.Def, len(in.Srcs))
		for i := range in.Srcs {
			srcs[i] = in.Srcs[i].Def
		}
		n := b.Intrinsic(op, in.Def.NumComponents, in.Def.BitSize, srcs...)
		n.CopyIndices(in)
		n.Set(ir.IdxBase, in.Get(ir.IdxBase)+uint64(t.copied))
		if in.HasDef() {
			in.Def.RewriteUses(&n.Def)
		}
		in.Remove()
	}
}

// launch makes the first invocation do a launch, when all have stored what the mesh shaders read.
func (t *taskLowering) launch(in *ir.Instr) {
	b := builderBefore(in)
	t.barrier(b)
	if t.shared && in.Get(ir.IdxRange) > 0 {
		t.copyPayload(b)
		t.barrier(b)
	}
	first := t.first(b)
	n := b.Effect(ir.IntrLaunchMeshWorkgroups, in.Srcs[0].Def)
	n.CopyIndices(in)
	b.PopIf(first)
	in.Remove()
}

// first opens an if of the first invocation.
func (t *taskLowering) first(b *ir.Builder) *ir.If {
	return b.PushIf(b.Ieq(b.LoadLocalInvocationIndex(), b.Imm32(0)))
}

func (t *taskLowering) barrier(b *ir.Builder) {
	in := b.Effect(ir.IntrBarrier)
	in.Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup))
	in.Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease))
	in.Set(ir.IdxMemoryModes, uint64(ir.ModeShared|ir.ModeTaskPayload|ir.ModeSSBO|ir.ModeGlobal))
	t.s.Info.UsesControlBarrier = true
}

// maxCopies is how many words an invocation copies without a loop.
const maxCopies = 8

// copyPayload copies the payload from shared memory: invocation i of n takes the words i, i+n, i+2n …
func (t *taskLowering) copyPayload(b *ir.Builder) {
	words := (t.payload + 3) / 4
	w := t.s.Info.WorkgroupSize
	n := max(w[0]*w[1]*w[2], 1)
	index := b.LoadLocalInvocationIndex()
	if words > n*maxCopies {
		at := t.impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "word")
		b.StoreVar(at, index, 0)
		l := b.PushLoop()
		i := b.LoadVar(at)
		end := b.PushIf(b.Uge(i, b.Imm32(words)))
		b.Jump(ir.JumpBreak)
		b.PopIf(end)
		t.copyWord(b, i)
		b.StoreVar(at, b.IAddImm(i, int64(n)), 0)
		b.PopLoop(l)
		return
	}
	for done := uint32(0); done < words; done += n {
		i := b.IAddImm(index, int64(done))
		if done+n <= words {
			t.copyWord(b, i)
			continue
		}
		inside := b.PushIf(b.Ult(i, b.Imm32(words)))
		t.copyWord(b, i)
		b.PopIf(inside)
	}
}

func (t *taskLowering) copyWord(b *ir.Builder, i *ir.Def) {
	offset := b.IMulImm(i, 4)
	t.store(b, t.load(b, t.copied, offset), 0, offset)
}

// load loads a word of shared memory at a byte offset.
func (t *taskLowering) load(b *ir.Builder, base uint32, offset *ir.Def) *ir.Def {
	if offset == nil {
		offset = b.Imm32(0)
	}
	l := b.Intrinsic(ir.IntrLoadShared, 1, 32, offset)
	return &l.Set(ir.IdxBase, uint64(base)).Set(ir.IdxAlignMul, 4).Def
}

// store stores a word: to shared memory, or by an offset to the payload.
func (t *taskLowering) store(b *ir.Builder, v *ir.Def, base uint32, offset *ir.Def) {
	op := ir.IntrStoreTaskPayload
	if offset == nil {
		op, offset = ir.IntrStoreShared, b.Imm32(0)
	}
	b.Effect(op, v, offset).Set(ir.IdxBase, uint64(base)).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
}
