package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"nirc"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes"
)

// DocumentSchema and DocumentKind say what the document of a shader is.
const (
	DocumentSchema = 1
	DocumentKind   = "nirc compile"
)

// Document is what is known about a compiled shader as one JSON document.
type Document struct {
	Schema     int                `json:"schema"`
	Kind       string             `json:"kind"`
	File       string             `json:"file,omitempty"`
	Target     string             `json:"target"`
	GPU        string             `json:"gpu,omitempty"`
	Entry      string             `json:"entry"`
	Stage      string             `json:"stage"`
	Stats      Stats              `json:"stats"`
	Links      []Link             `json:"links,omitempty"` // of a shader that was linked
	Reflection object.Reflection  `json:"reflection"`
	ABI        json.RawMessage    `json:"abi,omitempty"`
	Files      []string           `json:"files,omitempty"`
	Lines      []object.LineEntry `json:"lines,omitempty"`
}

// Link is what linking did between two stages, in components of varyings.
type Link struct {
	From string `json:"from"`
	To   string `json:"to"`
	passes.LinkCounts
}

// NewLinks describes links.
func NewLinks(links []nirc.StageLink) (list []Link) {
	for _, l := range links {
		list = append(list, Link{l.From.String(), l.To.String(), l.LinkCounts})
	}
	return list
}

// Stats are figures; in JSON one object with a member a figure, in their order.
type Stats []object.Stat

// MarshalJSON gives the object.
func (s Stats) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, st := range s {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(st.Name)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		b = strconv.AppendInt(b, st.Value, 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote, and keeps the order.
func (s *Stats) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("statistics: want an object")
	}
	*s = Stats{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		st := object.Stat{Name: name.(string)} // keys are strings
		if err := d.Decode(&st.Value); err != nil {
			return err
		}
		*s = append(*s, st)
	}
	return nil
}

// String gives name=value pairs.
func (s Stats) String() string {
	var b bytes.Buffer
	for i, st := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(st.Name)
		b.WriteByte('=')
		b.WriteString(strconv.FormatInt(st.Value, 10))
	}
	return b.String()
}

// NewDocument describes an object that was compiled from file.
func NewDocument(file string, o *object.Object) *Document {
	return &Document{Schema: DocumentSchema, Kind: DocumentKind, File: file, Target: o.Target, GPU: o.GPU, Entry: o.Entry, Stage: o.Stage.String(), Stats: o.Stats,
		Reflection: o.Reflect, ABI: o.ABI, Files: o.Files, Lines: o.Lines}
}

// UnitDocument describes a unit's shader as it stands, before code generation.
func UnitDocument(file string, u *nirc.Unit) *Document {
	return &Document{Schema: DocumentSchema, Kind: DocumentKind, File: file, Target: u.Target(), GPU: u.GPU(), Entry: u.Shader.Name, Stage: u.Shader.Stage.String(),
		Stats: IRStats(u.Shader), Links: NewLinks(u.Links()), Reflection: u.Reflection}
}

// IRStats counts what a shader consists of.
func IRStats(s *ir.Shader) Stats {
	var blocks, all int64
	var kinds [ir.KindCall + 1]int64
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			blocks++
			for in := range b.Instrs() {
				all++
				if int(in.Kind) < len(kinds) {
					kinds[in.Kind]++
				}
			}
		}
	}
	return Stats{{Name: "functions", Value: int64(len(s.Functions))}, {Name: "blocks", Value: blocks}, {Name: "instructions", Value: all},
		{Name: "alu", Value: kinds[ir.KindALU]}, {Name: "intrinsic", Value: kinds[ir.KindIntrinsic]}, {Name: "tex", Value: kinds[ir.KindTex]},
		{Name: "deref", Value: kinds[ir.KindDeref]}, {Name: "phi", Value: kinds[ir.KindPhi]}, {Name: "load_const", Value: kinds[ir.KindLoadConst]},
		{Name: "jump", Value: kinds[ir.KindJump]}}
}
