package interp

import (
	"fmt"
	"math"
	"slices"

	"nirc/internal/emu"
	"nirc/ir"
)

// Shaders of ray tracing pipelines. What a call reaches is the launch's affair; a shader that lower_shader_calls has split goes
// on, after the call, in the function that begins with rt_resume of its number.

// resumeFunctions translates the functions that go on after calls.
func (c *compiler) resumeFunctions() error {
	for _, fn := range c.s.Functions {
		if fn.Impl == nil {
			continue
		}
		for in := range fn.Impl.Instrs() {
			if !in.IsIntrinsic(ir.IntrRtResume) {
				continue
			}
			f, err := c.function(fn)
			if err != nil {
				return err
			}
			k := in.Get(ir.IdxCallIdx)
			if k > 1<<16 {
				return fmt.Errorf("interp: there is no call %d", k)
			}
			for uint64(len(c.p.resumes)) <= k {
				c.p.resumes = append(c.p.resumes, -1)
			}
			c.p.resumes[k] = f.start
			break
		}
	}
	return nil
}

// callData notes how many bytes a call hands on.
func (c *compiler) callData(in *ir.Instr, x *extra) {
	p := c.ptrOf(in, 0)
	if p.space != spPrivate {
		c.refuse(in, "data of a call that is not the invocation's own is not supported")
	}
	x.comp = p.lay.size(p.t)
}

// startRays gives incoming data to lanes.
func (w *Wave) startRays() {
	for l := range w.l.Rays {
		if at := w.p.incoming; at.n > 0 {
			copy(w.priv[l*int(w.p.private)+int(at.at):][:at.n], w.l.Rays[l].Data)
		}
		if h := w.l.Rays[l].Hit; h != nil {
			copy(w.attributes(l), h.Attributes)
		}
	}
	w.goOn = make([]uint32, w.l.NumLanes)
}

// finishRays hands the data back.
func (w *Wave) finishRays() {
	for l := range w.l.Rays {
		if at := w.p.incoming; at.n > 0 {
			copy(w.l.Rays[l].Data, w.priv[l*int(w.p.private)+int(at.at):][:at.n])
		}
	}
}

// nextPart starts the function in which most of the program's lanes that wait go on: those after the first call. It reports
// whether there is one.
func (w *Wave) nextPart() (bool, error) {
	k := uint32(0)
	for _, n := range w.goOn {
		if n != 0 && (k == 0 || n < k) {
			k = n
		}
	}
	if k == 0 {
		return false, nil
	}
	if int(k) > len(w.p.resumes) || w.p.resumes[k-1] < 0 {
		return false, fmt.Errorf("interp: no function goes on after call %d", k-1)
	}
	var on emu.Mask
	for l, n := range w.goOn {
		if n == k {
			on.Set(l)
			w.goOn[l] = 0
		}
	}
	w.setActive(on)
	w.pc = w.p.resumes[k-1]
	w.stack = append(w.stack[:0], frame{kind: frameCall, pc: -1})
	return true, nil
}

// execCall runs a call of shaders in a lane.
func (w *Wave) execCall(i *inst, l int) error {
	x := i.x
	word := func(k, c int) uint32 { return uint32(w.regs[x.src[k][c]+int32(l)]) }
	float := func(k, c int) float32 { return math.Float32frombits(word(k, c)) }
	call := emu.ShaderCall{Callable: x.in.Intr == ir.IntrExecuteCallable || x.in.Intr == ir.IntrRtExecuteCallable}
	if call.Callable {
		call.Index = word(1, 0)
	} else {
		call.Accel = w.regs[x.src[1][0]+int32(l)]
		call.Flags, call.CullMask, call.SBTOffset, call.SBTStride, call.Index = word(2, 0), word(3, 0), word(4, 0), word(5, 0), word(6, 0)
		for c := range 3 {
			call.Origin[c], call.Direction[c] = float(7, c), float(9, c)
		}
		call.TMin, call.TMax = float(8, 0), float(10, 0)
	}
	data := w.bytesAt(spPrivate, l, 0, uint64(word(0, 0)), int(x.comp))
	if data == nil {
		return fmt.Errorf("the data of the call are out of bounds")
	}
	if x.in.Has(ir.IdxCallIdx) {
		w.goOn[l] = uint32(x.in.Get(ir.IdxCallIdx)) + 1
	}
	own := slices.Clone(data)
	if err := w.l.Rays[l].Call(call, own); err != nil {
		return err
	}
	copy(data, own)
	return nil
}

// rayValue gives a system value of these stages; those about a hit are in ray_hit.go.
func (w *Wave) rayValue(sv sysval, lane, column int) [4]uint32 {
	r := &w.l.Rays[lane]
	switch sv {
	case svLaunchID:
		return bits3(r.LaunchID)
	case svLaunchSize:
		return bits3(r.LaunchSize)
	case svRecord:
	default:
		return hitValue(sv, r.Hit, column)
	}
	return [4]uint32{uint32(r.Record), uint32(r.Record >> 32)}
}
