package backend

import (
	"encoding/json"
	"fmt"

	"nirc/backend/object"
	"nirc/internal/jsonout"
	"nirc/ir"
)

// Generated is what a code generator makes of a shader.
type Generated struct {
	GPU  string // the chip's own name, where Job.GPU may be empty or another spelling
	Code []byte
	// Meta is the target's ABI data, which becomes JSON.
	Meta  any
	Stats []object.Stat
	// SharedSize is the workgroup's memory, ScratchSize an invocation's private one, in bytes.
	SharedSize, ScratchSize uint32
	Lines                   []CodeLine // by offset
}

// CodeLine is where the code of a source location begins.
type CodeLine struct {
	Offset int    // bytes
	Loc    uint32 // index into ir.Shader.Locs
}

// abiSize is what the ABI data of most shaders take in bytes.
const abiSize = 1 << 10

// NewObject makes the object of what a target's code generator made of s.
func (job *Job) NewObject(target string, s *ir.Shader, g *Generated) (*object.Object, error) {
	abi, err := jsonout.Append(make([]byte, 0, abiSize), g.Meta, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	o := &object.Object{Target: target, GPU: g.GPU, Stage: s.Stage, Entry: s.Name, Code: g.Code, ABI: abi, Stats: g.Stats}
	o.Reflect.SharedSize, o.Reflect.ScratchSize = g.SharedSize, g.ScratchSize
	if job.Debug {
		lineTable(o, s, g.Lines)
	}
	return o, nil
}

// lineTable fills the object's map from code to source: an entry wherever the
// location changes.
func lineTable(o *object.Object, s *ir.Shader, lines []CodeLine) {
	o.Files = append([]string(nil), s.Files...)
	if len(s.Funcs) > 1 {
		o.Funcs = append([]string(nil), s.Funcs...)
	}
	calls := map[uint32]uint32{}
	last := ir.Loc{}
	for _, n := range lines {
		if int(n.Loc) >= len(s.Locs) || s.Locs[n.Loc] == last {
			continue
		}
		last = s.Locs[n.Loc]
		o.Lines = append(o.Lines, object.LineEntry{Offset: uint32(n.Offset), File: last.File, Line: last.Line, Col: last.Col, ID: last.ID, Word: last.Word,
			Func: last.Func, Call: callOf(o, s, last.Call, calls)})
	}
}

// callOf gives the call at a place, and those through which it got there, their entries in the object.
func callOf(o *object.Object, s *ir.Shader, loc uint32, made map[uint32]uint32) uint32 {
	if loc == 0 || int(loc) >= len(s.Locs) {
		return 0
	}
	n, ok := made[loc]
	if !ok {
		l := &s.Locs[loc]
		c := object.Call{File: l.File, Line: l.Line, Col: l.Col, Word: l.Word, Func: l.Func, Call: callOf(o, s, l.Call, made)}
		o.Calls = append(o.Calls, c)
		n = uint32(len(o.Calls))
		made[loc] = n
	}
	return n
}

// Open decodes the ABI data of an object of the target into m, a pointer, and finds the chip that it was made for.
func Open[G any](target string, o *object.Object, m any, find func(name string) (*G, error)) (*G, error) {
	if err := Meta(target, o, m); err != nil {
		return nil, err
	}
	return find(o.GPU)
}

// Meta decodes the ABI data of an object of the target into m, a pointer.
func Meta(target string, o *object.Object, m any) error {
	if o.Target != target {
		return fmt.Errorf("%s: the object is for %s", target, o.Target)
	}
	if err := json.Unmarshal(o.ABI, m); err != nil {
		return fmt.Errorf("%s: the object's meta: %w", target, err)
	}
	return nil
}
