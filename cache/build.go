package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/ir"
)

// Outcome is what became of a request.
type Outcome uint8

// Outcomes.
const (
	Hit       Outcome = iota // it was there
	Compiled                 // it was not, and is now
	Repaired                 // it was there but broken, and is whole now
	Duplicate                // this run had the same request before
	Elsewhere                // it belongs to another shard
	Executed                 // it was not, and another machine compiled it: see Farm
)

var outcomeNames = [...]string{"hit", "compiled", "repaired", "duplicate", "elsewhere", "executed"}

// String returns the outcome in a word.
func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText gives the word, for JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the word.
func (o *Outcome) UnmarshalText(b []byte) error {
	i := slices.Index(outcomeNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("no outcome %q", b)
	}
	*o = Outcome(i)
	return nil
}

// Result is what became of a request, and of a shader that was not passed over the entry.
type Result struct {
	Key     Digest
	Request Request
	Outcome Outcome
	Entry   *Entry           // nil of a duplicate, and of what belongs to another shard
	Refused nirc.Diagnostics // why there is no object, by this compile or an earlier one, with the ids of the module
}

// Builder fills a store. It is safe for concurrent use.
type Builder struct {
	Store Store
	Shard Shard
	// Code is the version of the code generation: objects of another are not
	// looked at.
	Code string
	// Pipeline stands for what chooses the passes: the text of the pipeline
	// file and the options about passes.
	Pipeline Digest
	// Modules keeps the modules too, so that Verify can compile again.
	Modules bool
	// MayCompile, unless nil, is asked before a compile; its error is that of the shader.
	MayCompile func(Digest) error

	mu   sync.Mutex
	seen map[Digest]bool
}

// Request makes the request for one of the module's shaders.
func (b *Builder) Request(m *Module, o *nirc.Options) Request {
	spec := sortedSpec(o.Spec)
	r := Request{Module: m.digest, Entry: o.Entry, Stage: o.Stage.String(), Spec: spec, Target: o.Target, GPU: o.GPU,
		Level: o.Level.String(), Debug: m.debug, ABI: o.ABI, Pipeline: b.Pipeline, Code: b.Code}
	if o.Next != ir.StageNone {
		r.Next = o.Next.String()
	}
	if o.Layout != nil {
		r.Layout = nirc.LayoutJSON(o.Layout)
	}
	r.State = stateOf(o)
	if r.Target == "" {
		r.Target = nirc.DefaultTarget
	}
	if r.GPU == "" {
		r.GPU = nirc.DefaultGPU(r.Target)
	}
	return r
}

// sortedSpec sorts specialization by id; of several values of one constant the last counts.
func sortedSpec(list []spirv.SpecValue) []spirv.SpecValue {
	list = slices.Clone(list)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y spirv.SpecValue) int { return cmp.Compare(x.ID, y.ID) })
	return slices.CompactFunc(list, func(x, y spirv.SpecValue) bool { return x.ID == y.ID })
}

// Shader sees to it that the store has a shader. A request that comes again, or belongs to another
// shard, is passed over. An error is about the store or the compiler; what the shader is refused for is in the result.
func (b *Builder) Shader(ctx context.Context, m *Module, o nirc.Options) (Result, error) {
	r := b.result(m, &o)
	switch {
	case !b.Shard.Has(r.Key):
		r.Outcome = Elsewhere
		return r, nil
	case !b.first(r.Key):
		r.Outcome = Duplicate
		return r, nil
	}
	return r, b.get(ctx, m, o, &r)
}

// Get is Shader for one who wants the entry, whether or not the request came before.
func (b *Builder) Get(ctx context.Context, m *Module, o nirc.Options) (Result, error) {
	r := b.result(m, &o)
	return r, b.get(ctx, m, o, &r)
}

func (b *Builder) result(m *Module, o *nirc.Options) Result {
	req := b.Request(m, o)
	return Result{Key: req.Key(), Request: req}
}

// Find looks a shader up and compiles nothing: Outcome is Hit, or else what a compile would make it.
func (b *Builder) Find(m *Module, o nirc.Options) (Result, error) {
	r := b.result(m, &o)
	return r, b.find(&r)
}

// find looks an entry up.
func (b *Builder) find(r *Result) error {
	r.Outcome = Compiled
	data, err := b.Store.Get(r.Key)
	var broken *BrokenError
	switch {
	case err == nil:
		if r.Entry = answerTo(r.Key, data); r.Entry != nil {
			r.Outcome = Hit
		} else {
			r.Outcome = Repaired
		}
	case errors.As(err, &broken):
		r.Outcome = Repaired
	case !errors.Is(err, ErrAbsent):
		return err
	}
	return nil
}

// answerTo is the entry that is the answer to a key, nil of all others.
func answerTo(key Digest, data []byte) *Entry {
	e, err := ParseEntry(data)
	if err != nil || e == nil || e.Request.Key() != key {
		return nil
	}
	return e
}

// get looks an entry up, or makes and stores it.
func (b *Builder) get(ctx context.Context, m *Module, o nirc.Options, r *Result) error {
	err := b.find(r)
	if err != nil {
		return err
	}
	if r.Outcome == Hit {
		r.Refused = m.refused(r.Entry)
		return b.keepModule(m)
	}
	if b.MayCompile != nil {
		if err := b.MayCompile(r.Key); err != nil {
			return err
		}
	}
	if r.Entry, err = compile(ctx, m, o, r.Request); err != nil {
		return err
	}
	r.Refused = m.refused(r.Entry)
	if err := b.keepModule(m); err != nil {
		return err
	}
	data, err := r.Entry.Bytes()
	if err != nil {
		return err
	}
	return b.Store.Put(r.Key, data)
}

// first reports whether a key comes for the first time.
func (b *Builder) first(key Digest) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen[key] {
		return false
	}
	if b.seen == nil {
		b.seen = map[Digest]bool{}
	}
	b.seen[key] = true
	return true
}

// keepModule stores the module once.
func (b *Builder) keepModule(m *Module) error {
	if !b.Modules {
		return nil
	}
	m.stored.Do(func() {
		key := moduleKey(m.digest)
		if _, err := b.Store.Get(key); err == nil {
			return
		}
		m.err = b.Store.Put(key, append([]byte{kindModule}, m.words...))
	})
	return m.err
}

// compile makes the entry of a request. What the input or the target says is
// part of it, with canonical ids; places in words are not, since they are those of a module with its debug information.
func compile(ctx context.Context, m *Module, o nirc.Options, req Request) (*Entry, error) {
	e := &Entry{Request: req}
	obj, err := m.Compile(ctx, o)
	var refused nirc.Diagnostics
	switch {
	case errors.As(err, &refused):
		for _, d := range refused {
			d.Word = 0
			if m.number != nil && int(d.ID) < len(m.number) {
				d.ID = m.number[d.ID]
			}
			if d.File == o.File {
				d.File = "" // the same module may have other names
			}
			e.Refused = append(e.Refused, d)
		}
		return e, nil
	case err != nil:
		return nil, err
	}
	e.Object, err = obj.Bytes()
	return e, err
}
