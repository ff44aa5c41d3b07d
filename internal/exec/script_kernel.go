package exec

import (
	"context"

	"nirc"
	"nirc/internal/amber"
	"nirc/ir"
	"nirc/passes"
)

// CompileKernel compiles a script's OpenCL kernel.
func (t *ScriptTarget) CompileKernel(ctx context.Context, sh amber.Shader, size [3]uint32) (*amber.Kernel, error) {
	o := t.Options
	o.File, o.Entry, o.Stage, o.WorkgroupSize = "", sh.Entry, sh.Stage, size
	o.Robust, o.Layout = o.Robust.Max(sh.Robust), sh.Layout
	if sh.OptimizationOff {
		o.Level = passes.O0
	}
	m, err := scriptModule(&sh)
	if err != nil {
		return nil, err
	}
	var s compiledStage
	if t.Interpret {
		s.prog, s.reflect, err = interpret(ctx, m, o, 0)
	} else {
		s, err = compileStage(ctx, m, o)
	}
	if err != nil {
		return nil, unsupportedScript(err)
	}
	k := &amber.Kernel{Program: s.prog, Hidden: hiddenValue}
	for _, a := range s.reflect.Arguments {
		x := amber.Argument{Argument: ir.Argument{Name: a.Name, Offset: a.Offset, Size: a.Size, Memory: a.Memory, Init: a.Init}, Set: a.Set, Binding: a.Binding}
		if x.Kind, err = ir.ParseArgumentKind(a.Kind); err != nil {
			return nil, &nirc.InternalError{Value: err}
		}
		for _, l := range a.Links {
			x.Links = append(x.Links, ir.ArgumentLink(l))
		}
		for _, r := range s.reflect.Resources {
			if x.Kind == ir.ArgImage && r.Set == a.Set && r.Binding == a.Binding {
				x.Type = DescriptorTypes[r.Kind]
			}
		}
		k.Args = append(k.Args, x)
	}
	return k, nil
}
