// Package scripts proves what our AmberScript files of testdata say, on the interpreter and on every
// core, and that each of their expectations fails when it is changed.
package scripts

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// everywhere is the interpreter and each target's default GPU.
func everywhere() []nirc.Options {
	list := []nirc.Options{{Target: nirc.IRTarget}}
	for _, b := range nirc.Targets() {
		list = append(list, nirc.Options{Target: b.Name})
	}
	return list
}

// without leaves a target out, whose hardware cannot what a script asks for.
func without(target string, list []nirc.Options) (rest []nirc.Options) {
	for _, o := range list {
		if o.Target != target {
			rest = append(rest, o)
		}
	}
	return rest
}

// a script, the targets that run it, how many expectations are checked at least, and what in it
// is right and wrong, if one is tried that must fail.
type script struct {
	name, about  string
	targets      []nirc.Options
	checked      int
	right, wrong string
}

// TestScripts runs the scripts of testdata at both levels. Midgard's subgroups have one lane, so it has no part in
// those on lanes of a subgroup.
func TestScripts(t *testing.T) {
	ir, left := nirc.Options{Target: nirc.IRTarget}, ownScripts(t)
	chips := []nirc.Options{ir, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}}
	for _, x := range []script{
		{name: "interpolate.amber", targets: everywhere(), checked: 1},
		{name: "mixed_interpolation.amber", about: "a location whose components are interpolated in different ways", targets: chips, checked: 1, right: "length(vec3(a,c,d)-e)", wrong: "length(vec3(c,c,d)-e)"},
		{name: "mixed_corners.amber", about: "the same with one that is read at the vertices, where hardware can", targets: []nirc.Options{ir, {Target: "agx"}}, checked: 1, right: "-765.0", wrong: "-764.0"},
		{name: "mixed_flat.amber", about: "the same with perspective alone", targets: chips, checked: 1, right: "abs(float(b+5))", wrong: "abs(float(b+4))"},
		{name: "block_arrays.amber", targets: everywhere(), checked: 1},
		{name: "opaque.amber", targets: everywhere(), checked: 1},
		{name: "shared_set.amber", targets: everywhere(), checked: 4},
		{name: "high_bindings.amber", about: "each has a place of its own without a layout", targets: everywhere(), checked: 2},
		{name: "partition.amber", targets: without("midgard", everywhere()), checked: 7},
		{name: "amd.amber", about: "AMD's extended sets", targets: everywhere(), checked: 2},
		{name: "group_ops.amber", about: "AMD's exchange between lanes, OpGroup… of subgroups, votes of quads, composites of equal parts",
			targets: without("midgard", chips), checked: 12},
		{name: "doubles.amber", about: "64-bit floats are native on the interpreter, lower_doubles makes integers of them on the cores: the last bit of 0.1 + 0.2 counts",
			targets: everywhere(), checked: 73, right: "0x3fd3333333333334", wrong: "0x3fd3333333333333"},
		{name: "float_atomics.amber", about: "lower_atomics writes them as loops: sums are whole although many lanes add at once, and helpers neither add nor keep their waves from ending",
			targets: everywhere(), checked: 4, right: "EQ 35 25", wrong: "EQ 35 26"},
		{name: "wide_atomics.amber", about: "of 64 bits, where they are: on the interpreter and on the GPUs that have unsigned ones",
			targets: []nirc.Options{ir, {Target: "ir3", GPU: "a740"}, {Target: "ir3", GPU: "a750"}, {Target: "midgard"}}, checked: 1, right: "EQ 1968813", wrong: "EQ 1968814"},
		{name: "freeze.amber", about: "values that nobody has given", targets: everywhere(), checked: 1},
		{name: "long_vector.amber", about: "vectors of more than four components", targets: everywhere(), checked: 7, right: "EQ 15 5 1", wrong: "EQ 15 6 1"},
		{name: "tile_image.amber", about: "what the attachments hold", targets: []nirc.Options{ir, {Target: "ir3"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "agx", ABI: nirc.SeparateABI}, {Target: "midgard"}}, checked: 3, right: "153 153 255 204", wrong: "153 153 250 204"},
		{name: "interlock.amber", about: "fragments of a pixel one after the other", targets: []nirc.Options{ir, {Target: "agx"}}, checked: 2, right: "EQ 13 13", wrong: "EQ 13 12"},
		{name: "density.amber", about: "the size of fragments", targets: chips[:3], checked: 1},
		{name: "sample_interface.amber", about: "a shader that declares what samples differ in and uses none of it", targets: chips, checked: 2, right: "EQ 64 64", wrong: "EQ 16 64"},
		{name: "covered.amber", about: "pixels that a primitive covers as a whole", targets: chips[:4], checked: 2, right: "EQ_RGBA 0 255", wrong: "EQ_RGBA 1 255"},
		{name: "wide_images.amber", about: "texels of 64 bits", targets: []nirc.Options{ir, {Target: "ir3", GPU: "a740"}, {Target: "ir3", GPU: "a750"}}, checked: 4},
		{name: "half_fetch.amber", about: "textures of halves", targets: chips, checked: 1},
		{name: "bfloat16.amber", targets: chips, checked: 2, right: "0x4049 ", wrong: "0x404a "},
		{name: "float8.amber", about: "floats of 8 bits", targets: chips, checked: 7, right: "IDX 0 EQ 4294967291 ", wrong: "IDX 0 EQ 4294967292 "},
		{name: "integer_functions.amber", about: "sums, averages and differences of integers of all sizes, at their edges", targets: chips, checked: 8, right: "EQ 8 8 0 0", wrong: "EQ 8 7 0 0"},
		{name: "packed_dot.amber", about: "dot products of packed bytes, which chips have none, some or all of",
			targets: append([]nirc.Options{{Target: "ir3", GPU: "a650"}, {Target: "ir3", GPU: "a750"}}, chips...), checked: 4, right: "EQ 764 65788", wrong: "EQ 764 65787"},
		{name: "mixed_dot.amber", about: "dot products of halves and bfloat16, and barriers in two parts", targets: chips, checked: 1, right: "771.75 772", wrong: "771.75 771"},
		{name: "narrow_io.amber", about: "inputs and outputs of 8 and 16 bits", targets: chips, checked: 1},
		{name: "wide_subgroups.amber", about: "subgroup operations of 64 bits", targets: without("midgard", chips), checked: 1},
		{name: "unsized.amber", about: "arrays of descriptors that declare no size, of all kinds",
			targets: append([]nirc.Options{{Target: "midgard", GPU: "t720"}}, chips...), checked: 18},
		{name: "add.amber", targets: everywhere(), checked: 1},
		{name: "compute_derivatives.amber", about: "derivatives between invocations of a square or of a row", targets: without("midgard", chips), checked: 9},
		{name: "compute_lod.amber", about: "implicit levels of detail in compute shaders", targets: without("midgard", chips), checked: 2, right: "1 2 3 2 2 3 2 2", wrong: "1 1 3 2 2 3 2 2"},
		{name: "constant_arrays.amber", targets: chips, checked: 10},
		{name: "first_of_one.amber", about: "lanes that do not exist", targets: chips, checked: 2},
		{name: "fma.amber", about: "sums of products rounded once", targets: chips, checked: 4},
		{name: "image_leavers.amber", about: "texels that only invocations write that have left", targets: chips, checked: 1},
		{name: "linked_distances.amber", about: "clip and cull distances that a geometry shader reads", targets: chips, checked: 2},
		{name: "messages.amber", about: "flags in coherent memory that say what other memory has", targets: chips, checked: 2},
		{name: "shared_messages.amber", about: "flags in workgroup memory, and what a subgroup takes of one that others change", targets: chips, checked: 1},
		{name: "initialised_shared.amber", about: "initialisers of workgroup memory", targets: chips, checked: 2},
		{name: "uniform_samples.amber", about: "textures sampled at one place by all", targets: chips, checked: 1, right: "EQ_RGBA 255 255 0", wrong: "EQ_RGBA 255 254 0"},
		{name: "robust_signed.amber", about: "indices out of bounds", targets: chips, checked: 4},
		{name: "untyped.amber", about: "untyped pointers and raw access chains", targets: chips, checked: 1},
		{name: "whole_atomics.amber", about: "results of atomics that lanes do together", targets: chips, checked: 7, right: "EQ 88 132", wrong: "EQ 88 131"},
		{name: "wide_shared_atomics.amber", about: "atomics of doubles in workgroup memory", targets: []nirc.Options{ir, {Target: "midgard"}}, checked: 1},
		{name: "matrix_elements.amber", about: "cooperative matrices by pointers to narrow vectors", targets: chips, checked: 1},
		{name: "narrow_uniforms.amber", about: "bytes and halves of uniform blocks and push constants, to the last byte of a buffer", targets: chips, checked: 4, right: "220 21 220", wrong: "220 22 220"},
		{name: "mixed_sizes.amber", about: "locations of components of 16 and 32 bits, floats and integers", targets: chips, checked: 1, right: "uint(f) == 60000u", wrong: "uint(f) == 60001u"},
		{name: "narrow_numbers.amber", about: "unsigned halves of words as floats", targets: chips, checked: 1, right: "EQ 60000 40000", wrong: "EQ 60001 40000"},
		{name: "wrapped_indices.amber", about: "indices whose computation overflows", targets: chips, checked: 1, right: "EQ 50 160", wrong: "EQ 50 161"},
		{name: "wrapping_offsets.amber", about: "offsets of bytes that overflow, of words", targets: append([]nirc.Options{{Target: "ir3", GPU: "a660"}}, chips...), checked: 1, right: "EQ 0x21 0x43", wrong: "EQ 0x21 0x44"},
		{name: "wrapped_bytes.amber", about: "the same of bytes, of uniform buffers and workgroup memory", targets: append([]nirc.Options{{Target: "ir3", GPU: "a660"}}, chips...), checked: 1, right: "65 77 6005", wrong: "65 77 6006"},
		{name: "last_bytes.amber", about: "bytes of a storage buffer, of whose last word it has a part", targets: append([]nirc.Options{{Target: "ir3", GPU: "a660"}}, chips...), checked: 1, right: "7 8 9", wrong: "7 8 0"},
		{name: "kernel.amber", about: "kernels of OpenCL C", targets: chips, checked: 9, right: "32767 32765 0", wrong: "1 32765 0"},
		{name: "matrices.amber", about: "cooperative matrices", targets: []nirc.Options{ir, chips[2]}, checked: 16},
	} {
		t.Run(x.name, func(t *testing.T) { x.run(t) })
		delete(left, x.name)
	}
	for name := range left {
		t.Errorf("no test of this room runs %s on the targets", name)
	}
}

