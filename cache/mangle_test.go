package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"nirc"
	"nirc/internal/mangle"
)

// mangledEntry changes an entry: the JSON of its description, or any bytes.
func mangledEntry(data []byte, r *rand.Rand) []byte {
	if data[0] != kindShader || r.IntN(3) == 0 {
		return mangle.Bytes(r, data)
	}
	n := binary.LittleEndian.Uint32(data[1:])
	head := bytes.TrimSuffix([]byte(mangle.NewOpen(string(data[5:5+n]), nil).Mangled(r)), []byte("\n"))
	out := binary.LittleEndian.AppendUint32([]byte{kindShader}, uint32(len(head)))
	return append(append(out, head...), data[5+n:]...)
}

// TestMangledEntries verifies, counts, exports and builds on entries that are
// changed here and there: frames, exports, and what whole frames hold.
func TestMangledEntries(t *testing.T) {
	d := newDir(t)
	m := load(t, "", "")
	o := nirc.Options{Entry: "main", Stage: m.EntryPoints()[0].Stage, Level: 2}
	builder := func() *Builder { return &Builder{Store: d, Code: "1", Modules: true} }
	if _, err := builder().Shader(t.Context(), NewModule(m, false), o); err != nil {
		t.Fatal(err)
	}
	list, err := d.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	var pack bytes.Buffer
	if _, _, err := d.Export(t.Context(), &pack); err != nil {
		t.Fatal(err)
	}
	whole := make([][]byte, len(list))
	for i := range list {
		if whole[i], err = d.Get(list[i].Key); err != nil {
			t.Fatal(err)
		}
	}
	run, broken, good, refused := mangle.NewRun(t, 250, 7), 0, 0, 0
	for seed, r := range run.Inputs() {
		i := r.IntN(len(list))
		key, data := list[i].Key, mangledEntry(whole[i], r)
		frame := seal(key, data)
		if r.IntN(4) == 0 {
			frame = mangle.Bytes(r, frame)
		}
		exported := mangle.Bytes(r, pack.Bytes())
		run.Try(fmt.Sprintf("%d.entry", seed), data, 10*time.Second, func() string {
			if err := d.putFrame(key, frame); err != nil {
				return err.Error()
			}
			v := &Verifier{Dir: d, Sample: 1, Builder: builder(), Base: nirc.Options{Level: 2}}
			c, err := v.Run(t.Context())
			if err != nil {
				return fmt.Sprintf("verify: %v", err)
			}
			for _, b := range c.Broken {
				if b.Why == "" {
					return "an entry is broken, and nothing says why"
				}
			}
			broken, good = broken+len(c.Broken), good+len(list)-len(c.Broken)
			if _, err := d.Stats(t.Context(), nil); err != nil {
				return fmt.Sprintf("stats: %v", err)
			}
			if _, err := builder().Shader(t.Context(), NewModule(m, false), o); err != nil {
				return fmt.Sprintf("build: %v", err)
			}
			if _, err := newDir(t).Import(context.Background(), bytes.NewReader(exported)); err != nil {
				refused++
			}
			return ""
		})
		if err := d.Put(key, whole[i]); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d broken entries, %d whole ones; %d exports refused", broken, good, refused)
	if broken == 0 || good == 0 || refused == 0 {
		t.Errorf("%d broken entries, %d whole ones; %d exports refused", broken, good, refused)
	}
}
