package glsl

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc/internal/refs"
)

// memory is a store in memory.
type memory struct {
	made, modules map[[32]byte][]byte
}

func newMemory() *memory { return &memory{map[[32]byte][]byte{}, map[[32]byte][]byte{}} }

func (m *memory) Get(key [32]byte) []byte       { return m.made[key] }
func (m *memory) Put(key [32]byte, data []byte) { m.made[key] = data }
func (m *memory) GetModule(d [32]byte) []byte   { return m.modules[d] }
func (m *memory) PutModule(b []byte) [32]byte {
	d := sha256.Sum256(b)
	m.modules[d] = b
	return d
}

// place is a folder of shaders that are compiled through a store.
type place struct {
	t     *testing.T
	dir   string
	store *memory
}

func newPlace(t *testing.T) *place {
	refs.Tool(t, "glslangValidator")
	p := &place{t, t.TempDir(), newMemory()}
	p.write("a.frag", "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"h.glsl\"\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(VALUE, K, 0, 0); }\n")
	p.write("inc2/h.glsl", "#define VALUE 2\n#include \"deep.glsl\"\n")
	p.write("inc2/deep.glsl", "// nothing\n")
	for _, d := range []string{"inc1", "other"} {
		if err := os.MkdirAll(filepath.Join(p.dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// write writes a file that is some seconds old: what is written during a compile is not kept.
func (p *place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	old := time.Now().Add(-5 * time.Second)
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o666)
	}
	if err == nil {
		err = os.Chtimes(path, old, old)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) options() Options {
	return Options{Store: p.store, Macros: []string{"-DK=1"}, Include: []string{filepath.Join(p.dir, "inc1"), filepath.Join(p.dir, "inc2")}}
}

// kept compiles and says whether it was kept.
func (p *place) kept(o Options) bool {
	p.t.Helper()
	return p.result(o).Kept
}

func (p *place) result(o Options) *Result {
	p.t.Helper()
	r, err := Compile(p.t.Context(), filepath.Join(p.dir, "a.frag"), "frag", o)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// compile is kept, and what comes is what a compile without a store gives.
func (p *place) compile(o Options) bool {
	p.t.Helper()
	path := filepath.Join(p.dir, "a.frag")
	r := p.result(o)
	plain := o
	plain.Store = nil
	want, err := Compile(p.t.Context(), path, "frag", plain)
	if err != nil {
		p.t.Fatal(err)
	}
	if !bytes.Equal(r.SPIRV, want.SPIRV) || !slices.Equal(r.Deps, want.Deps) {
		p.t.Errorf("the module or the files are not those of a compile: %v, want %v", r.Deps, want.Deps)
	}
	return r.Kept
}

// Each way in which a module may come out another is compiled, and only these.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		name   string
		kept   bool
		change func(p *place, o *Options)
	}{
		{"nothing changed", true, func(*place, *Options) {}},
		{"the files are asked for", true, func(_ *place, o *Options) { o.Deps = true }},
		{"a file beside it", true, func(p *place, _ *Options) { p.write("inc1/unused.glsl", "x") }},
		{"a header of the same text, written again", true, func(p *place, _ *Options) { p.write("inc2/h.glsl", "#define VALUE 2\n#include \"deep.glsl\"\n") }},
		{"the source", false, func(p *place, _ *Options) {
			p.write("a.frag", "#version 450\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(K); }\n")
		}},
		{"a header", false, func(p *place, _ *Options) { p.write("inc2/h.glsl", "#define VALUE 3\n") }},
		{"a header of a header", false, func(p *place, _ *Options) { p.write("inc2/deep.glsl", "#undef K\n#define K 9\n") }},
		{"a header earlier in the path", false, func(p *place, _ *Options) { p.write("inc1/h.glsl", "#define VALUE 4\n") }},
		{"a header beside the source", false, func(p *place, _ *Options) { p.write("h.glsl", "#define VALUE 5\n") }},
		{"a header of a header, earlier", false, func(p *place, _ *Options) { p.write("inc1/deep.glsl", "#undef K\n#define K 8\n") }},
		{"a header is gone, another stands in", false, func(p *place, _ *Options) {
			p.write("other/h.glsl", "#define VALUE 6\n")
			os.Remove(filepath.Join(p.dir, "inc2", "h.glsl"))
			os.Rename(filepath.Join(p.dir, "other", "h.glsl"), filepath.Join(p.dir, "inc1", "h.glsl"))
		}},
		{"a define", false, func(_ *place, o *Options) { o.Macros = []string{"-DK=2"} }},
		{"a define more", false, func(_ *place, o *Options) { o.Macros = append(o.Macros, "-DL") }},
		{"the order of defines", false, func(_ *place, o *Options) { o.Macros = []string{"-UK", "-DK=1"} }},
		{"an undefine", false, func(_ *place, o *Options) { o.Macros = append(o.Macros, "-UN") }},
		{"the include path", false, func(p *place, o *Options) { o.Include = append(o.Include, filepath.Join(p.dir, "other")) }},
		{"the order of the include path", false, func(_ *place, o *Options) { slices.Reverse(o.Include) }},
		{"a file before the text", false, func(p *place, o *Options) {
			p.write("pre.glsl", "#define P 1\n")
			o.PreInclude = []string{filepath.Join(p.dir, "pre.glsl")}
		}},
		{"the environment", false, func(_ *place, o *Options) { o.Env = "vulkan1.1" }},
		{"debug information", false, func(_ *place, o *Options) { o.Debug = true }},
		{"the front end", false, func(p *place, o *Options) { o.FrontEnd = p.wrapper("# another") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if p.kept(p.options()) {
				t.Fatal("an empty store has it")
			}
			o := p.options()
			c.change(p, &o)
			if kept := p.compile(o); kept != c.kept {
				t.Errorf("kept is %v", kept)
			}
			if !p.kept(o) {
				t.Error("the second time it is compiled again")
			}
			if back := p.options(); c.kept && !p.kept(back) {
				t.Error("what was there is lost")
			}
		})
	}
}

// wrapper writes a front end that calls the real one.
func (p *place) wrapper(comment string) string {
	path := filepath.Join(p.dir, "my-glslang")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+comment+"\nexec glslangValidator \"$@\"\n"), 0o777); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// A compiler that changes under the same name makes all again.
func TestToolChanges(t *testing.T) {
	p := newPlace(t)
	o := p.options()
	o.FrontEnd = p.wrapper("# one")
	if p.kept(o) || !p.kept(o) {
		t.Fatal("it is not kept as it should be")
	}
	p.wrapper("# two")
	identities.of = nil // as in another run
	if p.kept(o) {
		t.Error("another compiler, and nothing was compiled")
	}
}

// Headers that go to and fro are kept both.
func TestToAndFro(t *testing.T) {
	p := newPlace(t)
	for i := range 3 {
		for _, v := range []string{"2", "3"} {
			p.write("inc2/h.glsl", "#define VALUE "+v+"\n")
			if kept := p.kept(p.options()); kept != (i > 0) {
				t.Errorf("round %d, %s: kept is %v", i, v, kept)
			}
		}
	}
}

// What was written while the compiler ran is not kept, nor is what a damaged store says.
func TestNotKept(t *testing.T) {
	p := newPlace(t)
	future := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(p.dir, "inc2", "h.glsl"), future, future); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if p.kept(p.options()) {
			t.Error("a header that was written since is kept")
		}
	}
	p = newPlace(t)
	p.compile(p.options())
	for key := range p.store.made {
		for _, bad := range []string{"", "[", "[]", `[{"module":"zz"}]`, `[{"module":"` + strings.Repeat("00", 32) + `"}]`, `[{"files":[{"path":"/","sha256":""}],"module":""}]`} {
			p.store.made[key] = []byte(bad)
			if p.kept(p.options()) {
				t.Errorf("%s: kept", bad)
			}
		}
	}
	p.store.modules = map[[32]byte][]byte{}
	if p.compile(p.options()) {
		t.Error("a module that is lost is kept")
	}
}

