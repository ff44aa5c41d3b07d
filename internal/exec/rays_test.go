package exec

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// called is what a shader that is called does: it writes what hangs on the call and on what it is given.
func called(_ emu.RayLane, c emu.ShaderCall, data []byte) error {
	for at := 0; at+4 <= len(data); at += 4 {
		f := math.Float32frombits(uint32(emu.LoadBytes(data[at:], 4)))
		f = f*0.5 + c.Direction[at/4%3] + float32(c.Index) + c.TMin
		if c.Callable {
			f += 2
		}
		if at == 12 && f > 2.6 {
			f = -1 // a miss
		}
		emu.StoreBytes(data[at:], 4, uint64(math.Float32bits(f)))
	}
	return nil
}

// launchRays runs a ray generation shader that writes an image at 0.1, with an acceleration structure at 0.0, and returns the
// image, how often shaders were called, and an error.
func launchRays(t *testing.T, s *ir.Shader, bounces uint32, seed uint64) ([]byte, int) {
	t.Helper()
	p, err := interp.New(s, interp.Options{WaveSize: 32})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	l := emu.Limits{Check: true, Seed: seed}
	mem := l.NewMemory()
	record := mem.Alloc(16)
	for k, v := range []uint32{math.Float32bits(0.125), math.Float32bits(0.25), math.Float32bits(0.5), bounces} {
		emu.StoreBytes(record.Data[4*k:], 4, uint64(v))
	}
	img, err := emu.NewImage(emu.ImageDesc{Format: emu.FormatByName("R32G32B32A32_SFLOAT"), Width: 7, Height: 6})
	if err != nil {
		t.Fatal(err)
	}
	var table emu.Bindings
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescAccelStruct}})
	table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img}}})
	calls := 0
	err = emu.LaunchRays(context.Background(), p, &emu.Env{Mem: mem, Bindings: &table}, [3]uint32{7, 6, 1}, record.Addr, l,
		func(lane emu.RayLane, c emu.ShaderCall, data []byte) error {
			calls++
			return called(lane, c, data)
		})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	return bytes.Clone(img.Data), calls
}

// A shader that lower_shader_calls has split does what the whole shader does, however passes go on with the parts.
func TestShaderCalls(t *testing.T) {
	splitAndRun(t, "path.rgen", 2)
	splitAndRun(t, "nested.rgen", 4)
}

// splitAndRun compares a shader with what becomes of it; sites are the calls in its text.
func splitAndRun(t *testing.T, name string, sites int) {
	m, err := nirc.Load([]byte(stageText(t, name)), name+".spvasm")
	if err != nil {
		t.Fatal(err)
	}
	const common = "lower_continue_constructs,lower_returns,inline_functions,lower_variable_initializers,lower_vars_to_ssa,lower_array_deref_of_vec,split_var_copies,lower_var_copies,lower_vars_to_ssa"
	for i, list := range []string{
		"lower_continue_constructs,lower_shader_calls",
		common + ",lower_shader_calls",
		common + ",lower_system_values,lower_shader_calls(align=64),lower_vars_to_ssa,opt_copy_prop,opt_dce,opt_dead_cf,opt_cse,opt_remove_phis",
		common + ",lower_system_values,opt_loop_unroll,opt_algebraic,lower_shader_calls,lower_vars_to_ssa,opt_constant_folding,opt_dead_cf,opt_if,opt_algebraic,opt_copy_prop_vars,opt_dead_write_vars,opt_gcm,opt_dce,remove_dead_variables,remove_non_entrypoints",
	} {
		for _, bounces := range []uint32{0, 1, 4} {
			s, err := nirc.Translate(context.Background(), m, nirc.Options{Target: nirc.IRTarget})
			if err != nil {
				t.Fatal(err)
			}
			want, calls := launchRays(t, s, bounces, 1)
			if bounces > 0 && (calls < 42 || bytes.Count(want, []byte{0}) > len(want)*4/5) {
				t.Errorf("%s: %d calls", name, calls)
			}
			p, err := passes.ParsePassList(list)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, passes.RunOptions{VerifyEach: true}); err != nil {
				t.Fatal(fmt.Errorf("list %d: %w\n%s", i, err, ir.Print(s)))
			}
			if n := len(s.Functions); n < sites+1 || s.ScratchSize == 0 {
				t.Errorf("%s, list %d: %d functions, %d bytes of stack", name, i, n, s.ScratchSize)
			}
			for seed := uint64(1); seed < 3; seed++ {
				got, n := launchRays(t, s, bounces, seed)
				if n != calls || !bytes.Equal(got, want) {
					t.Errorf("%s, list %d, %d bounces: %d calls and another image than by %d\n%s", name, i, bounces, n, calls, ir.Print(s))
				}
			}
		}
	}
}
