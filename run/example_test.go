package run_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"nirc"
	"nirc/passes"
	"nirc/run"
)

// floats are the bytes of 32-bit floats.
func floats(list ...float32) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, list)
	return b.Bytes()
}

// blur is a dispatch of testdata/blur.comp, which blurs a row of floats.
func blur(ctx context.Context, row []byte) (*run.Dispatch, error) {
	m, err := nirc.LoadFile(ctx, "../testdata/blur.comp.spv", nirc.FileOptions{})
	if err != nil {
		return nil, err
	}
	push := append(binary.LittleEndian.AppendUint32(nil, 4), floats(0.5, 0.25, 0)...)
	return &run.Dispatch{Module: m, Options: nirc.Options{Target: "agx", Level: passes.O2}, Groups: [3]uint32{1, 1, 1}, Push: push,
		Buffers: []run.Buffer{{Binding: 0, Data: floats(1, 2, 3, 4)}, {Binding: 1, Data: row}}}, nil
}

// Run a compute shader on a target's software core.
func ExampleDispatch() {
	ctx := context.Background()
	row := floats(0, 0, 0, 0)
	d, err := blur(ctx, row)
	if err == nil {
		err = d.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	var result [4]float32
	binary.Decode(row, binary.LittleEndian, &result)
	fmt.Println(result)
	// Output: [1.25 2 3 3.75]
}

// Find out what a shader spends its instructions on: the profile is for go tool pprof.
func ExampleProfile() {
	ctx := context.Background()
	d, err := blur(ctx, floats(0, 0, 0, 0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	d.Profile = &run.Profile{}
	if err := d.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	var file, text bytes.Buffer
	if err := d.Profile.Write(ctx, &file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	if err := d.Profile.WriteText(ctx, &text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	program, _, _ := bytes.Cut(text.Bytes(), []byte(": "))
	fmt.Printf("%s\n%t\n", program, file.Len() > 0)
	// Output:
	// ../testdata/blur.comp.spv main
	// true
}