// Files before the text: they are found as headers are, after #version, and messages keep their places.
func TestPreInclude(t *testing.T) {
	p := newPlace(t)
	p.write("inc1/pre.glsl", "#define VALUE 7\n")
	p.write("b.frag", "// a comment\n#version 450\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(VALUE); }\n")
	p.write("bad.frag", "// a comment\n#version 450\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(WRONG); }\n")
	o := p.options()
	o.Store, o.PreInclude, o.Deps = nil, []string{"pre.glsl"}, true
	r, err := Compile(t.Context(), filepath.Join(p.dir, "b.frag"), "frag", o)
	if err != nil || len(r.Deps) != 1 || filepath.Base(r.Deps[0]) != "pre.glsl" {
		t.Fatalf("%v, %v", r, err)
	}
	bad := filepath.Join(p.dir, "bad.frag")
	_, err = Compile(t.Context(), bad, "frag", o)
	refused, ok := err.(*Error)
	if !ok || refused.Messages[0].Line != 4 || !strings.Contains(refused.Messages[0].Text, "WRONG") {
		t.Errorf("%v", err)
	}
}

// What each compiler is called with.
func TestArgs(t *testing.T) {
	o := Options{Macros: []string{"-DA", "-DB=1", "-UC"}, Include: []string{"x"}, Debug: true, Deps: true, HLSL: true, Entry: "vs"}
	for _, c := range []struct {
		tool tool
		want string
	}{
		{tool{"glslangValidator", false}, "-V -S vert -o o --target-env vulkan1.3 -D -e vs -DA -DB=1 -UC -Ix -g --depfile o.d"},
		{tool{"glslc", true}, "-fshader-stage=vert -o o --target-env=vulkan1.3 -x hlsl -fentry-point=vs -DA -DB=1 -UC -Ix -g -MD -MF o.d"},
	} {
		if got := strings.Join(c.tool.args("vert", "o", &o), " "); got != c.want {
			t.Errorf("%s: %s", c.tool.path, got)
		}
	}
	for _, name := range []string{"no-such-front-end", "glslc-none"} {
		if _, err := find(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
