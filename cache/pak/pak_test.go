package pak_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/cache/pak"
	"nirc/internal/mangle"
	"nirc/internal/refs"
)

// shaders compiles modules for some GPUs.
func shaders(t testing.TB) []pak.Shader {
	var list []pak.Shader
	for _, name := range []string{"blur.comp.spv", "lit.vert.spv", "lit.frag.spv"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		m, err := nirc.Load(data, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, gpu := range []string{"a630", "a740"} {
			e := m.EntryPoints()[0]
			o, err := m.Compile(t.Context(), nirc.Options{Target: "ir3", GPU: gpu, Level: 2, Entry: e.Name})
			if err != nil {
				t.Fatal(err)
			}
			obj, err := o.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, pak.Shader{Name: name + ":" + e.Name, Target: "ir3", GPU: gpu, Stage: e.Stage.String(), Object: obj, Code: o.Code, Key: [32]byte{byte(len(list))}})
		}
	}
	return list
}

// What is packed is found, byte for byte, in whatever order it was packed; what is not there is not.
func TestPak(t *testing.T) {
	list := shaders(t)
	data, err := pak.Bytes(list)
	if err != nil {
		t.Fatal(err)
	}
	mixed := append([]pak.Shader(nil), list...)
	rand.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	given := slices.Clone(mixed)
	if again, err := pak.Bytes(mixed); err != nil || !bytes.Equal(data, again) {
		t.Errorf("another order gives another archive, %v", err)
	}
	for i := range mixed {
		if mixed[i].Key != given[i].Key {
			t.Error("the caller's list is put in another order")
		}
	}
	a, err := pak.Read(data)
	if err == nil {
		err = a.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.Len() != len(list) {
		t.Errorf("%d shaders, want %d", a.Len(), len(list))
	}
	for _, want := range list {
		got, ok := a.Find(want.Name, want.Target, want.GPU)
		if !ok || !bytes.Equal(got.Object, want.Object) || !bytes.Equal(got.Code, want.Code) || got.Key != want.Key || got.Stage != want.Stage || len(got.Code) == 0 {
			t.Errorf("%s %s: found %v", want.Name, want.GPU, ok)
		}
	}
	for _, name := range []string{"", "a", "zzz", "lit.frag.spv:mai", "lit.frag.spv:main1"} {
		if s, ok := a.Find(name, "ir3", "a630"); ok {
			t.Errorf("%q finds %s", name, s.Name)
		}
	}
	// Equal objects are there once.
	twice := append(list, list[0])
	twice[len(list)].Name = "another"
	if more, err := pak.Bytes(twice); err != nil || len(more) > len(data)+200 {
		t.Errorf("an object again takes %d bytes, %v", len(more)-len(data), err)
	}
	if _, err := pak.Bytes(append(list, list[0])); err == nil || !strings.Contains(err.Error(), "two shaders are called") {
		t.Errorf("two of one name: %v", err)
	}
	if empty, err := pak.Bytes(nil); err != nil {
		t.Error(err)
	} else if a, err := pak.Read(empty); err != nil || a.Len() != 0 {
		t.Errorf("no shader: %v", err)
	}
}

// Every cut is refused, and of every flipped bit the checksum tells; what Read takes no access leaves.
func TestBroken(t *testing.T) {
	data, err := pak.Bytes(shaders(t)[:2])
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := pak.Read(data[:n]); !errors.Is(err, pak.ErrFormat) {
			t.Fatalf("cut to %d: %v", n, err)
		}
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		walk(t, bad)
		if a, err := pak.Read(bad); err == nil && a.Check() == nil {
			t.Fatalf("byte %d flipped: nothing is wrong", i)
		}
	}
	path := filepath.Join(t.TempDir(), "x.pak")
	if err := os.WriteFile(path, data[:100], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pak.Open(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "nirc cache pack") {
		t.Errorf("a file that is cut off: %v", err)
	}
}

// TestRecordsBeyondTheEnd: a header that says more records than the bytes after it can be is refused for that, whatever they are; and no fewer.
func TestRecordsBeyondTheEnd(t *testing.T) {
	data, err := pak.Bytes(shaders(t)[:2])
	if err != nil {
		t.Fatal(err)
	}
	for size := 80; size < 80+5*88; size++ {
		for n := range uint32(8) {
			bad := bytes.Clone(data[:size])
			binary.LittleEndian.PutUint32(bad[8:], n)
			binary.LittleEndian.PutUint64(bad[16:], uint64(size))
			_, err := pak.Read(bad)
			said := err != nil && strings.Contains(err.Error(), "records do not fit")
			if fits := int(n)*88 <= size-80; said == fits || n > 0 && err == nil && size < 80+2*88 {
				t.Fatalf("%d records in %d bytes: %v", n, size, err)
			}
		}
	}
}

// walk looks at all of an archive that Read takes.
func walk(t *testing.T, data []byte) {
	a, err := pak.Read(data)
	if err != nil {
		return
	}
	for i := range a.Len() {
		s := a.At(i)
		if got, ok := a.Find(s.Name, s.Target, s.GPU); !ok || got.Name != s.Name {
			t.Errorf("%q is at %d and not found", s.Name, i)
		}
		bytes.Count(s.Object, s.Code)
	}
}

func TestMangledPaks(t *testing.T) {
	data, err := pak.Bytes(shaders(t))
	if err != nil {
		t.Fatal(err)
	}
	run := mangle.NewRun(t, 500, 3)
	for seed, r := range run.Inputs() {
		bad := mangle.Bytes(r, data)
		if seed%2 == 0 { // of its own size, so that the records are looked at
			bad = append(bytes.Clone(data[:80]), mangle.Bytes(r, data[80:])...)
			bad = append(bad, make([]byte, max(0, len(data)-len(bad)))...)[:len(data)]
		}
		walk(t, bad)
	}
}

// The example in C finds the same code.
func TestExampleInC(t *testing.T) {
	cc := refs.Tool(t, "cc")
	list := shaders(t)
	data, err := pak.Bytes(list)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, file := filepath.Join(dir, "readpak"), filepath.Join(dir, "shaders.pak")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L", "-o", program, filepath.Join("..", "..", "docs", "examples", "readpak.c")}
	if exec.Command(cc, append(args, "-fsanitize=address,undefined")...).Run() != nil { // not every compiler has the libraries for it
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	out, err := exec.Command(program, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if want := fmt.Sprintf("%s ir3 %s %s %d\n", s.Name, s.GPU, s.Stage, len(s.Code)); !strings.Contains(string(out), want) {
			t.Errorf("the list has no %q:\n%s", want, out)
		}
		if code, err := exec.Command(program, file, s.Name, s.Target, s.GPU).Output(); err != nil || !bytes.Equal(code, s.Code) {
			t.Errorf("%s %s: %d bytes, %v", s.Name, s.GPU, len(code), err)
		}
	}
	for _, args := range [][]string{{file, "none", "ir3", "a630"}, {program}} {
		if err := exec.Command(program, args...).Run(); err == nil {
			t.Errorf("%q succeeds", args)
		}
	}
	if err := os.WriteFile(file, data[:len(data)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, file).CombinedOutput(); err == nil || !strings.Contains(string(out), "no archive") {
		t.Errorf("a file that is cut off: %v, %s", err, out)
	}
}

// TestUnpackable: names with a zero, and objects without code or with code beyond their end, are refused with what is wrong.
func TestUnpackable(t *testing.T) {
	good := shaders(t)[0]
	f, err := elf.NewFile(bytes.NewReader(good.Object))
	if err != nil {
		t.Fatal(err)
	}
	text := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return s.Name == ".text" })
	header := int(binary.LittleEndian.Uint64(good.Object[0x28:])) + 64*text // its name, offset and size are at 0, 24 and 32
	patched := func(at int, v uint64, n int) func(s *pak.Shader) {
		return func(s *pak.Shader) {
			for i := range n {
				s.Object[header+at+i] = byte(v >> (8 * i))
			}
		}
	}
	offset, length := f.Sections[text].Offset, uint64(len(good.Object))
	for _, c := range []struct {
		name  string
		spoil func(s *pak.Shader)
		want  string
	}{
		{"as it is", func(*pak.Shader) {}, ""},
		{"a zero in a name", func(s *pak.Shader) { s.Name = "a\x00b" }, "has a zero in it"},
		{"a zero before a name", func(s *pak.Shader) { s.Name = "\x00a" }, "has a zero in it"},
		{"a zero after a stage", func(s *pak.Shader) { s.Stage += "\x00" }, "has a zero in it"},
		{"other low characters", func(s *pak.Shader) { s.Name = "\x01\x02" }, ""},
		{"no object", func(s *pak.Shader) { s.Object = bytes.Repeat([]byte("no object"), 99) }, "bad magic"},
		{"no section", patched(0, 0, 4), "the object has no code"},
		{"an offset beyond the end", patched(24, length+1, 8), "the object has no code"},
		{"a size beyond the end", patched(32, length-offset+1, 8), "the object has no code"},
		{"all up to the end", patched(32, length-offset, 8), ""},
		{"none at the end", func(s *pak.Shader) { patched(24, length, 8)(s); patched(32, 0, 8)(s) }, ""},
	} {
		s := good
		s.Object = bytes.Clone(good.Object)
		c.spoil(&s)
		_, err := pak.Bytes([]pak.Shader{s})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
