package nirc

import (
	"context"
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/backend/cost"
	"nirc/backend/cost/trips"
	"nirc/backend/object"
	"nirc/backend/sourcemap"
	"nirc/ir"
	"nirc/passes"
)

// What an invocation and a workgroup may have of memory on every target: the
// limit that Vulkan drivers of these GPUs give for workgroup memory, and
// what private memory's addresses reach at 128 invocations in flight a core.
const (
	maxSharedSize  = 32 << 10
	maxScratchSize = 1 << 24
)

// linked reports whether the shader is made of parts for Options.State: those stages have them that depend on it.
func (u *Unit) linked() bool {
	return u.opts.State != nil && u.opts.State.WantsParts() && backend.HasABI(u.back, SeparateABI) && (u.Shader.Stage == ir.StageVertex || u.Shader.Stage == ir.StageFragment)
}

// abi is the calling convention of what the backend makes.
func (u *Unit) abi() string {
	if u.linked() {
		return SeparateABI
	}
	return u.opts.ABI
}

// Generate makes the machine code. The unit's shader is consumed. The error is ErrStopped if
// RunOptions.StopAfter names a machine step. With Options.Debug the object says where its code comes
// from, and how often its loops run.
func (u *Unit) Generate(ctx context.Context) (*object.Object, error) {
	if !u.opts.Debug {
		return u.generate(ctx)
	}
	loops := u.loops()
	o, err := u.generate(ctx)
	if err == nil && len(loops) > 0 {
		err = noteLoops(ctx, u.back, o, loops)
	}
	return o, err
}

func (u *Unit) generate(ctx context.Context) (obj *object.Object, err error) {
	if u.back == nil {
		return nil, Usagef("target %s has no code", IRTarget)
	}
	if u.Stopped() {
		return nil, Usagef("--stop-after leaves no code to generate")
	}
	if n := u.Shader.SharedSize; n > maxSharedSize {
		return nil, Diagnostics{{File: u.opts.File, Target: u.opts.Target, Unsupported: true, Msg: fmt.Sprintf("%d bytes of workgroup memory are not supported, the most is %d (maxComputeSharedMemorySize)", n, maxSharedSize)}}
	}
	if n := u.Shader.ScratchSize; n > maxScratchSize {
		return nil, Diagnostics{{File: u.opts.File, Target: u.opts.Target, Unsupported: true, Msg: fmt.Sprintf("%d bytes of private memory an invocation are not supported, the most is %d", n, maxScratchSize)}}
	}
	u.generating = true
	u.Shader.SetLoc(0)
	err = u.stage(ctx, generateStage, func() error {
		run := &u.opts.Run
		lists, err := u.codegenLists()
		if err != nil {
			return err
		}
		u.job = backend.Job{GPU: u.opts.GPU, Lists: lists, Level: u.opts.Level, Instrument: u.ins, ABI: u.abi(), Debug: u.opts.Debug, Next: u.opts.Next, Layout: u.opts.Layout, State: u.opts.State}
		u.job.Dump = run.Dump != nil && (len(run.DumpBefore)+len(run.DumpAfter) > 0 || run.PrintChanged)
		obj, err = u.back.Compile(u.Shader, &u.job)
		return u.verifyError(err)
	})
	if err != nil {
		return nil, err
	}
	shared, scratch := obj.Reflect.SharedSize, obj.Reflect.ScratchSize
	obj.Reflect = u.Reflection
	obj.Reflect.SharedSize, obj.Reflect.ScratchSize = max(shared, u.Shader.SharedSize), max(scratch, u.Shader.ScratchSize)
	if u.linked() {
		return link(ctx, u.back, []*object.Object{obj}, u.opts.State)
	}
	return obj, nil
}

// SourceMapSchema is the number of the source map's JSON form.
const SourceMapSchema = sourcemap.Schema

// SourceMap leads from each machine instruction to the IR it was made of, to the
// SPIR-V instruction and to the line of the source, as far as the module says. MapInstr is
// one machine instruction, MapSource one place in the module.
type (
	SourceMap = sourcemap.Map
	MapInstr  = sourcemap.Instr
	MapSource = sourcemap.Source
)

// GenerateMapped is Generate with a source map. Options.Debug must be set.
func (u *Unit) GenerateMapped(ctx context.Context) (*object.Object, *SourceMap, error) {
	if !u.opts.Debug {
		return nil, nil, Usagef("a source map needs Options.Debug")
	}
	lines := sourcemap.ByPlace(u.Shader)
	obj, err := u.Generate(ctx)
	if err != nil {
		return nil, nil, err
	}
	code, err := u.back.Disassemble(obj.GPU, obj.Code)
	if err != nil {
		return nil, nil, &InternalError{Pass: "sourcemap", Value: err}
	}
	return obj, sourcemap.New(u.opts.File, obj, code, lines), nil
}

// LoopCost is a loop of the shader that is one of the machine code too.
type LoopCost = trips.Loop

// GenerateCosted is Generate with the model of the code, in which loops count as often as the
// shader's analysis says. Options.Debug should be set, for places.
func (u *Unit) GenerateCosted(ctx context.Context) (*object.Object, *cost.Program, []LoopCost, error) {
	loops := u.loops()
	o, err := u.Generate(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	p, noted, err := costLoops(ctx, u.back, o)
	if err != nil {
		return nil, nil, nil, err
	}
	if u.opts.Debug {
		return o, p, noted, nil
	}
	trips.Pair(p, loops)
	return o, p, loops, nil
}

// noteLoops notes the loops of a shader in the object of its code.
func noteLoops(ctx context.Context, b backend.Backend, o *object.Object, loops []LoopCost) error {
	p, _, err := costLoops(ctx, b, o)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // a target without a model
	}
	if err == nil {
		trips.Note(p, o, loops)
	}
	return err
}

// loops lists the loops that the passes have left.
func (u *Unit) loops() []LoopCost {
	if u.Shader == nil {
		return nil
	}
	return trips.Of(u.Shader, u.opts.Level != passes.O0)
}

// Cost models the machine code of an object. How often its loops run is known of objects that
// were compiled with Options.Debug; of others see Unit.GenerateCosted.
func Cost(ctx context.Context, o *object.Object) (*cost.Program, error) {
	p, _, err := CostLoops(ctx, o)
	return p, err
}

// CostLoops is Cost with the loops that the object notes.
func CostLoops(ctx context.Context, o *object.Object) (p *cost.Program, loops []LoopCost, err error) {
	b, err := Backend(o.Target)
	if err != nil {
		return nil, nil, err
	}
	return costLoops(ctx, b, o)
}

func costLoops(ctx context.Context, b backend.Backend, o *object.Object) (p *cost.Program, loops []LoopCost, err error) {
	err = Guard(ctx, "cost", "", o.Target, func() error {
		p, err = b.Cost(o)
		return err
	})
	if err == nil && len(o.Loops) > 0 {
		loops = trips.Noted(p, o)
	}
	return p, loops, err
}
