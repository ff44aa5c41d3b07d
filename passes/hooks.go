package passes

import (
	"errors"
	"fmt"
	"slices"

	"nirc/ir"
)

// The hooks of a pipeline: places where a compile runs what its caller asks for beyond the list, the state of the pipeline
// and uniforms that are known.
const (
	// HookStart is after the frontend's functions have become one, before anything is optimised; HookVariables before inputs
	// and outputs are lowered, HookSlots after that.
	HookStart     = "start"
	HookVariables = "variables"
	HookSlots     = "slots"
)

var hookNames = []string{HookStart, HookVariables, HookSlots}

// Hooks are what runs at the hooks of a pipeline on one shader. Nil runs nothing.
type Hooks struct {
	lists map[string]*Pipeline
}

// Asked is what a compile asks for beyond the passes of its list.
type Asked struct {
	// State is what of the pipeline's state the shader does, nil if nothing.
	State *ShaderState
	// Uniforms are words that are known.
	Uniforms []UniformValue
	// Printf is where the shader leaves what it prints, nil if it does not.
	Printf *PrintfBuffer
}

// Hooks makes what runs on shaders of a stage, next being the stage that follows in the pipeline, none if that is not
// known: it counts as the rasteriser. Nil if nothing is asked for. The error names the member of the state that is wrong.
func (a *Asked) Hooks(stage, next ir.Stage) (*Hooks, error) {
	if a.State == nil && len(a.Uniforms) == 0 && a.Printf == nil {
		return nil, nil
	}
	h := &Hooks{lists: map[string]*Pipeline{}}
	if len(a.Uniforms) > 0 {
		// Offsets are sums of constants still.
		if err := errors.Join(h.add(HookSlots, optConstantFoldingPass, noOptions()), h.add(HookSlots, inlineUniformsPass, uniformOptions(a.Uniforms))); err != nil {
			return nil, err
		}
	}
	if a.Printf != nil {
		if err := h.add(HookStart, lowerPrintfPass, a.Printf.options()); err != nil {
			return nil, err
		}
	}
	if a.State != nil {
		if err := a.State.check(); err != nil {
			return nil, err
		}
		for i := range stateRows {
			r := &stateRows[i]
			if !r.on.holds(stage, next) {
				continue
			}
			for _, opts := range r.runs(a.State) {
				if err := h.add(r.hook, Find(r.pass), opts); err != nil {
					return nil, fmt.Errorf("%s: %w", r.member, err)
				}
			}
		}
	}
	if len(h.lists) == 0 {
		return nil, nil
	}
	return h, nil
}

// uniformOptions are the options of inline_uniforms.
func uniformOptions(list []UniformValue) []string {
	text := ""
	for i := range list {
		text += "|" + list[i].String()
	}
	return []string{"values", text[1:]}
}

// add appends a run of a pass with options, names and their texts in turn; nil asks for none.
func (h *Hooks) add(hook string, p *Pass, opts []string) error {
	if opts == nil {
		return nil
	}
	c := NewContext(p)
	for k := 0; k+1 < len(opts); k += 2 {
		if err := c.SetOption(opts[k], opts[k+1]); err != nil {
			return err
		}
	}
	l := h.lists[hook]
	if l == nil {
		l = &Pipeline{Name: hook, has: map[string]bool{}}
		h.lists[hook] = l
	}
	l.steps = append(l.steps, stepOf(c, l.slots, 0))
	l.slots++
	l.has[p.Name] = true
	return nil
}

// Passes lists what runs at a hook, as Pipeline.Passes does.
func (h *Hooks) Passes(hook string) []string {
	if h == nil || h.lists[hook] == nil {
		return nil
	}
	return h.lists[hook].Passes()
}

// RunHooked is RunWith with what the caller asks for. It is an error if the pipeline lacks a hook at which something is to run.
func (p *Pipeline) RunHooked(s *ir.Shader, ins *Instrument, h *Hooks) error {
	if h != nil {
		for _, name := range hookNames {
			if list := h.Passes(name); len(list) > 0 && !slices.Contains(p.hooks, name) {
				return &MissingHookError{Pipeline: p.Name, Hook: name, Pass: list[0]}
			}
		}
	}
	r := p.runner(s, ins, false)
	r.hooks = h
	return r.run()
}

// MissingHookError says that a pipeline has no place for what a compile asks for.
type MissingHookError struct {
	Pipeline, Hook string
	// Pass is the first that would have run there, with its options.
	Pass string
}

// Error says what is missing and how it is written.
func (e *MissingHookError) Error() string {
	return fmt.Sprintf("the pipeline %s has no item \"hook: %s\", where %s is to run", e.Pipeline, e.Hook, e.Pass)
}

// hook runs what the caller asks for at a hook. What comes after relies on it: it is not left out.
func (r *runner) hook(name string) (bool, error) {
	if r.hooks == nil || r.hooks.lists[name] == nil {
		return false, nil
	}
	if err := r.hooks.lists[name].runner(r.s, r.ins, true).run(); err != nil {
		return false, err
	}
	r.changed(0)
	return true, nil
}
