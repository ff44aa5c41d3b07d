package agx_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// form compiles a shader of those that have what few shaders do.
func form(t *testing.T, name string, o nirc.Options) *object.Object {
	data, err := os.ReadFile(filepath.Join("..", "..", "internal", "prove", "code", "testdata", "forms", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	o.Target, o.Level, o.File = "agx", passes.O2, name
	obj, err := nirc.Compile(t.Context(), data, o)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// randomBlend makes any blending.
func randomBlend(r *rand.Rand) emu.AttachmentBlend {
	f := func() ir.BlendFactor { return ir.BlendFactor(r.IntN(19)) }
	op := func() ir.BlendOp { return ir.BlendOp(r.IntN(5)) }
	return emu.AttachmentBlend{Enable: r.IntN(3) > 0, SrcColor: f(), DstColor: f(), ColorOp: op(), SrcAlpha: f(), DstAlpha: f(), AlphaOp: op(), WriteMask: uint8(r.IntN(16)) | uint8(15*r.IntN(2))}
}

// targets are formats of colour targets.
var targets = []string{"R8_UNORM", "R8G8B8A8_UNORM", "R8G8B8A8_SRGB", "B8G8R8A8_UNORM", "R16G16B16A16_SFLOAT", "R16G16_UNORM", "R16_SNORM", "R32_SFLOAT", "R32G32B32A32_SFLOAT",
	"R8G8_SNORM", "A2B10G10R10_UNORM_PACK32", "B10G11R11_UFLOAT_PACK32", "R8G8B8A8_UINT", "R8_SINT", "R16G16_SINT", "R16_UINT", "R32G32_UINT", "R32_SINT", "A2B10G10R10_UINT_PACK32"}

// randomKey makes any state of what comes after a fragment shader.
func randomKey(r *rand.Rand) backend.FragmentKey {
	formats := emu.Formats()
	k := backend.FragmentKey{LogicEnable: r.IntN(5) == 0, Logic: ir.LogicOp(r.IntN(16)), AlphaToCoverage: r.IntN(6) == 0, AlphaToOne: r.IntN(6) == 0,
		Samples: 1 << r.IntN(3), DepthNever: r.IntN(8) == 0, CullDistances: r.IntN(8) * (r.IntN(5) / 4)}
	if r.IntN(4) == 0 {
		mask := r.Uint32() & 15
		k.SampleMask = &mask
	}
	for range 1 + r.IntN(2) {
		x := backend.TargetKey{Format: targets[r.IntN(len(targets))], Blend: randomBlend(r)}
		if r.IntN(5) == 0 {
			x.Format = formats[r.IntN(len(formats))].Name
		}
		if f := emu.FormatByName(x.Format); f != nil && f.IsInteger() && r.IntN(8) > 0 {
			x.Blend.Enable = false
		}
		if r.IntN(12) == 0 {
			x.Format = ""
		}
		k.Targets = append(k.Targets, x)
	}
	return k
}

// TestHeldParts holds what a linker makes for the state of pipelines, in digests: prologs that fetch attributes of each format
// and indices of each size, and prologs and epilogs of fragments for random blending, formats and samples.
func TestHeldParts(t *testing.T) {
	b, err := nirc.Backend("agx")
	if err != nil {
		t.Fatal(err)
	}
	parts := b.Linker(nirc.BuiltinLists("agx"))
	rows := map[string]string{}
	vertex := form(t, "all_vert", nirc.Options{ABI: nirc.SeparateABI})
	r := rand.New(rand.NewPCG(1, 2))
	for i, f := range emu.Formats() {
		var s backend.State
		for _, at := range []uint32{0, 1, 2, 5, 6, 7} {
			s.Attributes = append(s.Attributes, backend.AttribKey{Location: at, Format: f.Name, Stride: uint32(f.Bytes*(1+i%3) + 4*r.IntN(5)/4*r.IntN(9)), Instance: at > 4, Divisor: uint32(i % 4)})
		}
		list, err := parts.Parts(vertex, &s)
		rows["attributes "+f.Name] = digest(t, err, list...)
	}
	for _, next := range []ir.Stage{ir.StageTessCtrl, ir.StageGeometry} {
		main := form(t, "all_vert", nirc.Options{ABI: nirc.SeparateABI, Next: next})
		for size := range 5 {
			list, err := parts.Parts(main, &backend.State{IndexBytes: size})
			rows[fmt.Sprintf("indices of %d bytes before %s", size, next)] = digest(t, err, list...)
		}
	}
	for _, name := range []string{"all_0", "all_2", "dual_0", "early_1"} {
		main := form(t, name, nirc.Options{ABI: nirc.SeparateABI})
		for k := range 100 {
			r := rand.New(rand.NewPCG(uint64(k), 3))
			list, err := parts.Parts(main, &backend.State{Fragment: randomKey(r)})
			rows[fmt.Sprintf("fragment %s %d", name, k)] = digest(t, err, list...)
		}
	}
	for _, name := range []string{"captured_vert", "all_vert", "plain_vert"} {
		last := form(t, name, nirc.Options{Next: ir.StageGeometry})
		for n := range 8 {
			obj, err := b.FeedbackStage(nirc.BuiltinLists("agx"))(last, n, "")
			rows[fmt.Sprintf("feedback %s %d", name, n)] = digest(t, err, obj)
		}
	}
	heldForms(t, parts, rows)
	gputest.HoldTable(t, "parts.tsv", rows)
}

// digest is what became of parts.
func digest(t *testing.T, err error, list ...*object.Object) string {
	sum, size := sha256.New(), 0
	if err != nil {
		fmt.Fprintln(sum, err)
		return fmt.Sprintf("refused\t%x", sum.Sum(nil)[:6])
	}
	for _, o := range list {
		if o != nil {
			size += len(o.Code)
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(slices.Concat(o.Code, o.Data, text))
			continue
		}
		fmt.Fprintln(sum, "none")
	}
	return fmt.Sprintf("%d\t%x", size, sum.Sum(nil)[:6])
}
