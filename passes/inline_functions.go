package passes

import (
	"fmt"
	"slices"
	"strconv"

	"nirc/ir"
)

var inlineFunctionsPass = &Pass{
	Name: "inline_functions", For: ir.HasCall, Class: "A", Run: inlineFunctions, Idempotent: true,
	Doc: "Puts the bodies of called functions in place of calls, callees first. Needs lower_returns. Recursion is an error.",
}

// maxInlined bounds the instructions of one function after inlining: calls
// that form a tree may multiply without end. Published shaders that spell out a letter by calls
// come to 800,000, a thousandth of which is left. From manyInlined on functions are to be
// cleaned up before they are inlined.
const (
	maxInlined  = 1 << 20
	manyInlined = 1 << 14
)

// inlineFunctions puts the bodies of all called functions in place of their
// calls, callees first. A call of a function without body and recursion are errors.
func inlineFunctions(_ *Context, s *ir.Shader) (bool, error) {
	in := &inliner{s: s, state: make([]uint8, len(s.Functions))}
	sizes := newInlinedSizes(s)
	for _, f := range s.Functions {
		// Before anything is built: what is refused costs nothing.
		if over := sizes.first(f); over != nil {
			return false, ir.Unsupportedf("calls that make more than %d instructions of %s are not supported", maxInlined, called(over))
		}
	}
	for _, f := range s.Functions {
		if err := in.function(f); err != nil {
			return in.progress, err
		}
	}
	return in.progress, nil
}

type inliner struct {
	s        *ir.Shader
	state    []uint8 // by function: 0 not seen, 1 being inlined, 2 done
	progress bool
}

// inlinedSizes tells how many instructions functions have when their calls are inlined.
type inlinedSizes struct {
	s *ir.Shader
	// size is -1 of a function not looked at, and 0 of one being looked at: recursion
	// is found elsewhere. It grows no further than past maxInlined.
	size []int
	over *ir.Function // the first one found to be larger than that
}

func newInlinedSizes(s *ir.Shader) *inlinedSizes {
	z := &inlinedSizes{s: s, size: make([]int, len(s.Functions))}
	for i := range z.size {
		z.size[i] = -1
	}
	return z
}

// first returns the first function, callees before callers, that is too large, if f or
// one that it calls is.
func (z *inlinedSizes) first(f *ir.Function) *ir.Function {
	z.of(f)
	return z.over
}

func (z *inlinedSizes) of(f *ir.Function) int {
	at := slices.Index(z.s.Functions, f)
	if at < 0 || f.Impl == nil {
		return 0
	}
	if z.size[at] >= 0 {
		return z.size[at]
	}
	z.size[at] = 0
	n := 0
	for b := range f.Impl.Blocks() {
		for i := b.First(); i != nil; i = i.Next() {
			if n++; i.Kind == ir.KindCall {
				n = min(n+z.of(i.CallInfo().Callee), maxInlined+1)
			}
		}
	}
	if n > maxInlined && z.over == nil {
		z.over = f
	}
	z.size[at] = n
	return n
}

// inlinesMuch reports whether inlining makes so much of a shader that its functions should
// be cleaned up before.
func inlinesMuch(s *ir.Shader) bool {
	if len(s.Functions) < 2 {
		return false
	}
	z := newInlinedSizes(s)
	for _, f := range s.Functions {
		if f.IsEntry && z.of(f) > manyInlined {
			return true
		}
	}
	return false
}

func (in *inliner) function(f *ir.Function) error {
	at := slices.Index(in.s.Functions, f)
	if at < 0 {
		return fmt.Errorf("call of %s, which is not in the shader", called(f))
	}
	switch in.state[at] {
	case 1:
		return ir.Unsupportedf("recursive call of %s is not supported", called(f))
	case 2:
		return nil
	}
	if f.Impl == nil {
		return nil
	}
	in.state[at] = 1
	var calls []*ir.Instr
	for b := range f.Impl.Blocks() {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Kind == ir.KindCall {
				calls = append(calls, i)
			}
		}
	}
	for _, c := range calls {
		callee := c.CallInfo().Callee
		if err := in.function(callee); err != nil {
			return err
		}
		if callee.Impl == nil {
			return fmt.Errorf("call of %s, which has no body, in %s", called(callee), called(f))
		}
		inlineCall(c, callee.Impl, calledFrom(in.s, c.Loc))
		in.progress = true
	}
	if len(calls) > 0 {
		f.Impl.Preserve(ir.MetaNone)
	}
	in.state[at] = 2
	return nil
}

// called is what a message says of a function: modules need not name them.
func called(f *ir.Function) string {
	switch {
	case f.Name != "":
		return strconv.Quote(f.Name)
	case f.IsEntry:
		return "the entry point"
	}
	return "a function without name"
}

// calledFrom makes the places of what is inlined where call is, nil if functions of places are
// not known (without debug information wanted, see spirv.Options.Debug).
func calledFrom(s *ir.Shader, call uint32) func(uint32) uint32 {
	if len(s.Funcs) == 1 || call == 0 {
		return nil
	}
	// A chain of calls may be long: not every place of a hostile module is told from each other.
	const maxPlaces = 2 * maxInlined
	made := map[uint32]uint32{}
	var at func(loc uint32) uint32
	at = func(loc uint32) uint32 {
		n, ok := made[loc]
		if !ok && len(s.Locs) >= maxPlaces {
			return loc
		}
		if !ok {
			l := s.Locs[loc]
			if l.Call == 0 {
				l.Call = call
			} else {
				l.Call = at(l.Call)
			}
			n = uint32(len(s.Locs))
			made[loc] = n
			s.Locs = append(s.Locs, l)
		}
		return n
	}
	return at
}

// inlineCall replaces a call by a copy of the callee's body, which has no returns. places, if not
// nil, are those of the copy.
func inlineCall(call *ir.Instr, callee *ir.Impl, places func(uint32) uint32) {
	impl := call.Block.Impl()
	c := ir.NewCloner(callee, impl)
	defer c.Release()
	c.Loc = places
	for _, v := range callee.Locals {
		n := impl.NewLocal(v.Type, v.Name)
		id := n.ID
		*n = *v
		n.ID = id
		c.MapVar(v, n)
	}
	at := ir.Before(call)
	if endsInJump(&callee.Body) {
		// The callee never comes back: its jump needs the end of a block.
		b := ir.NewBuilder(at)
		at = ir.AtEnd(b.PushIf(b.ImmBool(true)).Then.FirstBlock())
	}
	c.List(&callee.Body, at)
	c.Finish()
	for b := range callee.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.IsIntrinsic(ir.IntrDeclReg) {
				c.Def(&in.Def).Instr.MoveTo(ir.AtStart(impl.Start()))
			}
			if !in.IsIntrinsic(ir.IntrLoadParam) {
				continue
			}
			p := c.Def(&in.Def)
			p.RewriteUses(call.Srcs[in.Get(ir.IdxParamIdx)].Def)
			p.Instr.Remove()
		}
	}
	call.Remove()
}

// endsInJump reports whether a block of the list itself ends in a jump.
func endsInJump(l *ir.List) bool {
	for n := range l.Nodes() {
		if b, ok := n.(*ir.Block); ok && b.Jump() != nil {
			return true
		}
	}
	return false
}
