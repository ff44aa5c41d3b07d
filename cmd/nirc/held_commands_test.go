package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc/backend/gputest"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// heldLines are what each command is given besides the flag that is looked at; those that are absent are given nothing.
var heldLines = map[string][]string{
	"": {"tiny.spvasm", "-o", "-"}, "compile": {"tiny.spvasm", "-o", "-"}, "opt": {"tiny.spvasm"}, "disasm": {"tiny.o"}, "asm": {"tiny.s"}, "amber": {"add.amber"}, "bisect": {"add.amber"},
	"run": {"tiny.spvasm", "--dispatch", "1,1,1", "--buffer", "0.0=f32:0*4"}, "reflect": {"tiny.spvasm", "two.spvasm"}, "stats": {"tiny.spvasm"}, "stats diff": {"a.json", "b.json"}, "cost": {"tiny.spvasm"}, "cost diff": {"c.json", "d.json"},
	"report": {"tiny.spvasm", "-o", "page.html"}, "cache build": {"--dir", "store", "tiny.spvasm"}, "cache verify": {"--dir", "kept"}, "cache gc": {"--dir", "kept", "--max-size", "1G"}, "cache get": {"--dir", "kept", "tiny.spvasm"},
	"cache index": {"--dir", "kept", "tiny.spvasm"}, "cache export": {"--dir", "kept", "out.zip"}, "cache merge": {"--dir", "store", "kept"}, "cache pack": {"--dir", "kept", "-o", "out.pak"}, "cache ls": {"--dir", "kept"}, "cache stats": {"--dir", "kept"}, "cache rm": {"--dir", "store", "tiny.spvasm"}, "link": {"main.o", "--state", "state.json", "-o", "whole.o"}, "cache import": {"--dir", "store", "kept.zip"}, "foz pack": {"tiny.spvasm", "-o", "out.foz"}, "foz ls": {"kept.foz"}, "foz extract": {"kept.foz", "-o", "out"},
}

// heldWords are values of flags that no completion knows.
var heldWords = map[string][]string{
	"spec": {"3=7", "N=9", "X=2.5", "F=false", "9=1", "N", "N=x"}, "define": {"A=1", "1"}, "entry": {"main", "none"}, "robust": {"buffer", "buffer2", "storage=buffer2,images=image2", "storage=image"},
	"layout": {"layout.json", "none.json"}, "state": {"state.json", "tiny.s"}, "workgroup-size": {"1,2,3", "0,1,1", "1"}, "inline-uniform": {"0.0+0=3", "push+0=1", "0.0=1"}, "matrix": {"matrix.yaml", "tiny.s"},
	"manifest": {"wanted.txt", "none.txt"}, "fail-on": {"instructions>0", "instructions>5%", "nothing>1", "instructions"}, "config": {"settings.yaml", "tiny.s"}, "report": {"sarif=out.sarif", "gitlab=out.json", "github=-", "summary=out.md", "junit=out.xml", "x=y"},
	"output": {"-", "out", "out/"}, "bisect-limit": {"0", "1", "3", "2.1", "x"}, "pipeline": {"none.yaml"}, "dispatch": {"2", "1,2,1", "x"}, "push": {"i32:1", "x"}, "print": {"0.0=f32", "0.9=f32", "x"}, "shard": {"1/2", "0/2", "x"}, "size": {"4x4", "x"}, "language": {"glsl", "hlsl", "c"}, "color": {"always", "x"},
}

// heldSkips are flags whose outcome goes by the clock, the machine or the network.
var heldSkips = []string{"help", "time-passes", "verbose", "profile", "jobs", "timeout", "front-end", "remote-cache", "repeat"}

