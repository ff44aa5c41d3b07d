package exec

import (
	"context"
	"errors"
	"strings"
	"sync"

	"nirc"
	"nirc/backend/object"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// AmberTarget returns what makes the amber runner compile its shaders with
// these options. IRTarget runs the IR itself, at O0 as the frontend made it
// unless the options name passes, and above O0 after the common passes; other targets run the machine code, read
// back from an object file. Entry, Stage, Next, Spec and Layout are the script's or the runner's.
func AmberTarget(o nirc.Options) (amber.Target, error) {
	if _, err := nirc.New(o); err != nil {
		return nil, err
	}
	return &ScriptTarget{Options: o}, nil
}

// ScriptTarget compiles the shaders of scripts.
type ScriptTarget struct {
	// Options are those of the compiles; Entry, Stage, Next and Spec are the script's.
	Options nirc.Options
	// Interpret executes the IR that the target's passes leave.
	Interpret bool
	// again has a recompile of those programs that a pipeline may want otherwise (fitPipeline), by the program.
	again sync.Map
}

// Name is the target's name.
func (t *ScriptTarget) Name() string {
	if t.Options.Target == "" {
		return nirc.DefaultTarget
	}
	return t.Options.Target
}

// FloatControls are the modes of floats that the target honours.
func (t *ScriptTarget) FloatControls() *ir.FloatControls {
	f, err := nirc.FloatControls(t.Name(), t.Options.GPU)
	if err != nil {
		return nil // the compile tells
	}
	return f
}

// Compile compiles a script's shader. What the compiler does not support
// skips the script.
func (t *ScriptTarget) Compile(ctx context.Context, sh amber.Shader) (emu.Program, error) {
	p, err := t.compileWith(ctx, sh, t.Options)
	return p, unsupportedScript(err)
}

func (t *ScriptTarget) compileWith(ctx context.Context, sh amber.Shader, o nirc.Options) (emu.Program, error) {
	o.File, o.Entry, o.Stage, o.Next, o.Spec = "", sh.Entry, sh.Stage, sh.Next, make([]spirv.SpecValue, len(sh.Spec))
	for i, s := range sh.Spec {
		o.Spec[i] = spirv.SpecValue{ID: s.ID, Bits: s.Bits}
	}
	o.Robust = o.Robust.Max(sh.Robust)
	o.Layout = sh.Layout
	if sh.OptimizationOff {
		o.Level = passes.O0
	}
	if strings.HasPrefix(o.ABI, nirc.BlendABI) && sh.Stage != ir.StageFragment {
		o.ABI = "" // only fragment shaders are blend programs
	}
	m, err := scriptModule(&sh)
	if err != nil {
		return nil, err
	}
	if o.Target == nirc.IRTarget || t.Interpret {
		return Interpret(ctx, m, o, sh.SubgroupSize)
	}
	if readsAttachments(m, &o) {
		c, err := forState(ctx, m, o)
		return c.prog, err
	}
	obj, err := m.Compile(ctx, o)
	if err != nil {
		return nil, err
	}
	p, err := runnable(ctx, m, obj, o.ABI, recompiled(m, o))
	if err != nil {
		return nil, err
	}
	return p, t.keepAgain(&sh, m, p, o, func(ctx context.Context, change func(*nirc.Options)) (emu.Program, error) {
		o := t.Options
		change(&o)
		return t.compileWith(ctx, sh, o)
	})
}

// looksAtSubgroups reports whether a module reads the number of its subgroup, or wants lanes to meet again where its source
// says so. Scripts that do expect several invocations in a subgroup.
func looksAtSubgroups(m *spv.Module) bool {
	for i := range m.Insts {
		in := &m.Insts[i]
		w := m.Words[in.Offset+1:]
		if in.Op == spv.OpExecutionMode && spv.ExecutionMode(w[1]) == spv.ExecutionModeMaximallyReconvergesKHR {
			return true
		}
		if in.Op == spv.OpDecorate && spv.Decoration(w[1]) == spv.DecorationBuiltIn && spv.BuiltIn(w[2]) == spv.BuiltInSubgroupId {
			return true
		}
	}
	return false
}

// Link makes what the parts of a pipeline become with its state.
func (t *ScriptTarget) Link(ctx context.Context, p *emu.Pipeline) error {
	err := t.fitPipeline(ctx, p)
	if err == nil {
		err = LinkPipeline(ctx, t.Name(), p)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return &amber.Unsupported{What: err.Error()}
	}
	return err
}

// Interpret makes a program of the IR.
func Interpret(ctx context.Context, m *nirc.Module, o nirc.Options, subgroup int) (p emu.Program, err error) {
	p, _, err = interpret(ctx, m, o, subgroup)
	return p, err
}

func interpret(ctx context.Context, m *nirc.Module, o nirc.Options, subgroup int) (p emu.Program, r object.Reflection, err error) {
	u, err := nirc.New(o)
	if err != nil {
		return nil, r, err
	}
	if err := u.Translate(ctx, m); err != nil {
		return nil, r, err
	}
	if o.Level != passes.O0 || o.Target != nirc.IRTarget || o.Passes != nil || o.Pipelines != nil || o.State != nil || o.Uniforms != nil || o.Printf != nil {
		if err := u.Optimize(ctx); err != nil {
			return nil, r, err
		}
	}
	err = nirc.Guard(ctx, "interp", o.File, "", func() error {
		p, err = interp.New(u.Shader, interp.Options{WaveSize: subgroup})
		return err
	})
	return p, u.Reflection, err
}

// Reload writes an object to a file in memory, reads it back and makes it
// runnable on its target's core: what runs is what a driver would get.
func Reload(ctx context.Context, o *object.Object) (p emu.Program, err error) {
	file, err := o.Bytes()
	if err != nil {
		return nil, err
	}
	if o, err = object.Read(file); err != nil {
		return nil, &nirc.InternalError{Value: err}
	}
	b, err := nirc.Backend(o.Target)
	if err != nil {
		return nil, err
	}
	err = nirc.Guard(ctx, "load", "", o.Target, func() error {
		if p, err = b.Load(o); err == nil {
			count(ctx, p, o, moduleOf(ctx))
		}
		return err
	})
	return p, err
}
