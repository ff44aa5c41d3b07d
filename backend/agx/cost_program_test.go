package agx_test

import (
	"encoding/json"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestCostOfPrograms: the model of a compiled shader has a block after each branch, its loop, the preamble and what stands after the end
// outside of all paths, and how many registers live.
func TestCostOfPrograms(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, `#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer B { uint v[]; };
layout(push_constant) uniform P { uint n, k; };
void main() {
  uint id = gl_GlobalInvocationID.x, sum = v[id];
  for (uint i = v[id + 1]; i < n * k; i++) sum = sum * 3u + v[i];
  v[id] = sum / (n | 1u);
}`)
	o, err := m.Compile(t.Context(), nirc.Options{Target: "agx", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := agx.Target{}.Cost(o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Target != "agx" || p.GPU == "" || len(p.Pipes) == 0 || !p.Props.Preamble || !p.Props.SideEffects || p.Props.WorkRegisters == 0 {
		t.Errorf("%s %s, %d pipes, %+v", p.Target, p.GPU, len(p.Pipes), p.Props)
	}
	loops, ok := p.Loops()
	if !ok || len(loops) != 1 || !p.Instrs[loops[0].Header].Leader {
		t.Errorf("loops %+v, %t", loops, ok)
	}
	var meta abi.Meta
	if err := json.Unmarshal(o.ABI, &meta); err != nil {
		t.Fatal(err)
	}
	var once, leaders, at int
	for i := range p.Instrs {
		x := &p.Instrs[i]
		if x.Offset != at {
			t.Errorf("instruction %d stands at byte %d, not %d", i, x.Offset, at)
		}
		at += x.Size
		if x.Once {
			once++
		}
		if pre := int(meta.Preamble); x.Offset == pre && x.Aside || x.Offset < pre && x.Once && !x.Aside {
			t.Errorf("the preamble is at byte %d, and instruction %d, at byte %d, is padding: %t", pre, i, x.Offset, x.Aside)
		}
		if x.Leader {
			leaders++
		}
	}
	on := make([]bool, len(p.Instrs))
	for i := range p.Nodes {
		on[p.Nodes[i].Instr] = true
	}
	for i, reached := range on {
		if p.Instrs[i].Once == reached {
			t.Errorf("instruction %d: on a path %t, aside %t", i, reached, p.Instrs[i].Once)
		}
	}
	if at != len(o.Code) || once == 0 || once == len(p.Instrs) || leaders < 3 {
		t.Errorf("%d of %d bytes, %d of %d instructions on no path, %d blocks", at, len(o.Code), once, len(p.Instrs), leaders)
	}
	if r := p.Paths(); !r.Shortest.Known || r.Longest.Known || r.Shortest.Issue <= 0 || r.Total.Issue < r.Shortest.Issue {
		t.Errorf("paths %+v", r)
	}
	if p.Occupancy.Value == 0 || p.Hiding != float64(p.Occupancy.Value)/32/4 {
		t.Errorf("%d threads hide %v", p.Occupancy.Value, p.Hiding)
	}
	if _, err := (agx.Target{}).Cost(&object.Object{Target: "agx", Code: o.Code}); err == nil {
		t.Error("code without metadata has a cost")
	}
}