// heldTimes are how long things took, in the texts of commands.
var heldTimes = regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z|\b(us\W+)[0-9]+|\b[0-9]+(?:\.[0-9]+)?(?:ns|µs|ms|s)\b`)

const heldTwo = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %vmain "main" %pos %vout
OpEntryPoint Fragment %fmain "shade" %fin %color
OpExecutionMode %fmain OriginUpperLeft
OpDecorate %pos BuiltIn Position
OpDecorate %vout Location 1
OpDecorate %fin Location 1
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%po = OpTypePointer Output %v4
%pi = OpTypePointer Input %v4
%one = OpConstant %float 1
%ones = OpConstantComposite %v4 %one %one %one %one
%pos = OpVariable %po Output
%vout = OpVariable %po Output
%fin = OpVariable %pi Input
%color = OpVariable %po Output
%vmain = OpFunction %void None %fn
%vl = OpLabel
OpStore %pos %ones
OpStore %vout %ones
OpReturn
OpFunctionEnd
%fmain = OpFunction %void None %fn
%fl = OpLabel
%x = OpLoad %v4 %fin
OpStore %color %x
OpReturn
OpFunctionEnd
`

// heldFiles are the files that command lines name.
func heldFiles(t *testing.T) map[string]string {
	t.Helper()
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return map[string]string{
		"tiny.spvasm": read("testdata/asm/spec_module.spvasm"), "two.spvasm": heldTwo, "add.amber": read("../../testdata/add.amber"), "state.json": read("../../testdata/lit.state.json"), "layout.json": read("../../testdata/blur.layout.json"),
		"tiny.s": "nop\nend\n", "wanted.txt": "tiny.spvasm\n# no more\n", "settings.yaml": "target: agx\nopt-level: 1\n", "matrix.yaml": "sources: [tiny.spvasm]\ntargets: [ir3, agx]\n",
	}
}

// line runs a command line and adds all that it says and writes to a digest.
func heldLine(t *testing.T, d *gputest.Digest, args []string) (code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, streams{strings.NewReader(""), &out, &err})
	d.Text(args)
	d.Words(uint32(code))
	d.Bytes(heldTimes.ReplaceAll(out.Bytes(), []byte("$1 time")))
	d.Bytes(heldTimes.ReplaceAll(err.Bytes(), []byte("$1 time")))
	if code == exitInternal {
		t.Errorf("%q: exit code %d: %s", args, code, err.String())
	}
	return code
}

// fresh makes the directory what it was before a line, and adds what the line left there to the digest.
func fresh(t *testing.T, d *gputest.Digest, keep map[string]string) {
	t.Helper()
	var gone []string
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(path, "kept") {
			return err
		}
		data, err := os.ReadFile(path)
		if was, ok := keep[path]; ok && was == string(data) {
			return err
		}
		if d.Text(path); !strings.HasPrefix(path, "store") { // entries of a cache say when they were made
			d.Bytes(data)
		}
		gone = append(gone, strings.SplitN(path, string(filepath.Separator), 2)[0])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Compact(gone) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if was, ok := keep[path]; ok {
			write(t, path, was)
		}
	}
}

// write writes a file that is old.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Unix(1e9, 0) // a cache keeps nothing of what was written during a compile
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// heldValues are values to try of a flag.
func heldValues(c *cobra.Command, f *pflag.Flag) []string {
	if list, ok := heldWords[f.Name]; ok {
		return list
	}
	if complete, ok := completions.Get()[f.Name]; ok {
		list := append(complete(c), "x")
		for i := range list {
			list[i], _, _ = strings.Cut(list[i], "\t")
		}
		step := (len(list) + 5) / 6
		var some []string
		for i := 0; i < len(list); i += step {
			some = append(some, list[i])
		}
		return some
	}
	switch f.Value.Type() {
	case "bool":
		return []string{"true", "false"}
	case "int", "uint32", "uint64":
		return []string{"0", "1", "7", "-1"}
	}
	return []string{"x"}
}

