package core

import (
	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
)

// missing tells of an entry of a table that nothing is bound to, of an array that has something elsewhere, in checking mode.
func (w *wave) missing(e *layout.Entry) error {
	if !w.check {
		return nil
	}
	return w.l.Env.Bindings.Missing(e.Set, e.Binding, e.Element, &w.p.meta.Robust)
}

// reaches tells of an access of a thread to a texture or an image that is missing; not of helpers.
func (w *wave) reaches(t *thread, table *layout.Table, n int, d *emu.Descriptor) error {
	if d.Type != emu.DescNone || t.helper {
		return nil
	}
	e, _ := w.bound(table, n)
	return w.missing(&e)
}

// missingUBO tells of an entry of the table of uniform buffers that is missing.
func (w *wave) missingUBO(i int) error {
	if i >= len(w.p.meta.UBOs) || w.p.meta.UBOs[i].Kind != abi.UBOBinding {
		return nil
	}
	u := &w.p.meta.UBOs[i]
	e := layout.Entry{Set: u.Set, Binding: u.Binding, Element: u.Element}
	if i >= int(abi.UBOTable.Start) {
		e, _ = w.bound(&abi.UBOTable, i)
	}
	return w.missing(&e)
}
