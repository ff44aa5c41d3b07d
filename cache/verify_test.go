package cache

import (
	"testing"

	"nirc"
)

// puts is a store that counts what is put into it.
type puts struct {
	Store
	n map[Digest]int
}

func (p *puts) Put(key Digest, data []byte) error {
	p.n[key]++
	return p.Store.Put(key, data)
}

// TestModulesOnce: a module that the store has is not put there again, by the same builder or another.
func TestModulesOnce(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, "", "")
	store := &puts{d, map[Digest]int{}}
	var key Digest
	for _, gpu := range []string{"a630", "a740", "a660"} {
		module := NewModule(m, false)
		key = moduleKey(module.digest)
		b := &Builder{Store: store, Code: "1", Modules: true}
		for _, level := range []int{0, 2} {
			o := nirc.Options{File: "m.spv", Target: "ir3", GPU: gpu, Entry: "main", Stage: m.EntryPoints()[0].Stage}
			if level > 0 {
				o.Level = 2
			}
			if r, err := b.Shader(t.Context(), module, o); err != nil || r.Outcome != Compiled {
				t.Fatal(r.Outcome, err)
			}
		}
	}
	if store.n[key] != 1 || len(store.n) != 7 {
		t.Errorf("the module is put %d times, %d entries", store.n[key], len(store.n))
	}
}

// TestVerifiedSample: one of so many shaders is compiled again, the first among them, whatever else the store has.
func TestVerifiedSample(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, "", "")
	b := &Builder{Store: d, Code: "1", Modules: true}
	base := nirc.Options{File: "m.spv", Entry: "main", Stage: m.EntryPoints()[0].Stage}
	for _, gpu := range []string{"a630", "a740", "a660", "a750", "a618"} {
		o := base
		o.Target, o.GPU = "ir3", gpu
		if _, err := b.Shader(t.Context(), NewModule(m, false), o); err != nil {
			t.Fatal(err)
		}
	}
	for sample, want := range map[int]int{0: 0, 1: 5, 2: 3, 3: 2, 4: 2, 5: 1, 6: 1, 1000: 1} {
		c, err := (&Verifier{Dir: d, Sample: sample, Builder: b, Base: base}).Run(t.Context())
		if err != nil || c.Recompiled != want || c.Skipped != 0 || len(c.Broken) != 0 || c.Shaders != 5 {
			t.Errorf("one of %d: %+v, %v; want %d", sample, c, err, want)
		}
		other := &Builder{Store: d, Code: "2", Modules: true}
		if c, err := (&Verifier{Dir: d, Sample: sample, Builder: other, Base: base}).Run(t.Context()); err != nil || c.Recompiled != 0 || c.Skipped != want {
			t.Errorf("one of %d, of another version: %+v, %v", sample, c, err)
		}
	}
}
