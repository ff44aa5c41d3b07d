package foz

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func words(n int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x07230203)
	for i := 1; i < n; i++ {
		b = binary.LittleEndian.AppendUint32(b, uint32(i*i*i)*2654435761)
	}
	return b
}

// sample is a database of two modules and three pipelines.
func sample(t testing.TB) (data []byte, modules [2]uint64) {
	var b bytes.Buffer
	w, err := NewWriter(&b)
	must := func(h uint64, err error) uint64 {
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	must(0, err)
	modules[0] = must(w.AddModule(words(40)))
	modules[1] = must(w.AddModule(words(300)))
	must(w.AddModule(words(40))) // again
	spec := []Spec{{3, 0x3f800000}, {7, 1 << 40}}
	must(w.AddPipeline(Use{Module: modules[0], Entry: "vs", Stage: 1}, Use{Module: modules[1], Entry: "fs", Stage: 0x10, Spec: spec}))
	must(w.AddPipeline(Use{Module: modules[0], Entry: "vs", Stage: 1}, Use{Module: modules[1], Entry: "fs", Stage: 0x10}))
	must(w.AddPipeline(Use{Module: modules[1], Entry: "cs", Stage: 0x20}))
	return b.Bytes(), modules
}

func open(t testing.TB, data []byte) *DB {
	d, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRoundTrip(t *testing.T) {
	data, modules := sample(t)
	d := open(t, data)
	if len(d.Entries) != 5 || d.Tail != 0 || len(d.Problems) != 0 || d.Duplicates != 0 {
		t.Fatalf("%d entries, tail %d, problems %v", len(d.Entries), d.Tail, d.Problems)
	}
	for i, n := range []int{40, 300} {
		if code, err := d.Module(modules[i]); err != nil || !bytes.Equal(code, words(n)) {
			t.Errorf("module %d: %d bytes, %v", i, len(code), err)
		}
	}
	uses, problems := d.Uses()
	want := []Use{{modules[0], "vs", 1, nil, 0, "", nil, State{}, 2}, {modules[1], "cs", 0x20, nil, 0, "", nil, State{}, 1}, {modules[1], "fs", 0x10, nil, 0, "", nil, State{}, 1},
		{modules[1], "fs", 0x10, []Spec{{3, 0x3f800000}, {7, 1 << 40}}, 0, "", nil, State{}, 1}}
	if len(problems) != 0 || !slices.EqualFunc(uses, want, func(a, b Use) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("uses %v, %v; want %v", uses, problems, want)
	}
	if _, err := d.Module(1); err == nil {
		t.Error("a module that is not there")
	}
}

// TestNext: a stage is told which follows where that takes over its threads.
func TestNext(t *testing.T) {
	const vs, tcs, tes, gs, fs = 1, 2, 4, 8, 16
	for _, c := range []struct{ stages, next []Stage }{
		{[]Stage{vs, fs}, []Stage{0, 0}},
		{[]Stage{fs, gs, vs}, []Stage{0, 0, gs}},
		{[]Stage{vs, tcs, tes, fs}, []Stage{tcs, 0, 0, 0}},
		{[]Stage{vs, tcs, tes, gs, fs}, []Stage{tcs, 0, gs, 0, 0}},
		{[]Stage{0x40, 0x80, fs}, []Stage{0, 0, 0}},
	} {
		p := &pipelineJSON{}
		for _, s := range c.stages {
			p.Stages = append(p.Stages, stageJSON{Bits: uint32(s)})
		}
		for i, s := range c.stages {
			if n := p.next(s); n != c.next[i] {
				t.Errorf("%v: %v is followed by %v, want %v", c.stages, s, n, c.next[i])
			}
		}
	}
}

// TestKeepNext: what follows a stage is written, though the module that follows is not there.
func TestKeepNext(t *testing.T) {
	w, b, module := oneModule(t)
	vertex := StageOf("vertex")
	want := []Use{{module, "main", vertex, nil, 0, "", nil, State{}, 1}, {module, "main", vertex, nil, StageOf("tess_ctrl"), "", nil, State{}, 1}, {module, "main", vertex, nil, StageOf("geometry"), "", nil, State{}, 1}}
	for _, u := range want {
		if _, err := w.AddPipeline(u); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if uses, problems := d.Uses(); len(problems) != 0 || fmt.Sprint(uses) != fmt.Sprint(want) {
		t.Errorf("uses %v, %v; want %v", uses, problems, want)
	}
}

// A database written by hand from the format's description, byte by byte.
func TestByHand(t *testing.T) {
	module := `{"version":6,"shaderModules":{"00000000000000ab":{"varintOffset":0,"varintSize":7,"codeSize":8,"flags":0}}}` + "\x00" + "\x83\x84\x8c\x39\x80\x82\x04"
	old := `{"version":5,"shaderModules":{"00000000000000cd":{"code":"` + base64.StdEncoding.EncodeToString([]byte("\x03\x02\x23\x07")) + `","codeSize":4,"flags":0}}}`
	compute := `{"version":6,"computePipelines":{"0000000000000001":{"flags":0,"layout":"0000000000000000","basePipelineHandle":"0","basePipelineIndex":-1,
"stage":{"flags":0,"stage":32,"module":"00000000000000ab","name":"main","specializationInfo":{"dataSize":5,"data":"AQAAAP8=","mapEntries":[
{"constantID":9,"offset":4,"size":1},{"constantID":0,"offset":0,"size":4}]}}}}}` + "\x00"
	head, _ := hex.DecodeString("81464f5353494c495a45444200000005")
	data := head
	for _, e := range []struct {
		name, payload string
	}{{"0000000000000000000000040000000000" + "0000ab", module}, {"000000000000000000000004" + "00000000000000CD", old}, {"000000000000000000000007" + "0000000000000001", compute}} {
		data = append(data, e.name...)
		for _, v := range []int{len(e.payload), 1, 0, len(e.payload)} {
			data = binary.LittleEndian.AppendUint32(data, uint32(v))
		}
		data = append(data, e.payload...)
	}
	d := open(t, data)
	if d.Version != 5 || len(d.Entries) != 3 {
		t.Fatalf("version %d, %d entries, problems %v", d.Version, len(d.Entries), d.Problems)
	}
	if code, err := d.Module(0xab); err != nil || hex.EncodeToString(code) != "0302230700010100" {
		t.Errorf("module: %x, %v", code, err)
	}
	if code, err := d.Module(0xcd); err != nil || hex.EncodeToString(code) != "03022307" {
		t.Errorf("old module: %x, %v", code, err)
	}
	uses, problems := d.Uses()
	if len(problems) != 0 || fmt.Sprint(uses) != "[{171 main compute [{0 1} {9 255}] stage 0  <nil> {false false false false [0 0 0 0]} 1}]" {
		t.Errorf("uses %v, %v", uses, problems)
	}
}

// Whatever is cut off at the end, what is before it is there.
func TestTail(t *testing.T) {
	data, _ := sample(t)
	ends := []int64{headSize}
	for _, e := range open(t, data).Entries {
		ends = append(ends, e.offset+int64(e.Stored))
	}
	for n := headSize; n <= len(data); n++ {
		d := open(t, data[:n])
		whole := 0
		for _, e := range ends[1:] {
			if e <= int64(n) {
				whole++
			}
		}
		if len(d.Entries) != whole || d.Tail != int64(n)-ends[whole] || len(d.Problems) > 0 {
			t.Fatalf("cut to %d: %d entries, want %d; tail %d, problems %v", n, len(d.Entries), whole, d.Tail, d.Problems)
		}
	}
}

// A flipped bit in a payload is found, and the other entries are there.
func TestDamage(t *testing.T) {
	data, _ := sample(t)
	entries := open(t, data).Entries
	for k, e := range entries {
		for bit := range 8 * int(e.Stored) {
			if bit%7 != 0 {
				continue
			}
			b := bytes.Clone(data)
			b[e.offset+int64(bit/8)] ^= 1 << (bit % 8)
			d := open(t, b)
			for i := range d.Entries {
				_, err := d.Payload(&d.Entries[i])
				var p *Problem
				if bad := errors.As(err, &p); bad != (i == k) {
					t.Fatalf("entry %d, bit %d: payload of %d: %v", k, bit, i, err)
				}
			}
		}
	}
	// A damaged name or compression is passed over by its length.
	for _, at := range []int{0, 30, nameSize + 4} {
		b := bytes.Clone(data)
		b[entries[1].offset-entryHead+int64(at)] = 'x'
		if d := open(t, b); len(d.Entries) != 4 || len(d.Problems) != 1 {
			t.Errorf("byte %d: %d entries, problems %v", at, len(d.Entries), d.Problems)
		}
	}
	for _, s := range []string{"", "FOSSILIZE", Magic + "\x00\x00\x00\x04", Magic + "\x00\x00\x00\x07", strings.Repeat("x", 16)} {
		if _, err := Open(strings.NewReader(s), int64(len(s))); err == nil {
			t.Errorf("%q is no error", s)
		}
	}
}

func FuzzOpen(f *testing.F) {
	data, _ := sample(f)
	f.Add(data)
	f.Add(data[:len(data)-5])
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for i := range d.Entries {
			e := &d.Entries[i]
			if b, err := d.Payload(e); err == nil && len(b) != int(e.Size) {
				t.Errorf("%d bytes, want %d", len(b), e.Size)
			}
			if e.Tag == TagShaderModule {
				if code, err := d.Module(e.Hash); err == nil && len(code)%4 != 0 {
					t.Errorf("a module of %d bytes", len(code))
				}
			}
		}
		d.Uses()
	})
}
