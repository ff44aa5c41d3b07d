package abi

import (
	"fmt"
	"slices"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// Device is the device that the metadata names; of one that names none, which keeps to its
// generation alone, nil.
func (m *Meta) Device() *GPU { return FindGPU(m.GPU) }

// Sizes of const files in vec4 (ir3.md §1.7).
const (
	maxConst          = 512 // of a stage, and of all of a pipeline
	maxConstVSFS      = 640 // of a pipeline of nothing but vertex and fragment shader
	constUnit         = 4   // sizes are multiples of it
	sharedMemoryBytes = 1024
)

// lbConsts are the sizes of const files that the local buffer can be split at.
var lbConsts = [...]int{128, 192, 256, 512}

// MaxConst is the most that the const file of a stage may have, in vec4: workgroup memory of
// shared bytes takes its part of what a compute shader has.
func (g *GPU) MaxConst(stage ir.Stage, shared uint32) int {
	if stage != ir.StageCompute {
		return g.ConstsStage
	}
	room := (g.LB - int(shared+sharedMemoryBytes-1)/sharedMemoryBytes*sharedMemoryBytes) / g.WaveGranularity / 16
	most := 0
	for _, n := range lbConsts {
		if n <= room {
			most = n
		}
	}
	return min(most, g.ConstsCS)
}

// Limits of workgroups: the ids of an invocation have 10 bits a dimension, and all waves of a core are those of
// one workgroup at most (ir3.md §1.6).
const (
	maxWorkgroupSide = 1024
	wavesOfCore      = 16
)

// CheckWorkgroup says what is too large of a workgroup, "" if nothing is.
func (g *GPU) CheckWorkgroup(z [3]uint32) string {
	most := uint64(g.Fibers * wavesOfCore)
	if !g.NoDoubleWave {
		most *= 2
	}
	for _, n := range z {
		if n > maxWorkgroupSide {
			return fmt.Sprintf("%d invocations in a dimension of a workgroup are not supported, there are up to %d", n, maxWorkgroupSide)
		}
	}
	if n := uint64(z[0]) * uint64(z[1]) * uint64(z[2]); n > most {
		return fmt.Sprintf("%d invocations of a workgroup are not supported on %s, which has %d", n, g.Name, most)
	}
	return ""
}

// GeometryStage reports whether a stage is one of tessellation or geometry.
func GeometryStage(s ir.Stage) bool {
	return s == ir.StageTessCtrl || s == ir.StageTessEval || s == ir.StageGeometry
}

// checkDevice finds what the device does not have.
func (m *Meta) checkDevice() error {
	g := m.Device()
	if g == nil {
		if m.GPU != "" {
			return fmt.Errorf("ir3 meta: there is no device %q", m.GPU)
		}
		return nil
	}
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("ir3 meta: %s: "+format, append([]any{g.Name}, args...)...)
	}
	switch {
	case m.Gen != g.Gen:
		return refuse("the device is no %s", m.Gen)
	case g.NoPrefetch && len(m.Prefetches) > 0:
		return refuse("the device has no texture prefetches")
	case int(m.SharedSize) > g.LocalMem:
		return refuse("%d bytes of workgroup memory, the device has %d", m.SharedSize, g.LocalMem)
	case m.DoubleWave && g.NoDoubleWave:
		return refuse("the device has no double waves")
	case g.NoGeometry && GeometryStage(m.Stage):
		return refuse("the device has no stage %s", m.Stage)
	case m.EarlyPreamble && !g.EarlyPreamble:
		return refuse("the device has no early preambles")
	case m.ConstLen > g.MaxConst(m.Stage, m.SharedSize):
		return refuse("constlen %d, at most %d beside %d bytes of workgroup memory", m.ConstLen, g.MaxConst(m.Stage, m.SharedSize), m.SharedSize)
	case m.ConstLen%constUnit != 0:
		return refuse("constlen %d is no multiple of %d", m.ConstLen, constUnit)
	case g.FSMinConst && m.Stage == ir.StageFragment && m.ConstLen < constUnit:
		return refuse("fragment shaders need consts")
	case m.Stage == ir.StageVertex && m.ConstLen < 2*constUnit:
		return refuse("constlen %d of a vertex shader, at least %d", m.ConstLen, 2*constUnit)
	}
	if what := g.CheckWorkgroup(m.WorkgroupSize); m.Stage == ir.StageCompute && what != "" {
		return refuse("%s", what)
	}
	for i := range m.Descriptors {
		if int(m.Descriptors[i].Base) >= g.Sets {
			return refuse("descriptor set %d, the device has %d", m.Descriptors[i].Base, g.Sets)
		}
	}
	for i := range m.Outputs {
		if m.Outputs[i].AliasRT != 0 && !g.AliasRT {
			return refuse("the device has no alias.rt")
		}
	}
	for i := range m.Inputs {
		if n := g.MaxInputs; n > 0 && m.Stage == ir.StageVertex && int(m.Inputs[i].Slot) >= n {
			return refuse("vertex attribute %d, the device has %d", m.Inputs[i].Slot, n)
		}
	}
	if err := m.checkLoads(g); err != nil {
		return refuse("%v", err)
	}
	if what := m.checkRate(g); what != "" {
		return refuse("%s", what)
	}
	if !m.UsesBarrier || m.Stage != ir.StageCompute {
		return nil
	}
	if need, have := m.WavesPerGroup(g), m.ResidentWaves(g); need > have {
		return refuse("a workgroup has %d waves, of which %d can be resident with %d registers and a branch stack of %d", need, have, m.MaxRegs, m.BranchStack)
	}
	return nil
}

