package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
)

func newDir(t testing.TB) *Dir {
	d, err := Open(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fill(t *testing.T, d *Dir, n int) map[Digest][]byte {
	want := map[Digest][]byte{}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		data := bytes.Repeat(fmt.Appendf(nil, "entry %d ", i), rnd.IntN(40))
		if i%3 == 0 { // what does not compress
			for range 100 {
				data = append(data, byte(rnd.Uint32()))
			}
		}
		key := Digest(sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
		if err := d.Put(key, data); err != nil {
			t.Fatal(err)
		}
		want[key] = data
	}
	return want
}

func same(t *testing.T, d *Dir, want map[Digest][]byte) {
	t.Helper()
	for key, data := range want {
		if got, err := d.Get(key); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%s: %q, %v; want %q", key, got, err, data)
		}
	}
	if list, err := d.List(); err != nil || len(list) != len(want) {
		t.Fatalf("%d entries, %v; want %d", len(list), err, len(want))
	}
}

func TestDir(t *testing.T) {
	d := newDir(t)
	want := fill(t, d, 60)
	same(t, d, want)
	if _, err := d.Get(Digest{1}); !errors.Is(err, ErrAbsent) {
		t.Errorf("a digest that is not there: %v", err)
	}
	for key := range want {
		if has, err := d.Has(key); err != nil || !has {
			t.Errorf("Has: %v, %v", has, err)
		}
		if err := d.Remove(key); err != nil {
			t.Error(err)
		}
		if has, _ := d.Has(key); has {
			t.Error("it is there after Remove")
		}
		break
	}
	left, err := os.ReadDir(filepath.Join(d.root, "tmp"))
	if err != nil || len(left) != 0 {
		t.Errorf("%d files left in tmp, %v", len(left), err)
	}
}

// Each flipped bit of an entry, and each cut, is found.
func TestBroken(t *testing.T) {
	d := newDir(t)
	key := Digest{7}
	if err := d.Put(key, []byte(strings.Repeat("an entry that compresses ", 10))); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(d.Path(key))
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(d.Path(key), data, 0o666); err != nil {
			t.Fatal(err)
		}
		var broken *BrokenError
		if _, err := d.Get(key); !errors.As(err, &broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for bit := range 8 * len(whole) {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		try(fmt.Sprintf("bit %d", bit), b)
	}
	for n := range whole {
		try(fmt.Sprintf("cut to %d", n), whole[:n])
	}
	try("another entry's name", seal(Digest{8}, []byte("x")))
	if err := d.putFrame(key, whole); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(key); err != nil {
		t.Errorf("the whole entry again: %v", err)
	}
}

// Writers and readers of one directory at once.
func TestConcurrent(t *testing.T) {
	d := newDir(t)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			other := &Dir{root: d.root, now: time.Now}
			for i := range 100 {
				key := Digest(sha256.Sum256([]byte{byte(i)}))
				if err := other.Put(key, bytes.Repeat([]byte{byte(i)}, 300)); err != nil {
					t.Error(w, err)
				}
				if got, err := other.Get(Digest(sha256.Sum256([]byte{byte(i / 2)}))); err != nil || len(got) != 300 || got[0] != byte(i/2) {
					t.Error(w, len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if list, _ := d.List(); len(list) != 100 {
		t.Errorf("%d entries", len(list))
	}
}

func TestGC(t *testing.T) {
	d := newDir(t)
	want := fill(t, d, 30)
	list, _ := d.List()
	var sizes int64
	for i, e := range list {
		used := time.Now().Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(d.Path(e.Key), used, used); err != nil {
			t.Fatal(err)
		}
		sizes += e.Size
	}
	if _, err := d.Get(list[0].Key); err != nil { // the oldest is used again
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * staleAfter)
	foreign := filepath.Join(d.root, "tmp", "somebody's")
	for _, left := range []string{filepath.Join(d.root, "tmp", tmpPrefix+"left"), foreign} {
		if err := os.WriteFile(left, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(left, old, old)
	}
	c, err := d.GC(context.Background(), sizes/2)
	if err != nil || c.Bytes != sizes || sizes-c.Freed > sizes/2 || c.Removed == 0 || c.Removed == len(list) || c.Stale != 1 {
		t.Fatalf("%+v, %v of %d bytes", c, err, sizes)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file that is not the store's: %v", err)
	}
	if has, _ := d.Has(list[0].Key); !has {
		t.Error("what was used last is gone")
	}
	if has, _ := d.Has(list[1].Key); has {
		t.Error("what was not used for longest is there")
	}
	for key := range want {
		if has, _ := d.Has(key); !has {
			delete(want, key)
		}
	}
	same(t, d, want)
}

// keyIsOld reports whether a key is among the first ten of fill.
func keyIsOld(key Digest) bool {
	for i := range 10 {
		if key == Digest(sha256.Sum256([]byte{byte(i), 0})) {
			return true
		}
	}
	return false
}

func damage(t *testing.T, d *Dir, key Digest) {
	data, err := os.ReadFile(d.Path(key))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(d.Path(key), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestShard(t *testing.T) {
	for _, s := range []string{"", "1", "0/2", "3/2", "a/b", "1/0"} {
		if _, err := ParseShard(s); err == nil {
			t.Errorf("%q is no error", s)
		}
	}
	counts := make([]int, 3)
	for i := range 3000 {
		key := Digest(sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
		n := 0
		for k := range counts {
			if (Shard{k + 1, 3}).Has(key) {
				counts[k]++
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%s is in %d shards", key, n)
		}
	}
	for _, n := range counts {
		if n < 900 {
			t.Errorf("shards of %v", counts)
		}
	}
}

//go:embed testdata/asm/module.spvasm
var module string

// load assembles the module; extra and line are what its debug information is.
func load(t testing.TB, extra, line string) *nirc.Module { return assemble(t, extra, line, false) }

// assemble is load; dense has no gaps where the ids of debug information would be.
func assemble(t testing.TB, extra, line string, dense bool) *nirc.Module {
	t.Helper()
	text := strings.NewReplacer("EXTRA", extra, "LINE", line).Replace(module)
	if extra == "" {
		text = strings.Replace(text, "%dbg = OpExtInstImport \"NonSemantic.Whatever\"\n", "", 1)
	}
	// Numbered as tools do that write debug information, and as those that strip it leave them.
	ids := []string{"%str", "%void", "%fn", "%int", "%zero", "%dbg", "%ptrB", "%ptri", "%main", "%entry", "%B", "%b", "%c", "%p"}
	if dense {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "%str" || id == "%dbg" })
	}
	for i, id := range ids {
		text = strings.ReplaceAll(text+" ", id+" ", fmt.Sprintf("%%%d ", i+1))
		text = strings.ReplaceAll(text, id+"\n", fmt.Sprintf("%%%d\n", i+1))
	}
	words, err := spv.Assemble(text, spv.AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !dense {
		words[3] = 40 // the bound
	}
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = append(data, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	m, err := nirc.Load(data, "m.spv")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Debug information makes no other module, names that reflection has do.
func TestCanonical(t *testing.T) {
	plain := Canonical(load(t, "", "").SPIRV)
	noisy := load(t, "%str = OpString \"a.comp\"\nOpSource GLSL 450\nOpName %main \"main\"\nOpName %p \"pointer\"", "OpLine %str 3 4")
	if !bytes.Equal(plain, Canonical(noisy.SPIRV)) {
		t.Error("debug information makes another canonical form")
	}
	if !bytes.Equal(plain, Canonical(assemble(t, "", "", true).SPIRV)) {
		t.Error("gaps between ids make another canonical form")
	}
	m, err := nirc.Load(plain, "canonical")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain, Canonical(m.SPIRV)) {
		t.Error("the canonical form is not its own canonical form")
	}
	var objs [2][]byte
	for i, m := range []*nirc.Module{noisy, m} {
		o, err := m.Compile(context.Background(), nirc.Options{Level: 2})
		if err != nil {
			t.Fatal(err)
		}
		if objs[i], err = o.Bytes(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(objs[0], objs[1]) || !bytes.Contains(objs[0], []byte("buffer")) {
		t.Error("the canonical form gives another object, or one without names")
	}
}

// Each part of a request makes another key.
func TestKey(t *testing.T) {
	b := &Builder{Code: "1"}
	m := NewModule(load(t, "", ""), false)
	o := nirc.Options{Target: "ir3", GPU: "a630", Entry: "main", Level: 2}
	base := b.Request(m, &o)
	seen := map[Digest]string{base.Key(): "base"}
	for name, change := range map[string]func(r *Request){
		"module": func(r *Request) { r.Module[0]++ }, "entry": func(r *Request) { r.Entry = "mai" }, "stage": func(r *Request) { r.Stage = "vertex" },
		"spec":  func(r *Request) { r.Spec = []spirv.SpecValue{{ID: 7, Bits: 1}} },
		"spec2": func(r *Request) { r.Spec = []spirv.SpecValue{{ID: 7, Bits: 2}} }, "target": func(r *Request) { r.Target = "agx" },
		"gpu": func(r *Request) { r.GPU = "a740" }, "level": func(r *Request) { r.Level = "O1" }, "debug": func(r *Request) { r.Debug = true },
		"abi": func(r *Request) { r.ABI = "separate" }, "pipeline": func(r *Request) { r.Pipeline[3]++ }, "code": func(r *Request) { r.Code = "2" },
	} {
		r := base
		change(&r)
		if other, there := seen[r.Key()]; there {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[r.Key()] = name
	}
	o.Spec = []spirv.SpecValue{{ID: 2, Bits: 1}, {ID: 1, Bits: 5}}
	p := o
	p.Spec = []spirv.SpecValue{{ID: 1, Bits: 4}, {ID: 1, Bits: 5}, {ID: 2, Bits: 1}}
	x, y := b.Request(m, &o), b.Request(m, &p)
	if x.Key() != y.Key() {
		t.Error("the order of specialization, or what another value replaces, makes another key")
	}
	o = nirc.Options{Entry: "main", Level: 2}
	if z := b.Request(m, &o); z.Key() != base.Key() {
		t.Error("default target and GPU have another key than their names")
	}
}

// What was compiled is there the next time; what is broken is made again.
func TestBuilder(t *testing.T) {
	ctx := context.Background()
	d := newDir(t)
	m := load(t, "", "")
	o := nirc.Options{File: "m.spv", Entry: "main", Stage: m.EntryPoints()[0].Stage, Level: 2}
	run := func(want Outcome) {
		t.Helper()
		b := &Builder{Store: d, Code: "1", Modules: true}
		mod := NewModule(m, false)
		if r, err := b.Shader(ctx, mod, o); r.Outcome != want || len(r.Refused) > 0 || err != nil {
			t.Fatalf("outcome %s, %v, %v; want %s", r.Outcome, r.Refused, err, want)
		}
		if r, err := b.Shader(ctx, mod, o); r.Outcome != Duplicate || err != nil {
			t.Fatalf("the same again: outcome %s, %v", r.Outcome, err)
		}
	}
	run(Compiled)
	run(Hit)
	list, _ := d.List()
	if len(list) != 2 {
		t.Fatalf("%d entries, want the shader and the module", len(list))
	}
	b := &Builder{Store: d, Code: "1"}
	req := b.Request(NewModule(m, false), &o)
	damage(t, d, req.Key())
	v := &Verifier{Dir: d, Sample: 1, Builder: b, Base: o}
	if c, err := v.Run(ctx); err != nil || len(c.Broken) != 1 || c.Broken[0].Key != req.Key() {
		t.Fatalf("verify: %+v, %v", c, err)
	}
	run(Repaired)
	c, err := v.Run(ctx)
	if err != nil || len(c.Broken) != 0 || c.Shaders != 1 || c.Modules != 1 || c.Recompiled != 1 {
		t.Fatalf("verify: %+v, %v", c, err)
	}
	obj, err := m.Compile(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := obj.Bytes()
	data, _ := d.Get(req.Key())
	if e, err := ParseEntry(data); err != nil || !bytes.Equal(e.Object, want) {
		t.Errorf("the cache's object is not that of a compile: %v", err)
	}
	// A recompile that gives other bytes is found.
	e := &Entry{Request: req, Object: want[:len(want)-1]}
	bad, _ := e.Bytes()
	d.Put(req.Key(), bad)
	if c, err := v.Run(ctx); err != nil || len(c.Broken) != 1 {
		t.Errorf("another object: %+v, %v", c, err)
	}
	if f, err := d.Stats(context.Background(), nil); err != nil || f.Shaders != 1 || f.Modules != 1 || len(f.Targets) != 1 {
		t.Errorf("stats: %+v, %v", f, err)
	}
}

// A store that cannot write loses nothing and leaves nothing behind. The disk
// is a small tmpfs, which root may mount; others skip.
func TestFullDisk(t *testing.T) {
	root := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "nirc-test", root).CombinedOutput(); err != nil {
		t.Skipf("no tmpfs may be mounted: %s", out)
	}
	defer exec.Command("umount", root).Run()
	d, err := Open(filepath.Join(root, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	want := map[Digest][]byte{}
	var full error
	for i := range 100 {
		data := make([]byte, 3000)
		for k := range data {
			data[k] = byte(rnd.Uint32())
		}
		key := Digest(sha256.Sum256([]byte{byte(i)}))
		if full = d.Put(key, data); full != nil {
			break
		}
		want[key] = data
	}
	if full == nil || !strings.Contains(full.Error(), "no space") {
		t.Fatalf("the disk is not full: %v", full)
	}
	same(t, d, want)
	if left, _ := os.ReadDir(filepath.Join(root, "cache", "tmp")); len(left) != 0 {
		t.Errorf("%d files left behind", len(left))
	}
}

// BenchmarkHit is what a shader costs that is there: reading and hashing the
// module, and checking the entry.
func BenchmarkHit(b *testing.B) {
	d := newDir(b)
	m := load(b, "", "")
	data := m.Bytes()
	o := nirc.Options{Entry: "main", Stage: m.EntryPoints()[0].Stage, Level: 2}
	for b.Loop() {
		m, err := nirc.Load(data, "m")
		if err != nil {
			b.Fatal(err)
		}
		builder := &Builder{Store: d, Code: "1"}
		if _, err := builder.Shader(context.Background(), NewModule(m, false), o); err != nil {
			b.Fatal(err)
		}
	}
}
