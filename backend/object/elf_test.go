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
	objects := []*Object{sample(), {Target: "agx", Stage: ir.StageCompute, Entry: "a\x00b", Code: []byte{}}}
	for n := range 18 { // code and data of all remainders
		o := &Object{Target: "midgard", Stage: ir.StageVertex, Entry: "main", Code: bytes.Repeat([]byte{7}, 17-n)}
		if n > 0 {
			o.Data = bytes.Repeat([]byte{9}, n)
		}
		objects = append(objects, o)
	}
	for _, o := range objects {
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
		{file[:headerSize-1], "cut off"},
		{file[:headerSize], "the section table lies outside the file"},
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

// TestSectionCount: other tools may add sections, up to maxSections.
func TestSectionCount(t *testing.T) {
	file, err := sample().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	at, n := le.Uint64(file[40:]), int(le.Uint16(file[60:]))
	for _, count := range []int{n, n + 1, maxSections - 1, maxSections, maxSections + 1} {
		more := append(bytes.Clone(file), file[at:at+uint64(n*sectionSize)]...)
		more = append(more, make([]byte, (count-n)*sectionSize)...) // empty, at the file's start
		le.PutUint64(more[40:], uint64(len(file)))
		le.PutUint16(more[60:], uint16(count))
		o, err := Read(more)
		switch {
		case count > maxSections:
			if err == nil || !strings.Contains(err.Error(), "section table of 65 entries") {
				t.Errorf("%d sections: %v", count, err)
			}
		case err != nil:
			t.Errorf("%d sections: %v", count, err)
		case !reflect.DeepEqual(o, sample()):
			t.Errorf("%d sections: %+v", count, o)
		}
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
	o.Calls[1] = Call{Line: 7, Func: 2, Call: 1}
	for _, wrong := range []LineEntry{{Func: 3}, {Call: 3}} {
		o.Lines[0] = wrong
		if data, err = o.Bytes(); err == nil {
			_, err = Read(data)
		}
		if err == nil || !strings.Contains(err.Error(), "line entry 0") {
			t.Errorf("%+v: %v", wrong, err)
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

// TestForeign: what another program wrote, or what a note says that cannot be, is refused with what is wrong.
func TestForeign(t *testing.T) {
	file, err := sample().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, with string) []byte {
		t.Helper()
		if len(old) != len(with) || bytes.Count(file, []byte(old)) != 1 {
			t.Fatalf("the file has no %q, or several", old)
		}
		return bytes.Replace(file, []byte(old), []byte(with), 1)
	}
	note := bytes.Index(file, []byte("nirc\x00"))
	word := func(at int, v uint32) []byte {
		b := bytes.Clone(file)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	table := int(binary.LittleEndian.Uint64(file[40:]))
	noteSize := table + 3*sectionSize + 32
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"no code", change(".text", ".code"), "no .text and .note.nirc"},
		{"no note", change(".note.nirc", ".note.mesa"), "no .text and .note.nirc"},
		{"a note of another", word(note, 0x41414141), "the note is not nirc's"},
		{"a longer name", word(note-12, 6), "the note is not nirc's"},
		{"another type", word(note-4, 2), "the note is not nirc's"},
		{"a longer note", word(note-8, 1<<20), "the note is cut off"},
		{"a note without a name", word(noteSize, 19), "the note is not nirc's"},
		{"a note without a text", word(noteSize, 20), "the note is cut off"},
		{"no JSON", change(`{"version":1`, `["version":1`), "the note: "},
		{"no stage", change(`"stage":"fragment","target"`, `"stage":"fragmenu","target"`), `names a stage "fragmenu"`},
		{"another target", change(`"target":"ir3"`, `"target":"irx"`), `is not that of target "irx"`},
		{"a known target of another machine", change(`"target":"ir3"`, `"target":"agx"`), `is not that of target "agx"`},
		{"a line after the code", change(`"offset":8`, `"offset":9`), "offset 9 is out of order or outside the code"},
		{"a file that it does not have", change(`"file":1`, `"file":2`), "line entry 0 names file 2 of 2"},
		{"no names", word(62-2, 7|7<<16), "a section table of 7 entries"},
		{"no sections", word(62-2, 0), "a section table of 0 entries"},
		{"too many", word(62-2, 65), "a section table of 65 entries"},
		{"sections of another size", word(58, 65|7<<16), "of 65 bytes"},
	} {
		if _, err := Read(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	if _, err := Read(file); err != nil {
		t.Error(err)
	}
	o := sample()
	o.Lines = append(o.Lines, LineEntry{Offset: 7})
	if data, err := o.Bytes(); err == nil {
		if _, err = Read(data); err == nil {
			t.Error("lines out of order are taken")
		}
	}
	o.ABI = []byte("{ ")
	if _, err := o.Bytes(); err == nil {
		t.Error("metadata that are no JSON are written")
	}
	o = sample()
	o.ABI = []byte("{ \"gen\":\t6 }")
	if data, err := o.Bytes(); err != nil || !bytes.Contains(data, []byte(`"abi":{"gen":6}`)) {
		t.Errorf("spaces in metadata stay: %v", err)
	}
}

// TestELFHeader: the header and the section table say of each field what the System V ABI asks of a relocatable file.
func TestELFHeader(t *testing.T) {
	o := sample()
	var w bytes.Buffer
	if err := o.Write(&w); err != nil {
		t.Fatal(err)
	}
	file := w.Bytes()
	if same, err := o.Bytes(); err != nil || !bytes.Equal(file, same) {
		t.Error("Write and Bytes differ")
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Version != elf.EV_CURRENT || f.Entry != 0 || binary.LittleEndian.Uint16(file[52:]) != 64 {
		t.Errorf("header %+v", f.FileHeader)
	}
	alloc := elf.SHF_ALLOC
	for i, want := range []elf.SectionHeader{
		{},
		{Name: ".text", Type: elf.SHT_PROGBITS, Flags: alloc | elf.SHF_EXECINSTR, Addralign: 16},
		{Name: ".rodata", Type: elf.SHT_PROGBITS, Flags: alloc, Addralign: 16},
		{Name: ".note.nirc", Type: elf.SHT_NOTE, Addralign: 4},
		{Name: ".symtab", Type: elf.SHT_SYMTAB, Link: 5, Info: 1, Addralign: 8, Entsize: 24},
		{Name: ".strtab", Type: elf.SHT_STRTAB, Addralign: 1},
		{Name: ".shstrtab", Type: elf.SHT_STRTAB, Addralign: 1},
	} {
		got := f.Sections[i].SectionHeader
		got.Offset, got.Size, got.FileSize = 0, 0, 0
		if got != want {
			t.Errorf("section %d: %+v, want %+v", i, got, want)
		}
	}
	syms, err := f.Symbols()
	if err != nil || elf.ST_BIND(syms[0].Info) != elf.STB_GLOBAL || syms[0].Section != 1 || syms[0].Value != 0 || syms[0].Other != 0 {
		t.Errorf("symbols %+v, %v", syms, err)
	}
	if Machine("ir3") == Machine("agx") || Machine("agx") == Machine("midgard") || Machine("") != 0 {
		t.Error("each target has a machine number of its own")
	}
	if o.Stat("inst") != 1 || o.Stat("none") != 0 {
		t.Error("a figure that an object has not is 0")
	}
}

// TestKnown: an entry names a place if it has a line, a word or an id, and its frames are those that are known of it.
func TestKnown(t *testing.T) {
	o := sample()
	for _, c := range []struct {
		e    *LineEntry
		want []Frame
	}{
		{nil, nil},
		{&LineEntry{Offset: 4, File: 1}, nil},
		{&LineEntry{Line: 3, File: 1}, []Frame{{"", "a.frag", 3, 0}}},
		{&LineEntry{Line: 1, File: 1}, []Frame{{"", "a.frag", 1, 0}}},
		{&LineEntry{Word: 3, File: 1}, []Frame{{"", "", 0, 3}}},
		{&LineEntry{ID: 3, File: 1}, []Frame{{"", "", 0, 0}}},
		{&LineEntry{Line: 3, File: 2}, []Frame{{"", "", 3, 0}}},
	} {
		if got := o.Frames(c.e); !reflect.DeepEqual(got, c.want) || c.e.Known() != (c.want != nil) {
			t.Errorf("%+v: %+v, want %+v", c.e, got, c.want)
		}
	}
}
