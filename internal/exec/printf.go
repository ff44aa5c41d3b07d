package exec

import (
	"fmt"
	"math"
	"strconv"
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
		word := func(at uint64) uint32 { return uint32(emu.LoadBytes(p.data[4*at:], 4)) }
		end, at := uint64(word(0))+1, uint64(1)
		for at+2 <= min(end, printBytes/4) {
			n := uint64(word(at + 1))
			if at+2+n > printBytes/4 || n == 0 {
				break
			}
			call, ok := spirv.PrintfAt(p.m.SPIRV, word(at))
			if !ok {
				return nil, fmt.Errorf("%s: a shader printed by word %d of the module, where there is no debugPrintfEXT", p.m.Name, word(at))
			}
			words := make([]uint32, n)
			for k := range words {
				words[k] = word(at + 2 + uint64(k))
			}
			lines = append(lines, formatPrintf(&call, words))
			at += 2 + n
		}
		if end > at {
			lines = append(lines, fmt.Sprintf("%s: %d bytes more were printed than there was room for", p.m.Name, 4*(end-at)))
		}
	}
	return lines, nil
}

// formatPrintf writes a call's text: conversions are C's, with vN after width and precision for a vector, and l for 64 bits.
func formatPrintf(c *spirv.PrintfCall, words []uint32) string {
	var b strings.Builder
	args, text := c.Args, c.Format
	for {
		before, rest, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if strings.HasPrefix(rest, "%") {
			b.WriteByte('%')
			text = rest[1:]
			continue
		}
		spec := len(rest) - len(strings.TrimLeft(rest, "-+ #0123456789."))
		flags, tail := rest[:spec], rest[spec:]
		if len(tail) > 1 && tail[0] == 'v' {
			tail = tail[2:]
		}
		tail = strings.TrimLeft(tail, "hl")
		if tail == "" || len(args) == 0 {
			b.WriteString("%" + rest)
			return b.String()
		}
		values := takeArg(&args[0], &words)
		args, text = args[1:], tail[1:]
		for i, v := range values {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(convertPrintf(flags, tail[0], v))
		}
	}
}

// takeArg takes an argument's components off the words: floats as float64, integers as int64 or uint64.
func takeArg(a *spirv.PrintfArg, words *[]uint32) (values []any) {
	for range a.Components {
		n := int(a.Bits / 32)
		if len(*words) < n {
			return values
		}
		v := uint64((*words)[0])
		if n > 1 {
			v |= uint64((*words)[1]) << 32
		}
		*words = (*words)[n:]
		switch {
		case a.Float && n > 1:
			values = append(values, math.Float64frombits(v))
		case a.Float:
			values = append(values, float64(math.Float32frombits(uint32(v))))
		case a.Signed && n > 1:
			values = append(values, int64(v))
		case a.Signed:
			values = append(values, int64(int32(uint32(v))))
		default:
			values = append(values, v)
		}
	}
	return values
}

// convertPrintf writes a value as a conversion says; a value of another class is converted to what it asks for.
func convertPrintf(flags string, verb byte, v any) string {
	var whole int64
	var real float64
	switch x := v.(type) {
	case float64:
		whole, real = int64(x), x
	case int64:
		whole, real = x, float64(x)
	case uint64:
		whole, real = int64(x), float64(x)
	}
	switch verb {
	case 'd', 'i':
		return fmt.Sprintf("%"+flags+"d", whole)
	case 'u', 'o', 'x', 'X':
		bits := uint64(whole)
		if x, ok := v.(int64); ok && x >= math.MinInt32 && x < 0 {
			bits = uint64(uint32(x))
		}
		return fmt.Sprintf("%"+flags+strings.Replace(string(verb), "u", "d", 1), bits)
	case 'f', 'F', 'e', 'E', 'g', 'G':
		return fmt.Sprintf("%"+flags+string(verb), real)
	case 'a', 'A':
		text := strconv.FormatFloat(real, 'x', -1, 64)
		if verb == 'A' {
			text = strings.ToUpper(text)
		}
		return text
	}
	return "%" + flags + string(verb)
}
