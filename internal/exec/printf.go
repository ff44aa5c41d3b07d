package exec

import (
	"fmt"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/frontend/spirv"
	"nirc/internal/emu"
	"nirc/passes"
)

// printBytes is the room for what a module's shaders print.
const printBytes = 1 << 20

// printsTo is the buffer that a module prints to, nil if it does not: bindings of set 0 after all that are bound, one a module.
func (x *Execution) printsTo(m *nirc.Module) *passes.PrintfBuffer {
	if m.SPIRV == nil || !spirv.Prints(m.SPIRV) || x.Options.Layout != nil || x.Link {
		return nil
	}
	first := uint32(0)
	for i := range x.Bindings {
		if x.Bindings[i].Set == 0 {
			first = max(first, x.Bindings[i].Binding+1)
		}
	}
	for i := range x.Modules {
		if x.Modules[i] == m {
			return &passes.PrintfBuffer{Binding: first + uint32(i)}
		}
	}
	return nil
}

// isPrint reports whether a resource is a buffer that a module prints to.
func (x *Execution) isPrint(r object.Resource) bool {
	for _, m := range x.Modules {
		if p := x.printsTo(m); p != nil && p.Set == r.Set && p.Binding == r.Binding {
			return true
		}
	}
	return false
}

// printBuffer is a module's buffer after a run.
type printBuffer struct {
	m    *nirc.Module
	data []byte
}

// bindPrints makes and binds the buffers.
func (x *Execution) bindPrints(mem *emu.Memory, table *emu.Bindings) (list []printBuffer) {
	for _, m := range x.Modules {
		if p := x.printsTo(m); p != nil {
			b := mem.Alloc(printBytes)
			clear(b.Data)
			table.Set(p.Set, p.Binding, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: printBytes}})
			list = append(list, printBuffer{m, b.Data})
		}
	}
	return list
}

// printed reads the records of lower_printf.
func printed(list []printBuffer) (lines []string, err error) {
	for _, p := range list {
		var open strings.Builder // what kernels print, whose lines end where they say
		word := func(at uint64) uint32 { return uint32(emu.LoadBytes(p.data[4*at:], 4)) }
		end, at := uint64(word(0))+1, uint64(1)
		for at+2 <= min(end, printBytes/4) {
			n := uint64(word(at + 1))
			if at+2+n > printBytes/4 || n == 0 {
				break
			}
			call, ok := spirv.PrintfAt(p.m.SPIRV, word(at))
			if !ok {
				return nil, fmt.Errorf("%s: a shader printed by word %d of the module, where there is no call that prints", p.m.Name, word(at))
			}
			words := make([]uint32, n)
			for k := range words {
				words[k] = word(at + 2 + uint64(k))
			}
			if text := formatPrintf(&call, words); call.Kernel {
				open.WriteString(text)
			} else {
				lines = append(lines, text)
			}
			at += 2 + n
		}
		lines = append(lines, textLines(open.String())...)
		if end > at {
			lines = append(lines, fmt.Sprintf("%s: %d bytes more were printed than there was room for", p.m.Name, 4*(end-at)))
		}
	}
	return lines, nil
}

// textLines are the lines of a text; what follows the last end of one is a line.
func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
