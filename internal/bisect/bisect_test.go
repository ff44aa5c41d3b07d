package bisect

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/targets"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// textTarget is a target whose machine code is the text of the IR and whose
// core is the interpreter. Its step "schedule" may be left out; it spoils stores from
// the second of each shader on.
type textTarget struct{ backend.Backend }

// Name is that of a target for which there are object files.
func (textTarget) Name() string        { return "midgard" }
func (textTarget) GPUs() []backend.GPU { return []backend.GPU{{Name: "t1"}} }

func (textTarget) ABIs() []string { return nil }

func (textTarget) Steps(string) []backend.StepInfo {
	return []backend.StepInfo{{Name: "schedule", Optional: true}, {Name: "pack", Optional: true}}
}

func (textTarget) Options(string, ir.Stage) (*ir.Options, error) { return &ir.Options{}, nil }

func (textTarget) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	print := func() string { return ir.Print(s) }
	nothing := func() (bool, error) { return false, nil }
	for _, name := range []string{"select", "schedule", "pack"} {
		st := passes.Step{Name: name, Optional: name != "select", Print: print, Run: nothing}
		if name == "schedule" {
			st.Run = func() (bool, error) { return spoil(s, job.Instrument), nil }
		}
		if _, err := job.Instrument.Do(&st); err != nil {
			return nil, err
		}
	}
	return &object.Object{Target: "midgard", GPU: "t1", Stage: s.Stage, Entry: s.Name, Code: []byte(ir.Print(s))}, nil
}

// spoil makes stores but the first store something else.
func spoil(s *ir.Shader, ins *passes.Instrument) (changed bool) {
	n := 0
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.Intr != ir.IntrStoreDeref && in.Intr != ir.IntrStoreSsbo || !ins.Rewrite() {
				continue
			}
			if n++; n < 2 {
				continue
			}
			v := in.Srcs[1].Def
			bld := ir.NewBuilder(ir.Before(in))
			in.Srcs[1].Set(bld.Inot(v))
			changed = true
		}
	}
	return changed
}

func (textTarget) Load(o *object.Object) (emu.Program, error) {
	s, err := ir.Parse(strings.TrimRight(string(o.Code), "\x00"))
	if err != nil {
		return nil, err
	}
	return interp.New(s, interp.Options{})
}

// bisectScript stores three numbers and expects them.
const bisectScript = `#!amber
SHADER compute s SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %A ArrayStride 4
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n2 = OpConstant %int 2
%n3 = OpConstant %int 3
%A = OpTypeArray %int %n3
%B = OpTypeStruct %A
%ptrB = OpTypePointer StorageBuffer %B
%ptri = OpTypePointer StorageBuffer %int
%b = OpVariable %ptrB StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p0 = OpAccessChain %ptri %b %n0 %n0
%p1 = OpAccessChain %ptri %b %n0 %n1
%p2 = OpAccessChain %ptri %b %n0 %n2
OpStore %p0 %n3
OpStore %p1 %n2
OpStore %p2 %n1
OpReturn
OpFunctionEnd
END
BUFFER data DATA_TYPE int32 DATA 0 0 0 END
PIPELINE compute pipe
  ATTACH s
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN pipe 1 1 1
EXPECT data IDX 0 EQ 3 2 1
`

// TestBisectCore: what the interpreter does not show after the passes is
// looked for among the steps of the code generator, on the core.
func TestBisectCore(t *testing.T) {
	was := targets.All
	targets.All = []backend.Backend{textTarget{}}
	defer func() { targets.All = was }()
	path := filepath.Join(t.TempDir(), "stores.amber")
	if err := os.WriteFile(path, []byte(bisectScript), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := passes.ParsePassList("lower_vars_to_ssa,opt_copy_prop,opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	b := Bisection{Options: nirc.Options{Target: "midgard", Level: passes.O2, Passes: list}, Dumps: true}
	c, err := b.Script(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	// Counted are opt_copy_prop, opt_dce, schedule and pack.
	if c.Judge != "midgard" || c.Step != "schedule" || c.Run != 3 || c.Since != 3 || c.Steps != 4 || c.Rewrite != 2 {
		t.Errorf("found %s, run %d (since %d) of %d, rewrite %d, judge %s", c.Step, c.Run, c.Since, c.Steps, c.Rewrite, c.Judge)
	}
	if strings.Contains(c.Before, "inot") || strings.Count(c.After, "inot") != 1 {
		t.Errorf("before:\n%s\nafter:\n%s", c.Before, c.After)
	}
	// The same target without its wrong step has nothing to find.
	b.Options.Target = nirc.IRTarget
	if _, err := b.Script(context.Background(), path); err == nil || !strings.Contains(err.Error(), "PASS on ir") {
		t.Errorf("on ir: %v", err)
	}
}
