package amber

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// raysScript has a triangle and, further on, a box, and groups in tables in another order than they are made.
const raysScript = `#!amber
ACCELERATION_STRUCTURE BOTTOM_LEVEL triangle
  GEOMETRY TRIANGLES
    -1 -1 5  1 -1 5  0 1 5
  END
END
ACCELERATION_STRUCTURE BOTTOM_LEVEL box
  GEOMETRY AABBS
    10 -1 8  12 1 9
  END
END
ACCELERATION_STRUCTURE TOP_LEVEL scene
  BOTTOM_LEVEL_INSTANCE triangle
    OFFSET 1
  END
  BOTTOM_LEVEL_INSTANCE box
  END
END
SHADER ray_generation rg SPIRV-HEX
MODULE
END
SHADER miss m1 SPIRV-HEX
MODULE
END
SHADER miss m2 SPIRV-HEX
MODULE
END
SHADER closest_hit ch SPIRV-HEX
MODULE
END
SHADER any_hit ah SPIRV-HEX
MODULE
END
SHADER intersection is SPIRV-HEX
MODULE
END
SHADER callable ca SPIRV-HEX
MODULE
END
PIPELINE ray_tracing lib
  FLAGS LIBRARY
  SHADER_GROUP hit_lib ah ch
END
PIPELINE ray_tracing p
  USE_LIBRARY lib
  SHADER_GROUP g_m1 m1
  SHADER_GROUP g_call ca
  SHADER_GROUP g_rg rg
  SHADER_GROUP g_box is ch
  SHADER_GROUP g_m2 m2
  MAX_RAY_RECURSION_DEPTH DEPTH
  BIND ACCELERATION_STRUCTURE scene DESCRIPTOR_SET 0 BINDING 0
  SHADER_BINDING_TABLE t_rg
    g_rg
  END
  SHADER_BINDING_TABLE t_miss
    g_m2
    g_m1
  END
  SHADER_BINDING_TABLE t_hit
    g_box
    hit_lib
  END
  SHADER_BINDING_TABLE t_call
    g_call
  END
END
RUN p RAYGEN t_rg MISS t_miss HIT t_hit CALL t_call 2 1 1
`

// TestRayTables: a launch calls the shaders of the groups that its tables have, of libraries too, for each of its points, and traces as deep as the pipeline says.
func TestRayTables(t *testing.T) {
	var log []string
	shader := func(name string, stage ir.Stage, f func(x *emu.RayLane, env *emu.Env) error) *fakeProgram {
		return &fakeProgram{stage: stage, lane: func(l *emu.Launch, lane int) error {
			x := &l.Rays[lane]
			log = append(log, fmt.Sprintf("%s %d", name, x.LaunchID[0]))
			return f(x, l.Env)
		}}
	}
	nothing := func(*emu.RayLane, *emu.Env) error { return nil }
	trace := func(x *emu.RayLane, env *emu.Env, at float32, miss uint32) error {
		return x.Call(emu.ShaderCall{Index: miss, Accel: env.Bindings.Lookup(0, 0, 0).Addr, CullMask: 255, Origin: [3]float32{at, 0, 0}, Direction: [3]float32{0, 0, 1}, TMin: 0.5, TMax: 100}, make([]byte, 4))
	}
	deeper := false
	target := &fakeTarget{programs: map[string]*fakeProgram{
		"m1": shader("first miss", ir.StageMiss, nothing), "m2": shader("second miss", ir.StageMiss, nothing), "ca": shader("callable", ir.StageCallable, nothing), "ah": shader("any hit", ir.StageAnyHit, nothing),
		"ch": shader("closest hit", ir.StageClosestHit, func(x *emu.RayLane, env *emu.Env) error {
			if deeper {
				return trace(x, env, 50, 1)
			}
			return nil
		}),
		"is": shader("box", ir.StageIntersection, func(x *emu.RayLane, _ *emu.Env) error {
			_, _, err := x.Hit.Report(8, 1, nil)
			return err
		}),
		"rg": shader("generation", ir.StageRaygen, func(x *emu.RayLane, env *emu.Env) error {
			if err := x.Call(emu.ShaderCall{Callable: true}, make([]byte, 4)); err != nil {
				return err
			}
			for i, at := range []float32{0, 11, 30, 40} {
				if err := trace(x, env, at, uint32(i)&1); err != nil {
					return err
				}
			}
			return nil
		}),
	}}
	text := strings.ReplaceAll(raysScript, "MODULE\nEND\n", someModule)
	for _, c := range []struct {
		depth  string
		deeper bool
		want   string
	}{{"1", false, ""}, {"2", true, ""}, {"1", true, "rays are traced more than 1 deep"}} {
		log, deeper = nil, c.deeper
		r := runText(t, target, strings.Replace(text, "DEPTH DEPTH", "DEPTH "+c.depth, 1))
		if c.want != "" {
			if r.Verdict != Fail || !strings.Contains(r.Reason, c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
			continue
		}
		var want []string
		for i := range 2 {
			for _, name := range []string{"generation", "callable", "any hit", "closest hit", "box", "closest hit", "second miss", "first miss"} {
				want = append(want, fmt.Sprint(name, " ", i))
				if c.deeper && name == "closest hit" {
					want = append(want, fmt.Sprint("first miss ", i))
				}
			}
		}
		if r.Verdict == Fail || !slices.Equal(log, want) {
			t.Errorf("%+v: ran\n%q, want\n%q", r, log, want)
		}
	}
}