// TestHeldCommands gives each command each of its flags, and several of them at random, with values that there are and that there are not: what is printed, written and returned is what
// the table has, or a change means to change it (go test -update).
func TestHeldCommands(t *testing.T) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "NIRC_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("NIRC_JOBS", "2") // whatever processors there are
	known := identify
	t.Cleanup(func() { identify = known })
	identify = func() identity { return identity{head: head{1, "nirc version"}, Code: "held", Go: "go"} } // keys of a cache go by the build
	files := heldFiles(t)
	rows := map[string]string{}
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range files {
		write(t, name, text)
	}
	prepareHeld(t, files)
	eachCommand(func(name string, c *cobra.Command) {
		switch name {
		case "man", "version": // what these say goes by the build, and all help
			return
		case "reduce": // it runs programs of the machine
			return
		}
		if !c.Runnable() {
			return
		}
		var d gputest.Digest
		lines, codes := 0, [6]int{}
		var options, fine []string // fine are those that do by themselves
		try := func(args ...string) int {
			line := append(strings.Fields(name), args...)
			code := heldLine(t, &d, append(line, heldLines[name]...))
			if code < len(codes) {
				codes[code]++
			}
			lines++
			fresh(t, &d, files)
			return code
		}
		try()
		each := func(f *pflag.Flag) {
			if slices.Contains(heldSkips, f.Name) || strings.HasPrefix(f.Name, "remote-") || strings.HasPrefix(f.Name, "tls-") {
				return
			}
			for _, v := range heldValues(c, f) {
				o := "--" + f.Name + "=" + v
				if options = append(options, o); try(o) == 0 {
					fine = append(fine, o)
				}
			}
		}
		ownFlags(c, each)
		c.InheritedFlags().VisitAll(each)
		rows["nirc "+name] = fmt.Sprintf("%d\t%v\t%016x", lines, codes, uint64(d))
		d, lines, codes = 0, 0, [6]int{}
		r := rand.New(rand.NewPCG(uint64(len(name)), uint64(len(options))))
		for range len(options) / 2 { // two of them, or three, and sometimes another file
			var args []string
			for range 2 + r.IntN(4)/3 {
				list := options
				if len(fine) > 0 && r.IntN(6) > 0 {
					list = fine
				}
				args = append(args, list[r.IntN(len(list))])
			}
			if slices.Contains(heldLines[name], "tiny.spvasm") && r.IntN(3) == 0 {
				args = append(args, "two.spvasm")
			}
			try(args...)
		}
		rows["nirc "+name+", several"] = fmt.Sprintf("%d\t%v\t%016x", lines, codes, uint64(d))
	})
	t.Chdir(home)
	gputest.HoldTable(t, "held_commands.tsv", rows)
}

// prepareHeld makes the files that others are made of.
func prepareHeld(t *testing.T, files map[string]string) {
	t.Helper()
	for name, args := range map[string][]string{
		"tiny.o": {"compile", "tiny.spvasm"}, "a.json": {"stats", "tiny.spvasm", "--json"}, "b.json": {"stats", "tiny.spvasm", "--json", "-O", "0"},
		"c.json": {"cost", "tiny.spvasm", "--json"}, "d.json": {"cost", "tiny.spvasm", "--json", "-O", "0"},
	} {
		var out, said bytes.Buffer
		if args[0] == "compile" {
			args = append(args, "-o", "-")
		}
		if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &said}); code != 0 {
			t.Fatalf("%q: %s", args, said.String())
		}
		files[name] = out.String()
		write(t, name, out.String())
	}
	for _, args := range [][]string{{"cache", "build", "--dir", "kept", "tiny.spvasm"}, {"cache", "export", "--dir", "kept", "kept.zip"}, {"foz", "pack", "tiny.spvasm", "-o", "kept.foz"},
		{"compile", "two.spvasm", "--entry", "shade", "-t", "agx", "--abi", "separate", "-o", "main.o"}} {
		var said bytes.Buffer
		if code := run(t.Context(), args, streams{strings.NewReader(""), &said, &said}); code != 0 {
			t.Fatalf("%q: %s", args, said.String())
		}
	}
	data, err := os.ReadFile("main.o")
	if err != nil {
		t.Fatal(err)
	}
	files["main.o"] = string(data)
}
