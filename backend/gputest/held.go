package gputest

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// Digest is a number that stands for all the words it was given. A word that is NaN as a float counts as any NaN, whose
// other bits are nobody's promise.
type Digest uint64

// Words adds words.
func (d *Digest) Words(list ...uint32) {
	h := uint64(*d)
	for _, w := range list {
		if w&0x7fffffff > 0x7f800000 {
			w = 0x7fc00000
		}
		h = (h ^ uint64(w) ^ h>>29) * 0x9e3779b97f4a7c15
	}
	*d = Digest(h)
}

// Bytes adds bytes, four a word.
func (d *Digest) Bytes(b []byte) {
	for len(b) > 4 {
		d.Words(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
		b = b[4:]
	}
	for _, x := range b {
		d.Words(uint32(x))
	}
}

// Text adds what a value is as text, with the names of its fields.
func (d *Digest) Text(v any) { d.Bytes(fmt.Appendf(nil, "%+v", v)) }

// Bool adds whether something is so.
func (d *Digest) Bool(yes bool) {
	if yes {
		d.Words(1)
		return
	}
	d.Words(0)
}

// Effects adds what a launch did outside its wave: to workgroup memory and a buffer, to storage images, and to slots of what its
// lanes put out.
func (d *Digest) Effects(l *emu.Launch, mem *emu.Buffer, images []Shape, out []emu.Slots, slots ...ir.Slot) {
	d.Bytes(l.Compute.Shared)
	d.Bytes(mem.Data)
	for _, s := range images {
		if s.Image != nil && s.Type == emu.DescStorageImage {
			d.Bytes(s.Image.Image.Data)
		}
	}
	for i := range out {
		for _, s := range slots {
			d.Words(out[i][s][:]...)
		}
	}
}

// HoldTable compares rows of names and what they stand for with those of a file of testdata: what differs is what a change
// does, to be meant or to be mended. go test -update writes the file.
func HoldTable(t *testing.T, file string, rows map[string]string) {
	t.Helper()
	if *Update {
		writeTable(t, file, rows)
	}
	want := readTable(t, file)
	var differ []string
	for name, row := range rows {
		if row != want[name] {
			differ = append(differ, name)
		}
		delete(want, name)
	}
	for name := range want {
		differ = append(differ, name)
	}
	if slices.Sort(differ); len(differ) > 0 {
		t.Errorf("%s is not so any more, if the change means to, go test -update writes it again: %s", path(file), strings.Join(differ, ", "))
	}
}

// holdRow does so with one row of a file.
func holdRow(t *testing.T, file, name, row string) {
	t.Helper()
	rows := map[string]string{}
	if _, err := os.Stat(path(file)); err == nil || !*Update {
		rows = readTable(t, file)
	}
	if was := rows[name]; was == row {
		return
	}
	if rows[name] = row; *Update {
		writeTable(t, file, rows)
		return
	}
	t.Errorf("%s is not so any more, if the change means to, go test -update writes it again: %s", path(file), name)
}

func path(file string) string { return filepath.Join("testdata", file) }

func readTable(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path(file))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		rows[name] = value
	}
	return rows
}

func writeTable(t *testing.T, file string, rows map[string]string) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&text, "%s\t%s\n", name, rows[name])
	}
	if err := os.WriteFile(path(file), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// edges are words that are special as some number.
var edges = []uint32{0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x7f800000, 0xff800000, 0x7fc00000, 1 << 22, 0x3f800000, 0xbf000000, 0x3c007c00, 0x00018001, 31, 0x4f000000, 0xfbff03ff}

// Word makes word i of operands for random instructions: by kind small offsets and indices, plain floats, pairs of halves, any
// bits, or what is special.
func Word(kind, i int, random uint32) uint32 {
	switch kind {
	case 0:
		return uint32(4 * (i % 13))
	case 1:
		return math.Float32bits(float32(i%11)*0.375 - 1.25)
	case 2:
		return 0x3c004200 + uint32(i%9)<<25 + uint32(i%7)<<9
	case 3:
		return random
	case 4:
		return uint32(i) % 5
	}
	return edges[i%len(edges)]
}

// WordKinds is the number of kinds of Word.
const WordKinds = 6
