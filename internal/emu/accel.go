package emu

import "nirc/internal/raytrace"

// AccelBuilder is a Program of a target that keeps acceleration structures in memory in a form of its own.
type AccelBuilder interface {
	// BuildAccel puts a scene into memory as the target's driver would, and returns its address and the bytes of its description.
	BuildAccel(m *Memory, s *raytrace.Scene) (addr, size uint64)
}

// accel is a scene that is in memory.
type accel struct {
	scene      *raytrace.Scene
	addr, size uint64
}

// Choose is a choice of n that drivers are free to make: 0 but in the checking mode.
func (m *Memory) Choose(n int) int {
	if !m.where.On() {
		return 0
	}
	return int(m.where.Below(n))
}

// opaqueAccel is the size of a structure whose contents no program looks at.
const opaqueAccel = 256

// Accel returns the descriptor of a scene for a program and what else runs on its target. It is built once.
func (m *Memory) Accel(p Program, s *raytrace.Scene) Descriptor {
	for _, a := range m.accels {
		if a.scene == s {
			return Descriptor{Type: DescAccelStruct, Addr: a.addr, Size: a.size}
		}
	}
	a := accel{scene: s}
	if b, ok := p.(AccelBuilder); ok {
		a.addr, a.size = b.BuildAccel(m, s)
	} else {
		a.addr, a.size = m.Alloc(opaqueAccel).Addr, opaqueAccel
	}
	m.accels = append(m.accels, a)
	return Descriptor{Type: DescAccelStruct, Addr: a.addr, Size: a.size}
}

// Scene is the scene that is at an address, nil if there is none.
func (m *Memory) Scene(addr uint64) *raytrace.Scene {
	for i := range m.accels {
		if m.accels[i].addr == addr {
			return m.accels[i].scene
		}
	}
	return nil
}
