package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/ir"
	"nirc/passes"
)

// Request is all that an object depends on. Its digest is the object's key.
type Request struct {
	Module   Digest            `json:"module"` // of the canonical form
	Entry    string            `json:"entry"`
	Stage    string            `json:"stage"`
	Spec     []spirv.SpecValue `json:"spec,omitempty"` // by id
	Target   string            `json:"target"`
	GPU      string            `json:"gpu"`
	Level    string            `json:"level"`
	Debug    bool              `json:"debug,omitempty"`
	ABI      string            `json:"abi,omitempty"`
	Next     string            `json:"next,omitempty"` // the stage that follows, if that is known
	Pipeline Digest            `json:"pipeline"`       // of what chooses the passes
	Code     string            `json:"code"`           // version of the code generation
}

// MarshalText gives the digits, for JSON.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the digits.
func (d *Digest) UnmarshalText(b []byte) (err error) {
	*d, err = ParseDigest(string(b))
	return err
}

// Key returns the digest of the request.
func (r *Request) Key() Digest {
	h := sha256.New()
	h.Write([]byte("nirc request 1\n"))
	var b []byte
	field := func(s string) { b = append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...) }
	field(string(r.Module[:]))
	for _, s := range []string{r.Entry, r.Stage, r.Target, r.GPU, r.Level, r.ABI, r.Code, string(r.Pipeline[:]), fmt.Sprint(r.Debug)} {
		field(s)
	}
	for _, v := range r.Spec {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(b, v.ID), v.Bits)
	}
	if r.Next != "" {
		field(r.Next)
	}
	h.Write(b)
	return Digest(h.Sum(nil))
}

// Entry is what the cache holds for a request: an object, or why there is none.
type Entry struct {
	Request Request          `json:"request"`
	Refused nirc.Diagnostics `json:"refused,omitempty"`
	Object  []byte           `json:"-"` // an ELF file, as nirc compile writes it
}

// The kinds of entries, which their first byte tells.
const (
	kindModule = 'm' // a module in canonical form
	kindShader = 's' // an Entry: length of the JSON, JSON, object
)

func (e *Entry) bytes() ([]byte, error) {
	head, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32([]byte{kindShader}, uint32(len(head)))
	return append(append(b, head...), e.Object...), nil
}

// parseEntry reads a shader's entry; nil and no error is a module.
func parseEntry(b []byte) (*Entry, error) {
	if len(b) > 0 && b[0] == kindModule {
		return nil, nil
	}
	if len(b) < 5 || b[0] != kindShader {
		return nil, errors.New("it is neither a shader nor a module")
	}
	n := binary.LittleEndian.Uint32(b[1:])
	if uint64(n) > uint64(len(b)-5) {
		return nil, errors.New("its description is longer than itself")
	}
	var e Entry
	if err := json.Unmarshal(b[5:5+n], &e); err != nil {
		return nil, err
	}
	e.Object = b[5+n:]
	return &e, nil
}

// Outcome is what became of a request.
type Outcome uint8

// Outcomes.
const (
	Hit       Outcome = iota // it was there
	Compiled                 // it was not, and is now
	Repaired                 // it was there but broken, and is whole now
	Duplicate                // this run had the same request before
	Elsewhere                // it belongs to another shard
)

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

	mu   sync.Mutex
	seen map[Digest]bool
}

// Module is a module that shaders are requested of.
type Module struct {
	*nirc.Module
	words  []byte   // canonical, or all words with Debug
	number []uint32 // the canonical ids by the module's, nil if they are the same
	digest Digest
	debug  bool
	stored sync.Once
	err    error
}

// NewModule makes the canonical form of a module. IR text stands for itself.
func NewModule(m *nirc.Module, debug bool) *Module {
	c := &Module{Module: m, debug: debug}
	switch {
	case m.SPIRV == nil:
		c.words = []byte(m.Text())
	case debug:
		c.words = m.Bytes()
	default:
		c.words, c.number = canonical(m.SPIRV)
	}
	c.digest = sha256.Sum256(c.words)
	return c
}

// Request makes the request for one of the module's shaders.
func (b *Builder) Request(m *Module, o *nirc.Options) Request {
	spec := sortedSpec(o.Spec)
	r := Request{Module: m.digest, Entry: o.Entry, Stage: o.Stage.String(), Spec: spec, Target: o.Target, GPU: o.GPU,
		Level: o.Level.String(), Debug: m.debug, ABI: o.ABI, Pipeline: b.Pipeline, Code: b.Code}
	if o.Next != ir.StageNone {
		r.Next = o.Next.String()
	}
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

// Shader sees to it that the store has a shader. refused is why there is no
// object, by this compile or an earlier one; err is about the store or the compiler.
func (b *Builder) Shader(ctx context.Context, m *Module, o nirc.Options) (out Outcome, refused nirc.Diagnostics, err error) {
	req := b.Request(m, &o)
	key := req.Key()
	if !b.Shard.Has(key) {
		return Elsewhere, nil, nil
	}
	if !b.first(key) {
		return Duplicate, nil, nil
	}
	out = Compiled
	data, err := b.Store.Get(key)
	var broken *BrokenError
	switch {
	case err == nil:
		e, err := parseEntry(data)
		if err == nil && e != nil {
			return Hit, m.refused(e), b.keepModule(m)
		}
		out = Repaired
	case errors.As(err, &broken):
		out = Repaired
	case !errors.Is(err, ErrAbsent):
		return 0, nil, err
	}
	e, err := compile(ctx, m, o, req)
	if err != nil {
		return 0, nil, err
	}
	if err := b.keepModule(m); err != nil {
		return 0, nil, err
	}
	if data, err = e.bytes(); err != nil {
		return 0, nil, err
	}
	return out, m.refused(e), b.Store.Put(key, data)
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

// moduleKey is the key of a module's entry.
func moduleKey(d Digest) Digest { return sha256.Sum256(append([]byte("nirc module 1\n"), d[:]...)) }

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

// refused are an entry's diagnostics with the ids of this module.
func (m *Module) refused(e *Entry) nirc.Diagnostics {
	list := slices.Clone(e.Refused)
	for i := range list {
		if id := list[i].ID; id != 0 && m.number != nil {
			list[i].ID = uint32(max(0, slices.Index(m.number, id)))
		}
	}
	return list
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

// options makes the options that a request came from. The passes are not part
// of a request, only their digest: base has them.
func (r *Request) options(base nirc.Options) (nirc.Options, error) {
	o := base
	var err error
	if o.Level, err = passes.ParseLevel(r.Level); err != nil {
		return o, err
	}
	o.Target, o.GPU, o.Entry, o.Stage, o.Spec, o.Debug, o.ABI = r.Target, r.GPU, r.Entry, ir.ParseStage(r.Stage), r.Spec, r.Debug, r.ABI
	o.Next = ir.ParseStage(r.Next)
	return o, nil
}