// checkRate says what a program wants of shading rates that the device does not give it.
func (m *Meta) checkRate(g *GPU) string {
	has := func(k SysvalKind) bool {
		return slices.ContainsFunc(m.Sysvals, func(s Sysval) bool { return s.Kind == k && s.Reg != NoReg })
	}
	switch {
	case has(ShadingRate) && !g.ShadingRate:
		return "the device tells fragments no shading rate"
	case has(ShadingRate) && g.RateWithMask && !has(SampleMaskIn):
		return "the device tells fragments their shading rate with the mask of covered samples alone"
	case !g.PrimitiveRate && m.Stage != ir.StageFragment && slices.ContainsFunc(m.Outputs, func(o Output) bool { return o.Slot == ir.SlotShadingRate }):
		return "the device takes no shading rate of primitives"
	}
	return ""
}

// checkLoads refuses consts that the driver would have to load on a device where preambles do.
func (m *Meta) checkLoads(g *GPU) error {
	c := &m.Consts
	switch {
	case c.ByPreamble != g.PreambleConsts:
		return fmt.Errorf("consts come by the preamble: %v, not %v", g.PreambleConsts, c.ByPreamble)
	case g.PreambleConsts && len(c.Immediates) > 0:
		return fmt.Errorf("%d immediates, which nobody puts into the const file", len(c.Immediates))
	}
	return nil
}

// WavesPerGroup is the number of waves of a workgroup, as many as are launched.
func (m *Meta) WavesPerGroup(g *GPU) int {
	size := g.Fibers * g.WaveGranularity
	if m.DoubleWave {
		size *= 2
	}
	z := m.WorkgroupSize
	return (int(z[0])*int(z[1])*int(z[2]) + size - 1) / size * g.WaveGranularity
}

// ClockAddr is where the counter that is always on can be read as memory, the low word first: the base of the range in
// which the cache traps (Linux' a6xx_gpu_init and MSM_PARAM_UCHE_TRAP_BASE; Mesa's turnip reads VK_KHR_shader_clock there).
const ClockAddr = 0x1fffffffff000

// ResidentWaves is the number of waves that registers and branch stack leave
// room for (ir3.md §1.6).
func (m *Meta) ResidentWaves(g *GPU) int {
	n, size := wavesOfCore, 1
	if m.DoubleWave {
		size = 2
	}
	if m.MaxRegs > 0 {
		n = min(n, g.RegVec4/(m.MaxRegs*size)*g.WaveGranularity)
	}
	if m.BranchStack > 0 {
		n = min(n, 64/m.BranchStack*g.WaveGranularity)
	}
	return n
}

// Lacks names what of an instruction the device does not have, "" if it has all (ir3.md §1.8).
func (g *GPU) Lacks(in *isa.Instr) string {
	switch op := in.Op; {
	case op == isa.OpGetfiberid && !g.HasFiberID:
		return "getfiberid"
	case op == isa.OpIsam && in.Flags&(isa.TexS|isa.TexP) != 0 && !g.HasIsamV:
		return "isam.v"
	case (op == isa.OpLdib || op == isa.OpStib) && in.Off != 0 && !g.HasIsamV:
		return "offset in ldib and stib"
	case op == isa.OpRayIntersection && !g.Rays:
		return "test of rays"
	case op >= isa.OpImgHof && op <= isa.OpImgSsd && !g.Images:
		return "image processing"
	case op == isa.OpDp2acc && !g.HasDp2acc:
		return "dp2acc"
	case op == isa.OpDp4acc && !g.HasDp4acc:
		return "dp4acc"
	case (op == isa.OpSadS16 || op == isa.OpSadS32) && !g.SadIsAdd3:
		return "sum of three"
	case op == isa.OpAlias && in.Scope == 1 && !g.AliasRT:
		return "alias.rt"
	case in.Type == isa.U64 && op.IsAtomic() && !g.Atomic64:
		return "atomic of 64 bits"
	case in.Type == isa.U64 && op.IsAtomic() && !op.IsExchange():
		return "atomic of 64 bits other than exchanges"
	case (op == isa.OpLdib || op == isa.OpStib) && in.Flags&isa.Typed == 0 && memoryBits(in.Type) == 8 && !g.Storage8:
		return "storage of 8 bits"
	case (op == isa.OpLdib || op == isa.OpStib) && in.Flags&isa.Typed == 0 && memoryBits(in.Type) == 16 && !g.Storage16:
		return "storage of 16 bits"
	case !g.ScalarALU && op.Category() >= 2 && op.Category() <= 4 && in.Dst.IsShared():
		return "scalar unit"
	case in.Set > int8(g.Sets):
		return fmt.Sprintf("descriptor set %d", in.Set-1)
	}
	return ""
}

func memoryBits(t isa.Type) int {
	switch t {
	case isa.U8, isa.U8x32:
		return 8
	case isa.F16, isa.U16, isa.S16:
		return 16
	}
	return 32
}
