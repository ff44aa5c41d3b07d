package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"nirc/ir"
)

func sample() *Object {
	return &Object{
		Target: "ir3", GPU: "a630", Stage: ir.StageFragment, Entry: "main", Code: []byte{1, 2, 3, 4, 5, 6, 7, 8}, Data: []byte{9, 10, 11},
		ABI: []byte(`{"gen":6,"text":"a<b"}`),
		Reflect: Reflection{Stage: "fragment", Inputs: []Slot{{Name: "uv", Location: "location 0", Type: "vec2f32", Interp: "smooth"}},
			Resources: []Resource{{Set: 1, Binding: 2, Kind: "sampler", Count: 1}}, PushConstants: []Member{{Name: "m", Offset: 16, Size: 4, Type: "f32"}}},
		Stats: []Stat{{"inst", 1}, {"nops", 0}},
		Lines: []LineEntry{{Offset: 0, Line: 3, File: 1}, {Offset: 8, Line: 4}}, Files: []string{"", "a.frag"},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, o := range []*Object{sample(), {Target: "agx", Stage: ir.StageCompute, Entry: "a\x00b", Code: []byte{}}} {
		file, err := o.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, _ := o.Bytes()
		if !bytes.Equal(file, again) {
			t.Error("two writes differ")
		}
		back, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(o, back) {
			t.Errorf("read back\n%+v\nwant\n%+v", back, o)
		}
	}
}

// Another reader of ELF sees what it should.
func TestOtherReader(t *testing.T) {
	o := sample()
	file, err := o.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if uint16(f.Machine) != Machine("ir3") || f.Type != elf.ET_REL {
		t.Errorf("machine %#x, type %v", uint16(f.Machine), f.Type)
	}
	text, err := f.Section(".text").Data()
	if err != nil || !bytes.Equal(text, o.Code) {
		t.Errorf(".text = %v, %v", text, err)
	}
	syms, err := f.Symbols()
	if err != nil || len(syms) != 1 || syms[0].Name != "main" || syms[0].Size != 8 || elf.ST_TYPE(syms[0].Info) != elf.STT_FUNC {
		t.Errorf("symbols %+v, %v", syms, err)
	}
}

// TestAlignment: each section and the section table begin where their alignments say, whatever sizes what is before has,
// and no further on than that.
func TestAlignment(t *testing.T) {
	o := sample()
	for n := range 34 {
		o.Data, o.Entry = make([]byte, n), strings.Repeat("e", 1+n%9)
		file, err := o.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		end := uint64(headerSize)
		for _, s := range f.Sections[1:] {
			if want := (end + s.Addralign - 1) / s.Addralign * s.Addralign; s.Offset != want {
				t.Errorf("%d bytes of data: %s at %d, want %d", n, s.Name, s.Offset, want)
			}
			end = s.Offset + s.Size
		}
		if table := binary.LittleEndian.Uint64(file[40:]); table != (end+7)/8*8 {
			t.Errorf("%d bytes of data: the section table at %d after %d", n, table, end)
		}
	}
}

func TestReadErrors(t *testing.T) {
	file, err := sample().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	set := func(at int, v byte) []byte {
		b := bytes.Clone(file)
		b[at] = v
		return b
	}
	note := bytes.Index(file, []byte(`"version":1`))
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "no 64-bit little-endian ELF"},
		{file[:40], "cut off"},
		{set(4, 1), "no 64-bit"},
		{set(18, 0), "machine number"},
		{set(60, 200), "section table"},
		{set(45, 1), "outside the file"},
		{set(note+10, '9'), "version 9"},
		{file[:len(file)-100], "outside the file"},
	} {
		if _, err := Read(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	if _, err := (&Object{Target: "vax"}).Bytes(); err == nil {
		t.Error("an object of an unknown target was written")
	}
}

func TestLineAt(t *testing.T) {
	o := sample()
	o.Lines = []LineEntry{{Offset: 4, Line: 1}, {Offset: 8, Line: 2}}
	for off, want := range map[uint32]uint32{4: 1, 7: 1, 8: 2, 100: 2} {
		if l := o.LineAt(off); l == nil || l.Line != want {
			t.Errorf("offset %d: %+v, want line %d", off, l, want)
		}
	}
	if l := o.LineAt(3); l != nil {
		t.Errorf("offset 3: %+v, want none", l)
	}
}

// FuzzRead checks that Read survives any bytes and that what it accepts can
// be written and read again unchanged.
func FuzzRead(f *testing.F) {
	file, err := sample().Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:70])
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Read(data)
		if err != nil {
			return
		}
		again, err := o.Bytes()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		p, err := Read(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !bytes.Equal(o.Code, p.Code) || o.Entry != p.Entry || o.Stage != p.Stage {
			t.Fatal("the second reading differs")
		}
	})
}

// TestCalls: calls are written and read; those that lead nowhere or to themselves are refused.
func TestCalls(t *testing.T) {
	o := sample()
	o.Funcs = []string{"", "main", "shade"}
	o.Calls = []Call{{Line: 9, File: 1, Func: 1}, {Line: 7, Func: 2, Call: 1}}
	o.Lines = []LineEntry{{Offset: 0, Line: 3, File: 1, Func: 2, Call: 2}}
	data, err := o.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []Frame{{"shade", "a.frag", 3, 0}, {"shade", "", 7, 0}, {"main", "a.frag", 9, 0}}
	if got := back.Frames(back.LineAt(0)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for _, wrong := range []Call{{Func: 3}, {Call: 2}, {Call: 9}} {
		o.Calls[1] = wrong
		if data, err = o.Bytes(); err == nil {
			_, err = Read(data)
		}
		if err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}

// TestCompact: what has no spaces outside of strings is taken as it is, and nothing else.
func TestCompact(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":"x y"}`: true, `[1,2]`: true, `{}`: true, ``: true, `{ "a":1}`: false, `{"a": 1}`: false, "[1,\n2]": false, "[1]\n": false, ` {}`: false, `1`: false, `"a"`: false,
		`{"a\"b c":1}`: true, `{"a\\":1, 2}`: false, `{"a\\\" ":1}`: true, `{"a":"x`: false, `["\\"," "]`: true, `[\" \"]`: false,
	} {
		if got := compact([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
