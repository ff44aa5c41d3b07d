package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/ir"
)

// litStages are a vertex and a fragment shader that fit.
func litStages(t *testing.T) []PipelineStage {
	t.Helper()
	var list []PipelineStage
	for _, name := range []string{"lit.vert.spv", "lit.frag.spv"} {
		m, err := nirc.LoadFile(t.Context(), "../testdata/"+name, nirc.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e := m.EntryPoints()[0]
		list = append(list, PipelineStage{Module: NewModule(m, false), Entry: e.Name, Stage: e.Stage})
	}
	return list
}

// TestLinked: the stages of a pipeline are entries of their own, that are there the next time in whatever order they are given; other neighbours,
// constants or none make other entries, and the verifier compiles them again with their neighbours.
func TestLinked(t *testing.T) {
	ctx := context.Background()
	d := newDir(t)
	b := &Builder{Store: d, Code: "1", Modules: true}
	o := nirc.Options{Target: "ir3", GPU: "a630", Level: 2}
	stages := litStages(t)
	results, warnings, err := b.Linked(ctx, stages, o)
	if err != nil || len(warnings) > 0 || len(results) != 2 || results[0].Outcome != Compiled || results[1].Outcome != Compiled {
		t.Fatalf("%+v, %v, %v", results, warnings, err)
	}
	want, err := nirc.CompilePipeline(ctx, []nirc.PipelineStage{{Module: stages[0].Module.Module, Entry: "main", Stage: stages[0].Stage}, {Module: stages[1].Module.Module, Entry: "main", Stage: stages[1].Stage}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range results {
		object, err := want.Objects[i].Bytes()
		if err != nil || !bytes.Equal(results[i].Entry.Object, object) {
			t.Errorf("stage %d is not what a compile gives: %v", i, err)
		}
	}
	if list, err := d.List(); err != nil || len(list) != 4 {
		t.Errorf("%d entries, %v; want two shaders and two modules", len(list), err)
	}
	turned := []PipelineStage{stages[1], stages[0]}
	again, _, err := b.Linked(ctx, turned, o)
	if err != nil || again[0].Outcome != Hit || again[1].Outcome != Hit || again[0].Key != results[1].Key || again[1].Key != results[0].Key || !bytes.Equal(again[0].Entry.Object, results[1].Entry.Object) {
		t.Errorf("the other order: %+v, %v", again, err)
	}
	v := &Verifier{Dir: d, Sample: 1, Builder: b, Base: o}
	if c, err := v.Run(ctx); err != nil || len(c.Broken) > 0 || c.Recompiled != 2 || c.Skipped != 0 {
		t.Errorf("verify: %+v, %v", c, err)
	}

	// One of the two is gone: both are made again, and only that one is stored.
	d.Remove(results[0].Key)
	again, _, err = b.Linked(ctx, stages, o)
	if err != nil || again[0].Outcome != Compiled || again[1].Outcome != Hit {
		t.Errorf("one is gone: %+v, %v", again, err)
	}
	// Of another object there is a mistake, of a module that is gone no question.
	wrong := &Entry{Request: results[0].Request, Object: results[1].Entry.Object}
	data, _ := wrong.Bytes()
	if err := d.Put(results[0].Key, data); err != nil {
		t.Fatal(err)
	}
	if c, err := v.Run(ctx); err != nil || len(c.Broken) != 1 || c.Broken[0].Key != results[0].Key || c.Recompiled != 2 {
		t.Errorf("verify another object: %+v, %v", c, err)
	}
	d.Remove(moduleKey(stages[1].Module.digest))
	if c, err := v.Run(ctx); err != nil || len(c.Broken) != 0 || c.Recompiled != 0 || c.Skipped != 2 {
		t.Errorf("verify without a module: %+v, %v", c, err)
	}

	keys := map[Digest]string{}
	note := func(name string, r Request) {
		if was := keys[r.Key()]; was != "" {
			t.Errorf("%s is the same as %s", name, was)
		}
		keys[r.Key()] = name
	}
	for i, s := range stages {
		note(fmt.Sprint("linked ", i), b.LinkedRequest(stages, i, &o))
		own := o
		own.Entry, own.Stage = s.Entry, s.Stage
		note(fmt.Sprint("by itself ", i), b.Request(s.Module, &own))
		alone := b.LinkedRequest([]PipelineStage{s}, 0, &o)
		note(fmt.Sprint("a pipeline of one ", i), alone)
		if !alone.Alone || len(alone.Linked) > 0 {
			t.Errorf("a pipeline of one: %+v", alone)
		}
		for k := range stages {
			other := slices.Clone(stages)
			other[k].Spec = []spirv.SpecValue{{ID: 3, Bits: 1}}
			note(fmt.Sprintf("linked %d, with a constant of %d", i, k), b.LinkedRequest(other, i, &o))
			other = slices.Clone(stages)
			other[k].Entry = "other"
			note(fmt.Sprintf("linked %d, with another entry point of %d", i, k), b.LinkedRequest(other, i, &o))
		}
	}
	next := o
	next.Next, next.Entry, next.Stage = ir.StageGeometry, "x", ir.StageMesh
	for i := range stages {
		x, y := b.LinkedRequest(stages, i, &next), b.LinkedRequest(stages, i, &o)
		if x.Key() != y.Key() {
			t.Errorf("stage %d: the other stages say what follows, and its own what it is", i)
		}
	}
}

// TestLinkedRefusals: of a pipeline that is refused nothing is kept.
func TestLinkedRefusals(t *testing.T) {
	d := newDir(t)
	b := &Builder{Store: d, Code: "1", Modules: true}
	stages := litStages(t)
	blur, err := nirc.LoadFile(t.Context(), "../testdata/blur.comp.spv", nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bad := []PipelineStage{stages[0], {Module: NewModule(blur, false), Entry: "main", Stage: ir.StageCompute}}
	if r, _, err := b.Linked(t.Context(), bad, nirc.Options{Target: "ir3", GPU: "a630", Level: 2}); err == nil {
		t.Errorf("a vertex and a compute shader are linked: %+v", r)
	}
	if list, err := d.List(); err != nil || len(list) != 0 {
		t.Errorf("%d entries, %v", len(list), err)
	}
}

// TestAnswerer: requests are answered as a builder would, by several at a time; what is not meant as it is said is told, each by its key, and keeps
// nobody from the others.
func TestAnswerer(t *testing.T) {
	for _, jobs := range []int{0, 1, 3} {
		b := &Builder{Store: newDir(t), Code: "1", Modules: true}
		m := NewModule(load(t, "", ""), false)
		base := nirc.Options{Level: 2}
		request := func(target, gpu string) Request {
			return b.Request(m, &nirc.Options{Target: target, GPU: gpu, Entry: "main", Stage: ir.StageCompute, Level: 2})
		}
		right := []Request{request("ir3", "a630"), request("agx", "g13g"), request("midgard", "t860"), request("ir3", "a740")}
		code, passes, absent, entry := request("ir3", "a660"), request("ir3", "a650"), request("ir3", "a618"), request("ir3", "a730")
		code.Code, passes.Pipeline, absent.Module, entry.Target = "2", Digest{1}, Digest{2}, "none"
		wrong := map[Digest]string{code.Key(): "it wants the code of nirc 2", passes.Key(): "it wants other passes", absent.Key(): "not here", entry.Key(): "none"}
		got := map[Digest][]byte{}
		var mu sync.Mutex
		a := &Answerer{Builder: b, Base: base, Jobs: jobs, Module: func(d Digest) ([]byte, error) {
			if d != m.digest {
				return nil, errors.New("not here")
			}
			return m.words, nil
		}}
		err := a.Run(t.Context(), append([]Request{code, passes, absent, entry}, right...), func(key Digest, data []byte) error {
			mu.Lock()
			defer mu.Unlock()
			got[key] = data
			return nil
		})
		if err == nil || len(got) != len(right) {
			t.Fatalf("%d answers, %v; want %d", len(got), err, len(right))
		}
		lines := strings.Split(err.Error(), "\n")
		for key, why := range wrong {
			if !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, key.String()+": ") && strings.Contains(s, why) }) {
				t.Errorf("%v does not say of %s %q", err, key, why)
			}
		}
		for i := range right {
			o := nirc.Options{Target: right[i].Target, GPU: right[i].GPU, Entry: "main", Stage: ir.StageCompute, Level: 2}
			r, err := b.Shader(t.Context(), m, o)
			if err != nil || r.Key != right[i].Key() {
				t.Fatal(r.Key, err)
			}
			if want, err := b.Store.Get(r.Key); err != nil || !bytes.Equal(got[r.Key], want) {
				t.Errorf("%s %s: the answer is not what a builder stores: %v", o.Target, o.GPU, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.Run(ctx, right, func(Digest, []byte) error { t.Error("an answer after the end"); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("called off: %v", err)
		}
	}
}
