package cache_test

import (
	"context"
	"fmt"
	"os"

	"nirc"
	"nirc/cache"
	"nirc/passes"
)

// Compile what the directory of a cache does not have, and take the rest from there.
func ExampleBuilder() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(dir)
	m, err := nirc.LoadFile(ctx, "../testdata/blur.comp.spv", nirc.FileOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	o := nirc.Options{Target: "agx", Entry: "main", Stage: m.EntryPoints()[0].Stage, Level: passes.O2}
	for range 2 {
		store, err := cache.Open(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		b := cache.Builder{Store: store, Code: "my program 1.0 with nirc " + nirc.Version}
		r, err := b.Get(ctx, cache.NewModule(m, false), o)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		fmt.Println(r.Outcome, string(r.Entry.Object[1:4]))
	}
	// Output:
	// compiled ELF
	// hit ELF
}
