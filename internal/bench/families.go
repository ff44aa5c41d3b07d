package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"nirc"
)

// family is the code of the shaders in one folder. They fall into two halves by their names, so that a change that was
// made with an eye on one half can be judged by the other.
type family struct {
	name          string
	shaders       int
	refused       int
	instrs, bytes int64
	cycles        float64
	logs          [2]float64 // of weighed cycles, by half
	counted       [2]int
}

// families prints the code of each folder of modules, and of all.
func families(c *config, out io.Writer) error {
	dirs, err := os.ReadDir(c.families)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tshaders\trefused\tinstructions\tbytes\tweighed cycles\tmean, half 0\tmean, half 1\t\n", c.opts.Target)
	all := family{name: "all"}
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		f := family{name: d.Name()}
		if err := f.measure(filepath.Join(c.families, d.Name()), c.opts); err != nil {
			return err
		}
		f.print(w)
		all.add(&f)
	}
	all.print(w)
	return w.Flush()
}

// measure compiles the modules below a folder.
func (f *family) measure(dir string, opts nirc.Options) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".spv") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if !f.shader(data, rel, opts) {
			f.refused++
		}
		return nil
	})
}

// shader adds the entry point main of a module; false if there is none that compiles.
func (f *family) shader(data []byte, name string, opts nirc.Options) bool {
	m, err := nirc.Load(data, name)
	if err != nil {
		return false
	}
	u, err := nirc.New(opts)
	if err != nil {
		return false
	}
	ctx := context.Background()
	if u.Translate(ctx, m) != nil || u.Optimize(ctx) != nil {
		return false
	}
	o, p, _, err := u.GenerateCosted(ctx)
	if err != nil {
		return false
	}
	f.shaders++
	f.bytes += int64(len(o.Code))
	for _, s := range o.Stats {
		if s.Name == "inst" {
			f.instrs += s.Value
		}
	}
	cycles := p.Weighed()
	f.cycles += cycles
	if cycles == 0 {
		return true // it has no mean with others
	}
	half := crc32.ChecksumIEEE([]byte(filepath.ToSlash(name))) & 1
	f.logs[half] += math.Log(cycles)
	f.counted[half]++
	return true
}

func (f *family) add(o *family) {
	f.shaders += o.shaders
	f.refused += o.refused
	f.instrs += o.instrs
	f.bytes += o.bytes
	f.cycles += o.cycles
	for i := range f.logs {
		f.logs[i] += o.logs[i]
		f.counted[i] += o.counted[i]
	}
}

// mean is the geometric mean of a half's weighed cycles; 0 of none.
func (f *family) mean(half int) float64 {
	if f.counted[half] == 0 {
		return 0
	}
	return math.Exp(f.logs[half] / float64(f.counted[half]))
}

func (f *family) print(w io.Writer) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.0f\t%.2f\t%.2f\t\n", f.name, f.shaders, f.refused, f.instrs, f.bytes, f.cycles, f.mean(0), f.mean(1))
}
