package passes

import "nirc/ir"

// descriptors makes pointers of the descriptors of storage buffers, where those are addresses: the
// address of the buffer. What takes a descriptor as a buffer's handle keeps it.
func (e *explicitIO) descriptors(impl *ir.Impl) (changed bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			switch {
			case in.IsIntrinsic(ir.IntrLoadVulkanDescriptor) && in.Get(ir.IdxDescType) == descStorageBuffer && in.Def.NumComponents == 2:
				changed = e.descriptor(in) || changed
			case in.IsIntrinsic(ir.IntrBarrier) && ir.Mode(in.Get(ir.IdxMemoryModes))&(ir.ModeSSBO|ir.ModeGlobal) == ir.ModeSSBO:
				// The accesses that it orders are to global memory now.
				in.Set(ir.IdxMemoryModes, in.Get(ir.IdxMemoryModes)|uint64(ir.ModeGlobal))
				changed = true
			}
		}
	}
	return changed
}

// descriptor replaces the uses of a descriptor as a pointer.
func (e *explicitIO) descriptor(in *ir.Instr) bool {
	var uses []*ir.Src
	for u := range in.Def.Uses() {
		if u.Instr == nil || !handleOnly(u.Instr) {
			uses = append(uses, u)
		}
	}
	if len(uses) == 0 {
		return false
	}
	e.b.At(ir.After(in))
	address := &e.b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, e.b.Channel(&in.Def, 0), e.b.Imm32(0)).Def
	ptr := e.b.Unpack64_2x32(address)
	for _, u := range uses {
		u.Set(ptr)
	}
	return true
}

// handleOnly reports whether in is the channel of a descriptor that names a buffer to accesses
// which are lowered.
func handleOnly(in *ir.Instr) bool {
	if !in.IsALU(ir.OpMov) || in.Def.NumComponents != 1 || in.Def.Unused() {
		return false
	}
	for u := range in.Def.Uses() {
		if u.Instr == nil || u.Instr.Kind != ir.KindIntrinsic {
			return false
		}
		if m := u.Instr.Memory(); m.Handle < 0 || u != &u.Instr.Srcs[m.Handle] {
			return false
		}
	}
	return true
}

// farAddress is that of a pointer which is an address of 64 bits, as one value or as its halves.
func (e *explicitIO) farAddress(d *ir.Instr, src *ir.Def) address {
	a := address{far: true, whole: src}
	switch {
	case src.NumComponents == 1 && src.BitSize == 64:
		a.off = src
	case src.NumComponents == 2 && src.Instr.IsALU(ir.OpUnpack64_2x32) && src.Instr.Srcs[0].Def.NumComponents == 1:
		a.off = src.Instr.Srcs[0].Def
		if a.off.Instr.IsIntrinsic(ir.IntrLoadSsboAddress) {
			a.base = a.off
		}
	case src.NumComponents == 2 && src.BitSize == 32:
		a.off = e.b.Pack64_2x32(src)
	default:
		e.fail(d, "a pointer of %d components of %d bits is cast to %s, whose pointers are addresses of 64 bits", src.NumComponents, src.BitSize, d.DerefInfo().Modes)
		a.off = src
	}
	return a
}

// farWhole is the value of a far pointer of n components.
func (e *explicitIO) farWhole(a *address, n uint8) *ir.Def {
	if n == 2 {
		return e.b.Unpack64_2x32(a.off)
	}
	return a.off
}

// farModes returns the modes whose pointers are addresses of 64 bits: storage buffers, if the option says so and there is one.
func farModes(c *Context, s *ir.Shader) (ir.Mode, error) {
	switch format := c.String("ssbo"); {
	case format == "2x32" || format == "1x64" && (c.Modes("modes")&ir.ModeSSBO == 0 || !derefsMode(s, ir.ModeSSBO)):
		return 0, nil
	case format != "1x64":
		return 0, optionError("ssbo=%s: the address formats of storage buffers are 2x32 and 1x64", format)
	case s.Options.Robust.Of(ir.ModeSSBO) != ir.RobustOff:
		return 0, refusal(s, nil, "ssbo=1x64: with robust buffers, storage buffers as addresses of 64 bits are not supported: nothing tests their bounds")
	}
	return ir.ModeSSBO, nil
}

// derefsMode reports whether a deref leads to memory of mode.
func derefsMode(s *ir.Shader, mode ir.Mode) bool {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind == ir.KindDeref && in.DerefInfo().Modes == mode {
					return true
				}
			}
		}
	}
	return false
}
