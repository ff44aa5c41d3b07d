package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

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
	Next     string            `json:"next,omitempty"`   // the stage that follows, if that is known
	Layout   json.RawMessage   `json:"layout,omitempty"` // the pipeline layout, as nirc.LayoutJSON writes it
	State    *State            `json:"state,omitempty"`  // what else the pipeline asks of the code, nil for nothing
	Linked   []LinkedStage     `json:"linked,omitempty"` // the other stages of a pipeline that was linked, in its order
	Alone    bool              `json:"alone,omitempty"`  // it was linked as the only stage of a pipeline: nobody reads what it hands on
	Pipeline Digest            `json:"pipeline"`         // of what chooses the passes
	Code     string            `json:"code"`             // version of the code generation
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
	if len(r.Layout) > 0 {
		field("layout")
		field(string(r.Layout))
	}
	if r.State != nil {
		field("state")
		field(fmt.Sprint(*r.State))
	}
	for i := range r.Linked {
		s := &r.Linked[i]
		for _, x := range []string{"linked", string(s.Module[:]), s.Entry, s.Stage, fmt.Sprint(s.Spec)} {
			field(x)
		}
	}
	if r.Alone {
		field("linked alone")
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

// Bytes is the entry as a store holds it.
func (e *Entry) Bytes() ([]byte, error) {
	head, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32([]byte{kindShader}, uint32(len(head)))
	return append(append(b, head...), e.Object...), nil
}

// ParseEntry reads a shader's entry as a store holds it; nil and no error is
// what has no request: a module, or what a front end made of GLSL.
func ParseEntry(b []byte) (*Entry, error) {
	if len(b) > 0 && (b[0] == kindModule || b[0] == kindFront) {
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

// options makes the options that a request came from. The passes are not part
// of a request, only their digest: base has them.
func (r *Request) options(base nirc.Options) (nirc.Options, error) {
	o := base
	var err error
	if o.Level, err = passes.ParseLevel(r.Level); err != nil {
		return o, err
	}
	o.Target, o.GPU, o.Entry, o.Stage, o.Spec, o.Debug, o.ABI = r.Target, r.GPU, r.Entry, ir.ParseStage(r.Stage), r.Spec, r.Debug, r.ABI
	o.Next, o.Layout = ir.ParseStage(r.Next), nil
	if len(r.Layout) > 0 {
		o.Layout, err = nirc.ReadLayout("", r.Layout)
	}
	if s := r.State; s != nil {
		o.SampleShading, o.Points, o.Multiview, o.DispatchBase, o.Robust = s.SampleShading, s.Points, s.Multiview, s.DispatchBase, s.Robust
	}
	return o, err
}

// State is what a pipeline's state asks of the code of its shaders, as nirc.Options has it.
type State struct {
	SampleShading bool      `json:"sample_shading,omitempty"`
	Points        bool      `json:"points,omitempty"`
	Multiview     bool      `json:"multiview,omitempty"`
	DispatchBase  bool      `json:"dispatch_base,omitempty"`
	Robust        ir.Robust `json:"robust,omitzero"`
}

// stateOf is the state that options ask for, nil for nothing.
func stateOf(o *nirc.Options) *State {
	s := State{o.SampleShading, o.Points, o.Multiview, o.DispatchBase, o.Robust}
	if s == (State{}) {
		return nil
	}
	return &s
}