// ownScripts are the scripts of testdata except for those that have tests of their own: of images, and of
// tessellation, geometry and barycentrics (TestStageScripts, internal/prove/grids).
func ownScripts(t *testing.T) map[string]bool {
	paths, err := filepath.Glob(prove.Data("*.amber"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d scripts, %v", len(paths), err)
	}
	names := map[string]bool{}
	for _, p := range paths {
		names[filepath.Base(p)] = true
	}
	for _, other := range []string{"images.amber", "images_draw.amber", "tess.amber", "geometry.amber", "geometry_types.amber", "barycentric.amber", "barycentric_strips.amber"} {
		if !names[other] {
			t.Errorf("there is no %s", other)
		}
		delete(names, other)
	}
	return names
}

// run runs the script, and its wrong form.
func (x *script) run(t *testing.T) {
	path := prove.Data(x.name)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(src, []byte("GLSL")) {
		refs.Tool(t, "glslangValidator")
	}
	if bytes.Contains(src, []byte("OPENCL-C")) {
		refs.Tool(t, "llvm-spirv-15") // with clang, of one version
	}
	for _, o := range x.targets {
		for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
			if got := runScript(t, o, path, src); got.Verdict != amber.Pass || got.Checked < x.checked {
				t.Errorf("%s %s at O%v: %+v", o.Target, o.GPU, o.Level, got)
			}
			if x.wrong == "" {
				continue
			}
			wrong := bytes.Replace(src, []byte(x.right), []byte(x.wrong), 1)
			if got := runScript(t, o, path, wrong); got.Verdict != amber.Fail || got.Cause != amber.CauseExpectation {
				t.Errorf("%s %s at O%v takes %q for right: %+v", o.Target, o.GPU, o.Level, x.wrong, got)
			}
		}
	}
}

// modules are those of all scripts: glslangValidator runs once for each shader.
var modules amber.ModuleCache

// runScript runs the text of a script.
func runScript(t *testing.T, o nirc.Options, path string, src []byte) amber.Result {
	t.Helper()
	return runLinked(t, o, path, src, false)
}

// TestLinkedScripts runs a few scripts of graphics pipelines with their stages linked; nirc amber --link runs any.
func TestLinkedScripts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, name := range []string{"interpolate.amber", "block_arrays.amber", "narrow_io.amber", "linked_distances.amber"} {
		path := prove.Data(name)
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range everywhere() {
			o.Level = passes.O2
			if got := runLinked(t, o, path, src, true); got.Verdict != amber.Pass || got.Checked == 0 {
				t.Errorf("%s on %s: %+v", name, o.Target, got)
			}
		}
	}
}

func runLinked(t *testing.T, o nirc.Options, path string, src []byte, link bool) amber.Result {
	t.Helper()
	target, err := exec.AmberTarget(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := amber.Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	return (&amber.Runner{Strict: true, Target: target, Modules: &modules, Link: link, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
}
