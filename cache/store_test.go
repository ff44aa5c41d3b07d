package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/object"
)

// kindOf is what is put under a key, and what is to be said of it.
type kindOf struct {
	kind   Kind
	why    string // of items
	broken string // what the verifier finds
	target *TargetFigure
	object int
	raw    int64
}

// TestStoreKinds: what a store says of entries of all kinds, right ones and wrong ones: its list, its figures, what its verifier finds
// with and without compiling again, and which entry the beginning of a digest means.
func TestStoreKinds(t *testing.T) {
	ctx := context.Background()
	d := newDir(t)
	want := map[Digest]*kindOf{}
	put := func(key Digest, data []byte, k kindOf) {
		t.Helper()
		if err := d.Put(key, data); err != nil {
			t.Fatal(err)
		}
		if k.raw = int64(len(data)); k.kind == KindBroken {
			k.raw = 0
		}
		want[key] = &k
	}
	b := &Builder{Store: d, Code: "1", Modules: true}
	m := load(t, "", "")
	base := nirc.Options{File: "m.spv", Entry: "main", Stage: m.EntryPoints()[0].Stage, Level: 2}
	for _, o := range []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}} {
		own := base
		own.Target, own.GPU = o.Target, o.GPU
		r, err := b.Shader(ctx, NewModule(m, false), own)
		if err != nil || r.Outcome != Compiled {
			t.Fatalf("%+v: %s, %v", o, r.Outcome, err)
		}
		data, err := d.Get(r.Key)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ParseEntry(data)
		if err != nil {
			t.Fatal(err)
		}
		obj, err := object.Read(e.Object)
		if err != nil {
			t.Fatal(err)
		}
		put(r.Key, data, kindOf{kind: KindShader, object: len(e.Object), target: &TargetFigure{e.Request.Target, e.Request.GPU, 1, int64(len(obj.Code))}})
	}
	request := func(entry string) Request {
		own := base
		own.Target, own.GPU, own.Entry = "ir3", "a630", entry
		return b.Request(NewModule(m, false), &own)
	}
	entry := func(e *Entry) (Digest, []byte) {
		data, err := e.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return e.Request.Key(), data
	}
	main := request("main")
	first := d.entryOf(t, main.Key())
	code := &TargetFigure{"ir3", "a630", 1, 0}
	key, data := entry(&Entry{Request: request("refused"), Refused: nirc.Diagnostics{{Msg: "not on this GPU"}, {Msg: "nor there"}}})
	put(key, data, kindOf{kind: KindRefusal, why: "not on this GPU", target: code})
	_, data = entry(first)
	put(sha256.Sum256([]byte("elsewhere")), data, kindOf{kind: KindShader, object: len(first.Object), broken: "it is the answer to another request",
		target: want[first.Request.Key()].target})
	key, data = entry(&Entry{Request: request("no object"), Object: []byte("no object")})
	put(key, data, kindOf{kind: KindShader, object: 9, broken: "object", target: code})
	obj, err := object.Read(first.Object)
	if err != nil {
		t.Fatal(err)
	}
	for i := range obj.Code {
		obj.Code[i] = 0xff
	}
	wrong, err := obj.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	key, data = entry(&Entry{Request: request("no code"), Object: wrong})
	put(key, data, kindOf{kind: KindShader, object: len(wrong), broken: "the code does not decode at byte 0", target: want[first.Request.Key()].target})
	for name, edit := range map[string]func(o *object.Object){"no GPU": func(o *object.Object) { o.GPU = "voodoo" }} {
		changed, err := object.Read(first.Object)
		if err != nil {
			t.Fatal(err)
		}
		edit(changed)
		text, err := changed.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		key, data = entry(&Entry{Request: request(name), Object: text})
		put(key, data, kindOf{kind: KindShader, object: len(text), broken: strings.TrimPrefix(name, "no ") + " ", target: want[first.Request.Key()].target})
	}
	key, data = entryFor("a module")
	put(key, data, kindOf{kind: KindModule})
	moduleData, err := d.Get(moduleKey(first.Request.Module))
	if err != nil {
		t.Fatal(err)
	}
	put(moduleKey(first.Request.Module), moduleData, kindOf{kind: KindModule})
	put(sha256.Sum256([]byte("front")), append([]byte{kindFront}, "of GLSL"...), kindOf{kind: KindFront})
	put(sha256.Sum256([]byte("damaged")), bytes.Repeat([]byte{kindFront}, 99), kindOf{kind: KindBroken, broken: "checksum"})
	damage(t, d, sha256.Sum256([]byte("damaged")))
	put(sha256.Sum256([]byte("nothing")), []byte{'?'}, kindOf{kind: KindBroken, broken: "no kind"})

	figures, checked := Figures{Entries: len(want), Targets: []TargetFigure{}}, Checked{Entries: len(want)}
	list, err := d.List()
	if err != nil || len(list) != len(want) {
		t.Fatalf("%d entries, %v; want %d", len(list), err, len(want))
	}
	broken := map[Digest]string{}
	for _, e := range list {
		k := want[e.Key]
		figures.Stored += e.Size
		figures.Raw += k.raw
		if k.broken != "" {
			broken[e.Key] = k.broken
		}
		switch k.kind {
		case KindModule:
			figures.Modules++
		case KindFront:
			figures.FrontEnd++
		case KindBroken:
			figures.Broken++
		default:
			figures.Shaders++
			if k.kind == KindRefusal {
				figures.Refusals++
			}
			figures.addTarget(k.target)
		}
	}
	checked.Shaders, checked.Refusals, checked.Modules, checked.FrontEnd = figures.Shaders, figures.Refusals, figures.Modules, figures.FrontEnd
	steps := 0
	got, err := d.Stats(ctx, func(n int) {
		if steps++; n != len(want) {
			t.Errorf("a step of %d", n)
		}
	})
	if err != nil || !reflect.DeepEqual(*got, figures) || steps != len(want) {
		t.Errorf("%+v after %d steps, %v; want %+v", *got, steps, err, figures)
	}

	seen := 0
	err = d.Items(ctx, func(i, n int, item *Item) bool {
		k := want[item.Digest]
		if i != seen || n != len(want) || item.Digest != list[i].Key || item.Stored != list[i].Size || item.Kind != k.kind || item.Object != k.object ||
			(item.Request != nil) != (k.kind == KindShader || k.kind == KindRefusal) || k.kind != KindBroken && item.Why != k.why || k.kind == KindBroken && item.Why == "" {
			t.Errorf("item %d of %d: %+v, want %+v", i, n, item, k)
		}
		seen++
		return true
	})
	if err != nil || seen != len(want) {
		t.Errorf("%d items, %v", seen, err)
	}
	seen = 0
	if err := d.Items(ctx, func(int, int, *Item) bool { seen++; return seen < 3 }); err != nil || seen != 3 {
		t.Errorf("%d items before the third ends it, %v", seen, err)
	}

	for _, sample := range []int{0, 1, 1000} {
		steps = 0
		v := &Verifier{Dir: d, Sample: sample, Builder: b, Base: base, Step: func(int) { steps++ }}
		got, err := v.Run(ctx)
		if err != nil || steps != len(want) {
			t.Fatalf("verify: %v after %d steps", err, steps)
		}
		if got.Entries != checked.Entries || got.Shaders != checked.Shaders || got.Modules != checked.Modules || got.FrontEnd != checked.FrontEnd {
			t.Errorf("verify: %+v, want %+v", got, checked)
		}
		bad := map[Digest]string{}
		for _, e := range got.Broken {
			bad[e.Key] = e.Why
			if e.Path != d.Path(e.Key) {
				t.Errorf("%s lies in %s", e.Key, e.Path)
			}
		}
		for key, why := range broken {
			if !strings.Contains(bad[key], why) && why != "checksum" && why != "no kind" || bad[key] == "" {
				t.Errorf("verify: %s: %q, want %q", want[key].kind, bad[key], why)
			}
		}
		if sample == 0 && len(bad) != len(broken) {
			t.Errorf("verify: broken %q, want %q", bad, broken)
		}
		if sample == 0 && got.Recompiled+got.Skipped > 0 || sample == 1 && got.Recompiled < 4 || sample == 1000 && got.Recompiled+got.Skipped > 1 {
			t.Errorf("verify, one of %d: %d compiled again, %d skipped", sample, got.Recompiled, got.Skipped)
		}
	}

	for key := range want {
		text := key.String()
		for _, prefix := range []string{text, strings.ToUpper(text), text[:40]} {
			if got, err := d.Find(prefix); err != nil || got != key {
				t.Errorf("%s: %s, %v", prefix, got, err)
			}
		}
		other := text[:39] + string("0123456789abcdef"[(strings.IndexByte("0123456789abcdef", text[39])+1)%16])
		if _, err := d.Find(other); !errors.Is(err, ErrAbsent) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// addTarget adds a shader to the figures of its GPU.
func (f *Figures) addTarget(n *TargetFigure) {
	for i := range f.Targets {
		if t := &f.Targets[i]; t.Target == n.Target && t.GPU == n.GPU {
			t.Shaders += n.Shaders
			t.Code += n.Code
			return
		}
	}
	f.Targets = append(f.Targets, *n)
}

// entryOf is a shader's entry.
func (d *Dir) entryOf(t *testing.T, key Digest) *Entry {
	t.Helper()
	data, err := d.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseEntry(data)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestFindSeveral: six digits at least, and two entries that begin so are one too many.
func TestFindSeveral(t *testing.T) {
	d := newDir(t)
	var a, b Digest
	a[0], a[1], a[2], a[3] = 0xab, 0xcd, 0xef, 0x10
	b[0], b[1], b[2], b[3] = 0xab, 0xcd, 0xef, 0x11
	for _, key := range []Digest{a, b} {
		if err := d.Put(key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(d.Path(a)+".tmp", []byte("no entry"), 0o666); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]string{"abcde": "six", "abcdef": "2 entries begin so", "abcdef1": "2 entries", "ABCDEF10": "", "abcdef11": "", "abcdef12": "abcdef12: ",
		"abcdeg": "no digest", a.String() + "0": "no digest", a.String(): "", "123456": "123456: "} {
		got, err := d.Find(prefix)
		if want == "six" {
			want = fmt.Sprintf("(%d digits at least)", minPrefix)
		}
		if want == "" && (err != nil || !strings.HasPrefix(got.String(), strings.ToLower(prefix))) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %s, %v; want %q", prefix, got, err, want)
		}
	}
}

// TestFrontEnd: what a front end made is kept by its key, modules by their digest and once; what is damaged, or of another kind, is not there.
func TestFrontEnd(t *testing.T) {
	d := newDir(t)
	f := FrontEnd{Store: d}
	key := sha256.Sum256([]byte("source"))
	if f.Get(key) != nil || f.GetModule(key) != nil {
		t.Error("an empty store gives something")
	}
	f.Put(key, []byte("made"))
	if got := f.Get(key); string(got) != "made" {
		t.Errorf("%q", got)
	}
	digest := f.PutModule([]byte("module"))
	if want := sha256.Sum256([]byte("module")); digest != want || string(f.GetModule(digest)) != "module" {
		t.Errorf("%x: %q", digest, f.GetModule(digest))
	}
	before, _ := os.Stat(d.Path(moduleKey(digest)))
	f.PutModule([]byte("module"))
	if after, err := os.Stat(d.Path(moduleKey(digest))); err != nil || !os.SameFile(before, after) {
		t.Errorf("a module is stored twice: %v", err)
	}
	if err := d.Put(moduleKey(digest), []byte("mother")); err != nil {
		t.Fatal(err)
	}
	if got := f.GetModule(digest); got != nil {
		t.Errorf("another module under the digest: %q", got)
	}
	f.Put(key, nil)
	if got := f.Get(key); len(got) != 0 {
		t.Errorf("nothing becomes %q", got)
	}
	if err := d.Put(key, []byte("made")); err != nil { // 'm' is a module's kind
		t.Fatal(err)
	}
	if got := f.Get(key); got != nil {
		t.Errorf("a module is taken for what a front end made: %q", got)
	}
}

// TestCalledOff: what goes through a store ends where the work is called off, and says so.
func TestCalledOff(t *testing.T) {
	d := newDir(t)
	fill(t, d, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := d.Stats(ctx, nil); f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("figures: %+v, %v", f, err)
	}
	if err := d.Items(ctx, func(int, int, *Item) bool { t.Error("an item"); return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("items: %v", err)
	}
	v := &Verifier{Dir: d, Builder: &Builder{Store: d}}
	if c, err := v.Run(ctx); !errors.Is(err, context.Canceled) || len(c.Broken) > 0 || c.Entries != 5 {
		t.Errorf("verify: %+v, %v", c, err)
	}
}

// TestUnreadableEntries: an entry that cannot be read at all ends a check with that error, whichever it is.
func TestUnreadableEntries(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var keys []Digest
	for i := range 3 {
		keys = append(keys, sha256.Sum256([]byte{byte(i)}))
		if err := d.Put(keys[i], []byte{kindFront, byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.List()
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	steps := 0
	v := &Verifier{Dir: d, Step: func(int) {
		if steps++; steps == 1 { // where the next one is is no directory any more
			dir := filepath.Dir(d.Path(list[1].Key))
			if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}}
	if c, err := v.Run(t.Context()); err == nil || steps != 1 || c.FrontEnd != 1 || len(c.Broken) != 0 {
		t.Errorf("%+v after %d steps, %v", c, steps, err)
	}
}
