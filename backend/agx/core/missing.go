package core

import (
	"fmt"

	"nirc/backend/layout"
	"nirc/internal/emu"
)

// missing tells of an entry of a table that nothing is bound to, of an array that has something elsewhere, in checking mode.
func (w *wave) missing(e *layout.Entry) error {
	if w.check == nil {
		return nil
	}
	return w.l.Env.Bindings.Missing(e.Set, e.Binding, e.Element, &w.p.meta.Robust)
}

// reachesMissing notes an access to an address of what is missing; not in preambles, which read ahead. It reports whether the address is one.
func (w *wave) reachesMissing(addr uint64) bool {
	err := w.absent.At(addr)
	if err != nil && !w.preamble && w.fault == nil {
		w.fault = err
	}
	return err != nil
}

// reachesTexture notes an access of a lane to a texture or an image that is missing; not of helpers, and of preambles only where the layout lets
// a descriptor be missing.
func (w *wave) reachesTexture(d *emu.Descriptor, e *layout.Entry, lane int) {
	if d.Type != emu.DescNone || w.check == nil || w.fault != nil {
		return
	}
	if w.preamble {
		if w.l.Env.Layout.PartiallyBound(e.Set, e.Binding) {
			w.fault = fmt.Errorf("the preamble reads binding %d of set %d, to which nothing is bound", e.Binding, e.Set)
		}
		return
	}
	if f := w.frag; f == nil || f.cover[lane]&^f.killed[lane] != 0 {
		w.fault = w.missing(e)
	}
}
