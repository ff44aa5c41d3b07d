package interp

import "nirc/ir"

// genericSpace reports whether pointers of the modes say themselves where they lead, as those of kernels do.
func (c *compiler) genericSpace(m ir.Mode) bool {
	return c.s.Info.Kernel && m&^ir.GenericModes == 0 && m&^ir.ModeGlobal != 0
}

// resolve returns the space that a pointer leads to, and the place in it.
func resolve(ptr uint64) (space, uint64) {
	switch ir.GenericMode(ptr) {
	case ir.ModeShared:
		return spShared, ptr & 0xffffffff
	case ir.ModeConstant:
		return spConst, ptr & 0xffffffff
	case ir.ModeFunctionTemp:
		return spPrivate, ptr & 0xffffffff
	}
	return spGlobal, ptr
}

// modeIs reports whether a generic pointer leads to memory of a mode.
func modeIs(ptr uint64, m ir.Mode) bool {
	is := ir.GenericMode(ptr)
	if is == ir.ModeFunctionTemp {
		is |= ir.ModeShaderTemp
	}
	return is&m != 0
}
