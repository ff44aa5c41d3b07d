package exec

import (
	"context"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
)

// Kernels of a program share its variables, from run to run.
func TestProgramVariables(t *testing.T) {
	const script = `#!amber
SHADER compute program OPENCL-C
global int count = 40;
global int *global last = &count;
kernel void bump(global int *out) { *last += 1; out[0] = count; }
kernel void look(global int *out) { out[1] = count * 2; }
END
BUFFER out DATA_TYPE int32 SIZE 2 FILL 0
PIPELINE compute bump
  ATTACH program ENTRY_POINT bump
  BIND BUFFER out AS storage DESCRIPTOR_SET 0 BINDING 0
END
PIPELINE compute look
  ATTACH program ENTRY_POINT look
  BIND BUFFER out AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN bump 1 1 1
RUN bump 1 1 1
RUN look 1 1 1
EXPECT out IDX 0 EQ 42 84
`
	for _, name := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		r := runScript(t, script, name)
		if r.Verdict == amber.Skip {
			t.Skip(r.Reason)
		}
		if r.Verdict != amber.Pass {
			t.Errorf("%s: %v, line %d: %s", name, r.Verdict, r.Line, r.Reason)
		}
	}
}

// A kernel of a script asks for the channels of its image.
func TestScriptChannels(t *testing.T) {
	const script = `#!amber
SHADER compute program OPENCL-C
kernel void ask(global int *out, read_only image2d_t i) { out[0] = get_image_channel_order(i); out[1] = get_image_channel_data_type(i); }
END
BUFFER out DATA_TYPE int32 SIZE 2 FILL 0
IMAGE image FORMAT B8G8R8A8_UNORM DIM_2D WIDTH 2 HEIGHT 2 FILL 0
PIPELINE compute ask
  ATTACH program ENTRY_POINT ask
  BIND BUFFER out KERNEL ARG_NUMBER 0
  BIND BUFFER image AS sampled_image KERNEL ARG_NUMBER 1
END
RUN ask 1 1 1
EXPECT out IDX 0 EQ 4278 4306
`
	for _, name := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		r := runScript(t, script, name)
		if r.Verdict == amber.Skip {
			t.Skip(r.Reason)
		}
		if r.Verdict != amber.Pass {
			t.Errorf("%s: %v, line %d: %s", name, r.Verdict, r.Line, r.Reason)
		}
	}
}

// runScript runs a script on a target.
func runScript(t *testing.T, script, name string) amber.Result {
	t.Helper()
	s, err := amber.Parse("program.amber", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	target, err := AmberTarget(nirc.Options{Target: name})
	if err != nil {
		t.Fatal(err)
	}
	return (&amber.Runner{Target: target, Limits: emu.Limits{Check: true, Seed: 7}}).Run(context.Background(), s)
}
