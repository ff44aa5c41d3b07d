package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"nirc"
)

// source is a module: a file of SPIR-V or assembly.
type source struct {
	name string
	data []byte
}

// overCorpus prints what the stages take over the corpus.
func overCorpus(c *config) error {
	files, err := corpusFiles(c.corpus, c.max)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "nirc-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sources, skipped := readSources(files, dir)
	if skipped > 0 {
		fmt.Printf("corpus: %d GLSL files left out: glslangValidator is not installed, or refuses them\n", skipped)
	}
	var sum figures
	done, refused := 0, map[string]int{}
	start := time.Now()
	for _, src := range sources {
		n, err := eachEntry(&src, c, &sum)
		done += n
		var se *stageError
		if errors.As(err, &se) {
			refused[stageNames[se.stage]]++
		}
	}
	if done == 0 {
		return fmt.Errorf("%s: none of %d modules compiles", c.corpus, len(sources))
	}
	fmt.Printf("corpus: %d shaders of %d modules for %s -%s, best of %d runs (%.1f s); refused%s\n", done, len(sources), c.opts.Target, c.opts.Level,
		c.rounds, time.Since(start).Seconds(), counts(refused))
	printStages(&sum, done)
	fmt.Printf("%.0f shaders/s; peak memory %.0f MiB\n\n", float64(done)/sum.total().Seconds(), peakMemory())
	return nil
}

// counts lists names with their numbers.
func counts(m map[string]int) string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	text := ""
	for _, n := range names {
		text += fmt.Sprintf(" %s %d", n, m[n])
	}
	if text == "" {
		return " none"
	}
	return text
}

// eachEntry measures each entry point of a module and returns how many compile.
func eachEntry(src *source, c *config, sum *figures) (done int, err error) {
	mod, err := nirc.Load(src.data, src.name)
	if err != nil {
		return 0, &stageError{stageParse, err}
	}
	for _, e := range mod.EntryPoints() {
		o := c.opts
		o.Entry, o.Stage = e.Name, e.Stage
		f, ferr := measure(src.data, src.name, o, c.rounds)
		if ferr != nil {
			err = ferr
			continue
		}
		sum.add(f)
		done++
	}
	return done, err
}

// corpusFiles lists the files that are, or can be made, modules, at most n of them.
func corpusFiles(root string, n int) ([]string, error) {
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".spv", ".spvasm", ".vert", ".frag", ".comp":
			all = append(all, path)
		}
		return nil
	})
	if err != nil || n <= 0 || n >= len(all) {
		return all, err
	}
	some := make([]string, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some, nil
}

// readSources reads the files, GLSL through glslangValidator into dir.
func readSources(files []string, dir string) (list []source, skipped int) {
	glslang, _ := exec.LookPath("glslangValidator")
	for i, f := range files {
		path := f
		if ext := filepath.Ext(f); ext != ".spv" && ext != ".spvasm" && !strings.Contains(filepath.Base(f), ".asm.") {
			path = filepath.Join(dir, fmt.Sprintf("%d.spv", i))
			if glslang == "" || !runGlslang(glslang, f, path) {
				skipped++
				continue
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			skipped++
			continue
		}
		list = append(list, source{f, data})
	}
	return list, skipped
}

func runGlslang(tool, in, out string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, tool, "-V", "--target-env", "vulkan1.3", "-R", "--amb", "--aml", "-o", out, in).Run() == nil
}
