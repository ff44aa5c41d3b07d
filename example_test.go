package nirc_test

import (
	"context"
	"fmt"
	"os"

	"nirc"
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

// What is wrong with the input comes as a list.
func ExampleLoad() {
	_, err := nirc.Load([]byte("OpCapability Shader\nOpMystery\n"), "a.spvasm")
	if list, ok := err.(nirc.Diagnostics); ok {
		fmt.Println(len(list), list[0].File, list[0].Line, list[0].Severity)
	}
	// Output: 1 a.spvasm 2 error
}
