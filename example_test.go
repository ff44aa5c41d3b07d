package nirc_test

import (
	"context"
	"fmt"
	"os"

	"nirc"
	"nirc/internal/exec"
	"nirc/ir"
	"nirc/passes"
)

const shader = `shader compute "main" {
  info { workgroup_size=64,1,1 }
  fn f0 "main" entry() {
    b0:
      %0:32x3 = load_local_invocation_id
      %1:32 = load_const 0x2
      %2:32 = imul %0.x, %1
  }
}
`

// Compile a module, look at the figures and write the object.
func ExampleCompile() {
	ctx := context.Background()
	obj, err := nirc.Compile(ctx, []byte(shader), nirc.Options{File: "twice.nir", Target: "ir3", GPU: "a630", Level: passes.O2})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	file, err := obj.Bytes()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(obj.Target, obj.GPU, obj.Stage, obj.Entry, obj.Reflect.WorkgroupSize, obj.Stat("loops"), string(file[1:4]))
	// Output: ir3 a630 compute main [64 1 1] 0 ELF
}

// Take a shader through the stages one by one and look at it in between.
func ExampleUnit() {
	ctx := context.Background()
	m, err := nirc.Load([]byte(shader), "twice.nir")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	list, _ := passes.ParsePassList("opt_dce")
	u, err := nirc.New(nirc.Options{Target: nirc.IRTarget, Passes: list})
	if err == nil {
		err = u.Translate(ctx, m)
	}
	if err == nil {
		err = u.Optimize(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Print(ir.Print(u.Shader))
	// Output:
	// shader compute "main" {
	//   info { workgroup_size=64,1,1 }
	//   fn f0 "main" entry() {
	//     b0: // preds:
	//   }
	// }
}

// A pass of one's own runs between the stages: this one counts multiplications.
func ExampleUnit_RunPass() {
	ctx := context.Background()
	muls := 0
	count := &passes.Pass{Name: "count_muls", Run: func(_ *passes.Context, s *ir.Shader) (progress bool, err error) {
		for _, f := range s.Functions {
			for b := range f.Impl.Blocks() {
				for in := range b.Instrs() {
					if in.Kind == ir.KindALU && in.Op == ir.OpImul {
						muls++
					}
				}
			}
		}
		return false, nil
	}}
	m, err := nirc.Load([]byte(shader), "twice.nir")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	u, err := nirc.New(nirc.Options{Target: nirc.IRTarget})
	if err == nil {
		err = u.Translate(ctx, m)
	}
	if err == nil {
		_, err = u.RunPass(ctx, count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(muls)
	// Output: 1
}

// A pipeline of one's own takes the place of pipeline.yaml.
func ExampleOptions_pipelines() {
	pipelines, err := passes.Load([]byte(`
pipelines:
  common:
    - loop: [opt_copy_prop, opt_dce]
`), "mine.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	list, err := nirc.PipelinePasses(nirc.Options{Target: nirc.IRTarget, Pipelines: pipelines}, ir.StageCompute)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(list)
	// Output: [opt_copy_prop opt_dce]
}

// Compile a module and run its machine code on the target's software core.
func ExampleExecute() {
	const add = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%three = OpConstant %uint 3
%B = OpTypeStruct %uint
%ptrB = OpTypePointer StorageBuffer %B
%ptr = OpTypePointer StorageBuffer %uint
%b = OpVariable %ptrB StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %ptr %b %zero
%old = OpLoad %uint %p
%new = OpIAdd %uint %old %three
OpStore %p %new
OpReturn
OpFunctionEnd`
	m, err := nirc.Load([]byte(add), "add.spvasm")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	buffer := []byte{4, 0, 0, 0}
	err = exec.Execute(context.Background(), &exec.Execution{
		Modules:  []*nirc.Module{m},
		Options:  nirc.Options{Target: "ir3", Level: passes.O2},
		Bindings: []exec.Binding{{Set: 0, Binding: 0, Data: buffer}},
		Groups:   [3]uint32{1, 1, 1},
	})
	fmt.Println(buffer[0], err)
	// Output: 7 <nil>
}

// What a shader wants bound, and the values that it can be specialized by.
func ExampleModule_Interface() {
	ctx := context.Background()
	m, err := nirc.LoadFile(ctx, "testdata/blur.comp.spv", nirc.FileOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	x, err := m.Interface(ctx, nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, r := range x.Resources {
		fmt.Println(r.Set, r.Binding, r.Name)
	}
	for _, c := range x.SpecConstants {
		fmt.Println(c.ID, c.Name)
	}
	// Output:
	// 0 0 src
	// 0 1 dst
	// 0 RADIUS
}

// What is wrong with the input comes as a list.
func ExampleLoad() {
	_, err := nirc.Load([]byte("OpCapability Shader\nOpMystery\n"), "a.spvasm")
	if list, ok := err.(nirc.Diagnostics); ok {
		fmt.Println(len(list), list[0].File, list[0].Line, list[0].Severity)
	}
	// Output: 1 a.spvasm 2 error
}
