package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"

	"nirc"
)

// profile writes where the compiler spends its time on real shaders, in pprof's form: each module of a folder for each
// target, several times. pprof shows it.
func profile(c *config) (err error) {
	files, err := corpusFiles(c.real, c.max)
	if err != nil {
		return err
	}
	var sources []source
	for _, name := range files {
		if filepath.Ext(name) != ".spv" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sources = append(sources, source{name, data})
	}
	if len(sources) == 0 {
		return fmt.Errorf("%s has no modules", c.real)
	}
	f, err := os.Create(c.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	done := 0
	for range c.rounds {
		for _, target := range strings.Split(c.opts.Target, ",") {
			o := c.opts
			o.Target = target
			for i := range sources {
				// What a target refuses takes time too.
				if _, err := nirc.Compile(context.Background(), sources[i].data, o); err == nil {
					done++
				}
			}
		}
	}
	fmt.Printf("%s: %d compiles\n", c.profile, done)
	return nil
}
