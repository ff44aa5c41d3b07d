package passes

import (
	"fmt"
	"slices"

	"nirc/ir"
)

var lowerVariableInitializersPass = &Pass{
	Name: "lower_variable_initializers", Class: "A", Run: lowerVariableInitializers, Idempotent: true,
	Options: []Option{{"modes", "modes whose variables are handled", ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderOut | ir.ModeShared}},
	Doc: "Turns initialisers, constants and pointers to variables, into stores at the start of the function that owns the variable, of globals in the entry point. " +
		"The invocations of a workgroup share the stores to its memory, and wait for each other after them.",
}

// lowerVariableInitializers turns constant initialisers of the given modes
// into stores: of locals at the start of their function, of all others at the
// start of the entry point.
func lowerVariableInitializers(c *Context, s *ir.Shader) (progress bool, err error) {
	modes := c.Modes("modes") &^ ir.ModeUniform // what a driver fills in
	if !slices.ContainsFunc(s.Variables, hasInit) && !slices.ContainsFunc(s.Functions, func(f *ir.Function) bool { return f.Impl != nil && slices.ContainsFunc(f.Impl.Locals, hasInit) }) {
		return false, nil
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		vars := []*ir.Variable(nil)
		if modes&ir.ModeFunctionTemp != 0 {
			vars = f.Impl.Locals
		}
		did, err := storeInits(f.Impl, vars, ir.ModeFunctionTemp)
		if err != nil {
			return progress, err
		}
		if f.IsEntry {
			d, err := storeInits(f.Impl, s.Variables, modes&^(ir.ModeFunctionTemp|ir.ModeShared))
			if err != nil {
				return progress, err
			}
			did = did || d
		}
		keep := ir.MetaControlFlow
		if f.IsEntry && modes&ir.ModeShared != 0 {
			d, err := initShared(s, f.Impl)
			if err != nil {
				return progress, err
			}
			if d {
				did, keep = true, ir.MetaNone
			}
		}
		if did {
			f.Impl.Preserve(keep)
			progress = true
		}
	}
	return progress, nil
}

// hasInit reports whether a variable has a value at the start: few have.
func hasInit(v *ir.Variable) bool { return v.Init != nil || v.PointerInit != nil }

func storeInits(impl *ir.Impl, vars []*ir.Variable, modes ir.Mode) (progress bool, err error) {
	b := ir.NewBuilder(ir.AtStart(impl.Start()))
	total := 0
	for _, v := range vars {
		if v.Mode&modes == 0 {
			continue
		}
		if err := checkInit(v, &total); err != nil {
			return progress, err
		}
		switch {
		case v.PointerInit != nil:
			place := b.DerefVar(v)
			b.StoreDeref(place, b.DerefVar(v.PointerInit), 1, 0)
			v.PointerInit = nil
		case v.Init != nil:
			storeConstant(b, b.DerefVar(v), v.Init)
			v.Init = nil
		default:
			continue
		}
		progress = true
	}
	return progress, nil
}

// checkInit refuses an initialiser whose stores, added to total, would be too many.
func checkInit(v *ir.Variable, total *int) error {
	if v.Init == nil {
		return nil
	}
	if *total += vectorCount(v.Type); *total > maxCopied {
		return &Diagnostic{Unsupported: true, Msg: fmt.Sprintf("variable %s: initialisers of more than %d vectors are not supported", v.Name, maxCopied)}
	}
	return nil
}

var zeroConstant = &ir.Constant{Zero: true}

func storeConstant(b *ir.Builder, d *ir.Def, c *ir.Constant) {
	t := d.Instr.DerefInfo().Type
	elem := func(i int) *ir.Constant {
		if c.Zero || i >= len(c.Elems) {
			return zeroConstant
		}
		return c.Elems[i]
	}
	switch {
	case isLeafType(t):
		values := make([]uint64, t.Rows)
		for k := range values {
			values[k] = c.Value(k)
		}
		b.StoreDeref(d, b.Const(t.Bits, values...), 0, 0)
	case t.IsStruct():
		for i := range t.Fields {
			storeConstant(b, b.DerefStruct(d, i), elem(i))
		}
	default:
		for i := 0; i < t.ChildCount(); i++ {
			storeConstant(b, b.DerefArrayImm(d, i), elem(i))
		}
	}
}
