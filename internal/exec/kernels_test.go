package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/passes"
)

// kernelCase is a kernel of testdata/kernels (sources beside the modules, made by clang and llvm-spirv), what it is given, and what it leaves:
// want computes it in Go, for the arguments that it changes.
type kernelCase struct {
	name   string
	entry  string // of several
	groups [3]uint32
	size   [3]uint32
	args   []Arg
	want   func(args []Arg) map[int][]byte
	// near is how far floats may be off, relative to the larger of 1 and the value; 0: bytes are equal.
	near float64
	// coarse are the results of each item, of every how many, that may be off by 1e-3: hardware's sines.
	coarse, every int
}

func put[T any](v ...T) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func get[T any](b []byte) []T {
	v := make([]T, len(b)/binary.Size(*new(T)))
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return v
}

// TestKernels runs kernels on the interpreter as the frontend makes them, on the interpreter after passes, and on every target's core in
// checking mode, at O0 and O2, against the same in Go.
func TestKernels(t *testing.T) {
	for _, c := range kernelCases() {
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "kernels", c.name+".spv"))
			if err != nil {
				t.Fatal(err)
			}
			m, err := nirc.Load(text, c.name+".spv")
			if err != nil {
				t.Fatal(err)
			}
			want := c.want(c.args)
			for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
				for _, level := range []passes.Level{passes.O0, passes.O2} {
					x := &Execution{Modules: []*nirc.Module{m}, Groups: c.groups, Limits: emu.Limits{Check: true, Seed: 7},
						Options: nirc.Options{Target: target, Level: level, WorkgroupSize: c.size, Entry: c.entry}}
					for _, a := range c.args {
						a.Data = slices.Clone(a.Data)
						x.Args = append(x.Args, a)
					}
					if err := Execute(context.Background(), x); err != nil {
						t.Errorf("%s %s: %v", target, level, err)
						continue
					}
					for i, w := range want {
						if err := c.same(x.Args[i].Data, w); err != nil {
							t.Errorf("%s %s: argument %d: %v", target, level, i, err)
						}
					}
				}
			}
		})
	}
}

// same compares bytes, or floats of 32 bits.
func (c *kernelCase) same(got, want []byte) error {
	if c.near == 0 {
		if !bytes.Equal(got, want) {
			return fmt.Errorf("got\n%x, want\n%x", got, want)
		}
		return nil
	}
	g, w := get[float32](got), get[float32](want)
	for i := range w {
		near := c.near
		if c.every > 0 && i%c.every == c.coarse {
			near = 1e-3
		}
		d := math.Abs(float64(g[i]) - float64(w[i]))
		if !(d <= near*max(1, math.Abs(float64(w[i])))) && g[i] != w[i] {
			return fmt.Errorf("[%d] is %v, want %v", i, g[i], w[i])
		}
	}
	return nil
}

// sequence are n numbers that f makes.
func sequence[T any](n int, f func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func data[T any](v ...T) Arg { return Arg{Data: put(v...)} }

// mixed is a hash of i.
func mixed(i int) uint32 { return bits.RotateLeft32(uint32(i+1)*2654435761, 11) ^ uint32(i) }

func kernelCases() []kernelCase {
	one := func(n uint32) [3]uint32 { return [3]uint32{n, 1, 1} }
	return slices.Concat(memoryKernels(one), remainderKernels(one), valueKernels(one), programKernels(one))
}
