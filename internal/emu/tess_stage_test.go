package emu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// patches is a draw of five patches of one point each, in two views, whose control stage has three invocations.
func patches(t *testing.T, wave int) (p *Pipeline, ctrl, eval *fakeProgram) {
	var data []float32
	for range 5 {
		data = append(data, -1, -1, 0, 1)
	}
	p = testPipeline(t, 8, 8, 1, "R8G8B8A8_UNORM", 1, data, constantColor(1, 1, 1, 1))
	p.Color[0].View = mustImage(t, ImageDesc{Width: 8, Height: 8, Layers: 2, Format: FormatByName("R8G8B8A8_UNORM")})
	p.Topology, p.PatchControlPoints, p.ViewMask = PatchList, 1, 3
	ctrl, eval = tessShaders(wave, TessIO{OutputVertices: 3, Domain: ir.DomainQuads}, [4]float32{2, 1, 1, 1}, [2]float32{1, 1})
	ctrl.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			q := l.TessCtrl[i].Patch
			q.PerPatch[ir.SlotTessLevelOuter] = Vec4{fb(2), fb(1), fb(1), fb(1)}
			q.PerPatch[ir.SlotTessLevelInner] = Vec4{fb(1), fb(1)}
			q.PerPatch[ir.SlotPatch0] = q.In[0][ir.SlotPos]
		}
		return StatusDone, nil
	}
	p.TessCtrl, p.TessEval = ctrl, eval
	return p, ctrl, eval
}

// TestTessLaunches: a wave of the control stage has as many whole patches as it has room for, or else a part of one; each invocation is
// told patch, view and itself; the evaluation stage has each point once; and what nobody has written is garbage in both, that changes
// from patch to patch, and zeros where nobody checks.
func TestTessLaunches(t *testing.T) {
	for _, c := range []struct {
		wave int
		ctrl string // lanes of the launches of a view
	}{
		{2, "2 1 2 1 2 1 2 1 2 1"},
		{8, "6 6 3"},
		{12, "12 3"},
		{64, "15"},
	} {
		for _, check := range []bool{false, true} {
			p, ctrl, eval := patches(t, c.wave)
			var launches, evals, seen []string
			var unwritten []uint32
			levels, points := ctrl.run, eval.run
			ctrl.run = func(l *Launch, pc int) (Status, error) {
				launches = append(launches, fmt.Sprint(l.NumLanes))
				if l.Check != check || (l.Seed != 0) != check || (l.Approx != 0) != check {
					t.Errorf("waves of %d: a launch of the control stage with check %t, seed %#x, %#x", c.wave, l.Check, l.Seed, l.Approx)
				}
				for _, x := range l.TessCtrl {
					seen = append(seen, fmt.Sprint(x.Patch.ViewIndex, x.Patch.PrimitiveID, x.InvocationID))
					if x.InvocationID == 0 {
						unwritten = append(unwritten, x.Patch.Out[1][ir.SlotVar0][2], x.Patch.PerPatch[ir.SlotPatch0+1][3])
					}
				}
				return levels(l, pc)
			}
			eval.run = func(l *Launch, pc int) (Status, error) {
				if l.Check != check || (l.Seed != 0) != check || (l.Approx != 0) != check || l.Draw != p {
					t.Errorf("waves of %d: a launch of the evaluation stage with check %t, seed %#x, %#x", c.wave, l.Check, l.Seed, l.Approx)
				}
				if len(l.Out) != l.NumLanes || len(l.TessEval) != l.NumLanes || l.NumLanes > c.wave {
					t.Errorf("waves of %d: %d lanes of the evaluation stage", c.wave, l.NumLanes)
				}
				for k, x := range l.TessEval {
					evals = append(evals, fmt.Sprint(x.Patch.ViewIndex, x.Patch.PrimitiveID, x.Coord))
					unwritten = append(unwritten, l.Out[k][ir.SlotVar0][1])
				}
				return points(l, pc)
			}
			if err := Draw(Once(context.Background()), p, DrawParams{Limits: Limits{Check: check}, VertexCount: 5, InstanceCount: 1}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(launches)
			want := strings.Fields(c.ctrl + " " + c.ctrl)
			if slices.Sort(want); !slices.Equal(launches, want) {
				t.Errorf("waves of %d: launches of %v lanes, want %v", c.wave, launches, want)
			}
			slices.Sort(seen)
			var all []string
			for view := range 2 {
				for patch := range 5 {
					for k := range 3 {
						all = append(all, fmt.Sprint(view, patch, k))
					}
				}
			}
			if !slices.Equal(seen, all) {
				t.Errorf("waves of %d: invocations %v", c.wave, seen)
			}
			slices.Sort(evals)
			if n := len(slices.Compact(slices.Clone(evals))); n != len(evals) || n%10 != 0 || n < 50 {
				t.Errorf("waves of %d: %d points, %d of them different", c.wave, len(evals), n)
			}
			slices.Sort(unwritten)
			if n := len(slices.Compact(slices.Clone(unwritten))); check && n < len(unwritten)*9/10 || !check && (n != 1 || unwritten[0] != 0) {
				t.Errorf("waves of %d, checked %t: %d of %d words that nobody has written differ", c.wave, check, n, len(unwritten))
			}
		}
	}
}

// TestTessFails: a program of either stage that fails ends the draw with the stage's name, wherever its waves stand.
func TestTessFails(t *testing.T) {
	for _, wave := range []int{2, 8} {
		for stage, name := range []string{"tessellation control stage", "tessellation evaluation stage"} {
			for fail := 1; fail <= 6; fail++ {
				p, ctrl, eval := patches(t, wave)
				x := []*fakeProgram{ctrl, eval}[stage]
				run, waves := x.run, 0
				x.run = func(l *Launch, pc int) (Status, error) {
					if waves++; waves == fail {
						return 0, errors.New("division of a wave")
					}
					return run(l, pc)
				}
				err := Draw(context.Background(), p, DrawParams{VertexCount: 5, InstanceCount: 1})
				if err == nil || !strings.Contains(err.Error(), name+": division of a wave") {
					t.Errorf("wave %d of %d lanes of the %s fails: %v", fail, wave, name, err)
				}
			}
		}
	}
}

// TestTessBarrier: no wave of a patch passes a barrier before all of them have come to it.
func TestTessBarrier(t *testing.T) {
	p, ctrl, _ := patches(t, 1)
	levels := ctrl.run
	came := map[uint32]int{} // by patch
	ctrl.run = func(l *Launch, pc int) (Status, error) {
		x := l.TessCtrl[0]
		if came[x.Patch.PrimitiveID]/3 < pc {
			t.Errorf("patch %d: invocation %d has passed %d barriers, at which others have come %d times", x.Patch.PrimitiveID, x.InvocationID, pc, came[x.Patch.PrimitiveID])
		}
		if pc == 3 {
			return levels(l, pc)
		}
		came[x.Patch.PrimitiveID]++
		return StatusBarrier, nil
	}
	p.ViewMask = 0
	for _, check := range []bool{false, true} {
		clear(came)
		if err := Draw(Once(context.Background()), p, DrawParams{Limits: Limits{Check: check}, VertexCount: 5, InstanceCount: 1}); err != nil {
			t.Fatal(err)
		}
		for patch, n := range came {
			if n != 9 || len(came) != 5 {
				t.Errorf("patch %d of %d: %d invocations came to barriers, want 9", patch, len(came), n)
			}
		}
	}
}
