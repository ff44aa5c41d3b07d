package code

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/internal/mangle"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/ir/irtest"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:generate go test -run TestTexts -update .

// TestTexts reads the shaders of the passes' tests and random ones, and each a few times changed: what reader, validator and interpreter
// say, and what they compute, is that of the table, or a change means to change it (go generate).
func TestTexts(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "passes", "testdata", "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tests of passes: %v", err)
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "passes", "testdata", "words.txt"))
	if err != nil {
		t.Fatal(err)
	}
	operations, intrinsics, _ := strings.Cut(string(data), "\n")
	words := mangle.NewWords(strings.Fields(operations), strings.Fields(intrinsics))
	var groups []sources
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(path))
		if len(groups) == 0 || groups[len(groups)-1].name != name {
			groups = append(groups, sources{name: name})
		}
		i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })
		g := &groups[len(groups)-1]
		g.list = append(g.list, source{text: string(ar.Files[i].Data)})
	}
	random := sources{name: "random"}
	for seed := range uint64(6) {
		s := irtest.Config{Seed: seed, Size: 60, Everything: seed%2 == 0}.Shader()
		random.list = append(random.list, source{text: ir.PrintWith(s, ir.PrintOptions{Locs: true})})
	}
	rows := map[string]string{}
	for _, g := range append(groups, random) {
		textRow(t, rows, g, words, 20)
	}
	compareRows(t, "text", rows)
}

// textRow adds the row of texts that are read as they are and n times changed.
func textRow(t *testing.T, rows map[string]string, g sources, words *mangle.Words, n int) {
	x := reading{sum: sha256.New()}
	of := sha256.New()
	for i, s := range g.list {
		of.Write([]byte(s.text))
		sh := x.text(s.text)
		if sh == nil {
			t.Errorf("%s: shader %d is none", g.name, i)
			continue
		}
		data := ir.Serialize(sh, ir.SerializeOptions{})
		r := rand.New(rand.NewPCG(uint64(i), 0))
		m := mangle.New(s.text, words)
		for range n {
			x.text(m.Mangled(r))
			x.binary(mangle.Bytes(r, data))
		}
	}
	rows[fmt.Sprintf("text %s %x\trun", g.name, of.Sum(nil)[:4])] = x.row()
}

// text reads a text, runs it, and returns the shader, nil if it is none.
func (f *reading) text(text string) *ir.Shader {
	f.texts++
	s, err := ir.Parse(text)
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		f.refuse(err)
		return nil
	}
	f.add(ir.Serialize(s, ir.SerializeOptions{}))
	f.add(ir.Serialize(s, ir.SerializeOptions{StripNames: true, StripLocs: true}))
	fmt.Fprintln(f.sum, ir.PrintWith(s, ir.PrintOptions{Locs: true}))
	mem, err := runText(s)
	if err != nil {
		f.refuse(err)
	} else {
		f.compiled++
	}
	f.sum.Write(mem)
	return s
}

// binary reads the binary form.
func (f *reading) binary(data []byte) {
	s, err := ir.Deserialize(data)
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		f.refuse(err)
		return
	}
	fmt.Fprintln(f.sum, ir.PrintWith(s, ir.PrintOptions{CFG: true}))
}

// runText runs a shader with buffers and images at the places where the passes' tests have them, a workgroup or a wave of it, and returns its
// interface, what it puts out, and what the buffers and images hold then.
func runText(s *ir.Shader) ([]byte, error) {
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		return nil, err
	}
	mem := emu.NewMemory()
	var bind emu.Bindings
	var all []*emu.Buffer
	var images []*emu.Image
	for binding := range uint32(2) {
		b := mem.Alloc(1024)
		for i := range b.Data {
			b.Data[i] = byte(i * 37)
		}
		all = append(all, b)
		bind.Set(1, binding, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: b.Addr, Size: uint64(len(b.Data))}})
		if binding == 0 {
			bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: uint64(len(b.Data))}})
		}
	}
	smp := &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, MaxLod: emu.LodNone}
	for binding, d := range []emu.ImageDesc{1: {Width: 8, Height: 8, Mips: 4, Format: emu.FormatByName("R8G8B8A8_UNORM")}, 2: {Width: 4, Height: 4, Format: emu.FormatByName("R32_UINT")},
		3: {Width: 4, Height: 4, Layers: 2, Format: emu.FormatByName("R32_UINT")}} {
		if binding == 0 {
			continue
		}
		img, err := emu.NewImage(d)
		if err != nil {
			return nil, err
		}
		for i := range img.Data {
			img.Data[i] = byte(i*7 + i>>8)
		}
		images = append(images, img)
		typ := emu.DescStorageImage
		if binding == 1 {
			typ = emu.DescCombinedImageSampler
		}
		bind.Set(0, uint32(binding), []emu.Descriptor{{Type: typ, Image: &emu.ImageView{Image: img}, Sampler: smp}})
	}
	env := &emu.Env{Mem: mem, Bindings: &bind, Push: make([]byte, 128)}
	out := fmt.Appendf(nil, "%+v", *p.IO())
	if s.Stage == ir.StageCompute {
		err = emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Limits: emu.Limits{Budget: 1 << 15}, Groups: [3]uint32{3, 1, 1}})
	} else {
		var put []byte
		put, err = runWave(p, env)
		out = append(out, put...)
	}
	for _, b := range all {
		out = append(out, b.Data...)
	}
	for _, img := range images {
		out = append(out, img.Data...)
	}
	return out, err
}
