package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMatrixRefused: what is wrong with a file of --matrix is told with its line.
func TestMatrixRefused(t *testing.T) {
	const head = "schema: 1\nprograms:\n- sources: [a.comp]\n"
	for _, c := range []struct{ text, want string }{
		{"schema: 1\nprograms: []\n", "1: a matrix without programs"},
		{"schema: 1\nprograms: {}\n", "2: want a list here"},
		{"schema: 1\nprograms: [a]\n", "2: want a mapping here"},
		{"schema: [1]\n", "1: want a word here"},
		{"schema: 1\nschema: 1\n", "2: \"schema\" is there twice"},
		{"schema: 1\nprograms:\n- name: x\n", "3: a program without sources"},
		{"schema: 1\nprograms:\n- sources: [[a]]\n", "3: want a word here"},
		{head + "  language: pascal\n", "4: \"pascal\": want glsl or hlsl"},
		{head + "  stage: sky\n", "4: \"sky\": "},
		{head + "  next: [a]\n", "4: want a word here"},
		{head + "  defines: {target: {a: [A]}}\n", "4: the axis \"target\": there is one of this name already"},
		{head + "  defines: {stem: {a: [A]}}\n", "4: the axis \"stem\": there is one of this name already"},
		{head + "  defines: {p: {a: [A]}}\n  spec: {p: {a: [0=1]}}\n", "5: the axis \"p\": there is one of this name already"},
		{head + "  defines: {p: {a/b: [A]}}\n", "4: the name \"a/b\" cannot be part of a file's name"},
		{head + "  defines: {p: {'': [A]}}\n", "4: the name \"\" cannot be part of a file's name"},
		{head + "  defines: {p: {'{a}': [A]}}\n", "4: the name \"{a}\" cannot be part of a file's name"},
		{head + "  defines: {p: {}}\n", "4: the axis \"p\" has no choices"},
		{head + "  defines: {p: {a: [[A]]}}\n", "4: want a word here"},
		{head + "  defines: {p: {a: ['1A']}}\n", "4: \"1A\": "},
		{head + "  spec: {p: {a: [x]}}\n", "4: \"x\": "},
		{head + "  skip: [{}]\n", "4: this would leave out everything"},
		{head + "  skip: [{source: [a]}]\n", "4: want a word here"},
		{head + "  skip: [{target: ir4}]\n", "4: no target \"ir4\""},
		{head + "  skip: [{gpu: a999}]\n", "4: "},
		{head + "  name: a/b\n", "4: the name \"a/b\" is to be part of a file's name"},
		{head + "  name: '{stem'\n", "4: name: {stem is none of {stem}, {name}"},
		{head + "  targets: {ir3: 1}\n", "4: want a list here"},
		{head + "  defines: &d {p: {a: [A]}}\n  skip: [{p: a, source: a}]\n", ""},
		{"schema: &s 1\nprograms:\n- &p\n  sources: &l [a.comp]\n  name: '{stem}'\n- sources: *l\n  name: x.{stem}\n  entry: *s\n", ""},
		{"schema: 1\nprograms: &l\n- &p\n  sources: [a.comp]\n- *p\n", ""},
	} {
		file := filepath.Join(t.TempDir(), "m.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := new(app).readMatrix(file)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		line, want, _ := strings.Cut(c.want, ": ")
		if err == nil || !strings.HasPrefix(err.Error(), file+":"+line+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want line %s and %q", c.text, err, line, want)
		}
	}
}

// TestPlainStem: a file's name up to its first dot, unless it begins with that.
func TestPlainStem(t *testing.T) {
	for name, want := range map[string]string{"a.frag.spv": "a", "a": "a", ".a.b": ".a", ".a": ".a", "a.": "a", "": "", "ab.c": "ab"} {
		if got := plainStem(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
