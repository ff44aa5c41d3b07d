package main

import (
	"os"
	"strings"
	"testing"
)

// TestPlaces: what is wrong in a file is told by the file and the line.
func TestPlaces(t *testing.T) {
	module, err := os.ReadFile("../../testdata/lit.vert.spv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lit.vert.spv", module, 0o666); err != nil {
		t.Fatal(err)
	}
	m := &mangleRoom{t: t}
	m.must("compile -t agx --abi separate lit.vert.spv -o main.o")
	const link = "link main.o --state file -o linked.o"
	for _, c := range []struct{ text, line, want string }{
		{"{\"attributes\": [\n{\"location\": \"x\"}]}", link, "file:2: error: the pipeline state: attributes.location: want a number from 0 on of 32 bits, have string"},
		{"{\n\n\"atributes\": []}", link, `file:3: error: the pipeline state: unknown field "atributes"`},
		{"{\n\"attributes\": [", link, "file:2: error: the pipeline state: the text ends early"},
		{"{} {}", link, "file: error: the pipeline state: there is more after the object"},
		{"{\"schema\": 1,\n\"shaders\": 7}", "stats diff file file", "file:2: error: no statistics of nirc stats --format json: shaders: want a list, have number"},
		{"lit.vert.spv\nlit.vert.spv --next nothing\n", "cache build --dir cache --manifest file", `file:2: error: no stage "nothing"`},
		{"\nadd.f r0.x, (neg)r0.y, hr0.z\n", "asm -t ir3 file", "file:2: error: ir3: add.f: source 2 hr0.z cannot be encoded"},
		{"\n\nbrx.cond.always +1000000000 -> break\n", "asm -t midgard file", "file:3: error: midgard: brx: offset does not fit 23 bits with a sign"},
	} {
		if err := os.WriteFile("file", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := m.nirc(strings.Fields(c.line))
		if code == exitDone || code == exitInternal || !strings.Contains(stderr, c.want) {
			t.Errorf("%q, nirc %s: exit code %d, %s want %s", c.text, c.line, code, stderr, c.want)
		}
	}
}
