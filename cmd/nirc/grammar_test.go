package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachCommand calls f for each command of nirc; those that the library makes are left out.
func eachCommand(f func(name string, c *cobra.Command)) {
	root := (&app{}).root()
	visitCommands(root, func(c *cobra.Command) {
		if name := strings.TrimPrefix(c.CommandPath(), "nirc"); !strings.HasPrefix(name, " completion") && c.Name() != "help" {
			f(strings.TrimSpace(name), c)
		}
	})
}

// ownFlags are the flags that a command declares, for itself and for those below it.
func ownFlags(c *cobra.Command, f func(*pflag.Flag)) {
	c.LocalFlags().VisitAll(f) // those of the commands above are not among them
}

// grammar is what a flag takes.
type grammar struct{ short, kind, value, def, help string }

func grammarOf(f *pflag.Flag) grammar {
	value, help := pflag.UnquoteUsage(f)
	return grammar{f.Shorthand, f.Value.Type(), value, f.DefValue, help}
}

// A setting has one name, one grammar, one default and one help in all commands, and is declared in one place.
func TestOneGrammar(t *testing.T) {
	shared := map[string]bool{}
	for _, f := range sharedFlags {
		shared[f.name] = true
	}
	// What a command writes with -o is its own affair; the rest of the grammar is not.
	ownWords := map[string]bool{"output": true}
	type use struct {
		grammar
		first string
		uses  int
	}
	seen := map[string]*use{}
	names := 0
	eachCommand(func(name string, c *cobra.Command) {
		names++
		ownFlags(c, func(f *pflag.Flag) {
			g := grammarOf(f)
			if ownWords[f.Name] {
				g.def, g.help, g.value = "", "", ""
			}
			u := seen[f.Name]
			if u == nil {
				seen[f.Name] = &use{g, name, 1}
				return
			}
			u.uses++
			if f.Name == "help" || name == "" || u.first == "" { // nirc alone is nirc compile
				return
			}
			if u.grammar != g {
				t.Errorf("--%s: nirc %s has %+v, nirc %s has %+v", f.Name, u.first, u.grammar, name, g)
			}
			if !shared[f.Name] {
				t.Errorf("--%s is of nirc %s and of nirc %s, and stands not in sharedFlags", f.Name, u.first, name)
			}
		})
	})
	short := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		u := seen[name]
		if u.short != "" && short[u.short] != "" {
			t.Errorf("-%s is --%s and --%s", u.short, short[u.short], name)
		}
		short[u.short] = name
		if shared[name] && u.uses < 2 {
			t.Errorf("--%s stands in sharedFlags, but one command alone has it: nirc %s", name, u.first)
		}
	}
	t.Logf("%d settings, %d of them shared, in %d commands", len(seen), len(sharedFlags), names)
}

// What compiles modules takes all flags of compileFlags, what reports those of reportFlags.
func TestGroups(t *testing.T) {
	compiling := []string{"compile", "opt", "run", "stats", "cost", "report", "cache build", "cache index", "cache get"}
	reporting := []string{"amber", "bisect", "run", "stats", "stats diff", "cost", "cost diff", "reflect", "passes", "targets", "ops", "config show", "version", "foz ls",
		"cache build", "cache ls", "cache index", "cache verify", "cache gc", "cache merge", "cache stats", "cache pack"}
	has := func(c *cobra.Command, name string, group []string) {
		for _, f := range group {
			if c.Flags().Lookup(f) == nil && c.InheritedFlags().Lookup(f) == nil {
				t.Errorf("nirc %s has no --%s", name, f)
			}
		}
	}
	found := 0
	eachCommand(func(name string, c *cobra.Command) {
		if slices.Contains(compiling, name) {
			has(c, name, compileFlags)
			found++
		}
		if slices.Contains(reporting, name) {
			has(c, name, reportFlags)
			found++
		} else if c.Flags().Lookup("format") != nil {
			t.Errorf("nirc %s has --format, and is not in the list of reports", name)
		}
	})
	if found != len(compiling)+len(reporting) {
		t.Errorf("%d of %d commands", found, len(compiling)+len(reporting))
	}
}

// Each command and flag has help, whose lines a terminal of 100 columns shows whole.
func TestHelp(t *testing.T) {
	const columns = 100
	eachCommand(func(name string, c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("nirc %s has no help", name)
		}
		if c.Runnable() && c.Example == "" && !c.HasSubCommands() {
			t.Errorf("nirc %s has no example", name)
		}
		ownFlags(c, func(f *pflag.Flag) {
			if strings.TrimSpace(f.Usage) == "" {
				t.Errorf("nirc %s: --%s has no help", name, f.Name)
			}
		})
		for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > columns {
				t.Errorf("nirc %s --help: a line of %d columns: %s", name, n, line)
			}
		}
	})
	for name := range examples.Get() {
		if c, rest, err := (&app{}).root().Find(strings.Fields(name)); err != nil || len(rest) > 0 {
			t.Errorf("an example of nirc %s, which is no command (%s)", name, c.Name())
		}
	}
}

var exampleExit = regexp.MustCompile(`exit code (\d+)`)

// The examples run as they stand there.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(repository, "testdata"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.WriteFile("state.json", []byte(`{"fragment": {"targets": [{"format": "R8G8B8A8_UNORM", "blend": {"WriteMask": 15}}], "samples": 1}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("requests.json", noRequests, 0o666); err != nil {
		t.Fatal(err)
	}
	nirc := func(line, to string, want int) {
		t.Helper()
		args, err := splitArgs(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs}); code != want {
			t.Errorf("nirc %s: exit code %d, want %d\n%s", line, code, want, errs.String())
		}
		if to != "" {
			if err := os.WriteFile(to, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	// What examples find there.
	const shader = "testdata/lit.frag.spv"
	nirc("compile -g "+shader+" -o object.o", "", 0)
	nirc("compile "+shader+" -t agx --emit asm -o listing.s", "", 0)
	nirc("compile "+shader+" -t agx --abi separate -o main.o", "", 0)
	nirc("stats --json -O 1 "+shader, "before.json", 0)
	nirc("stats --json "+shader, "after.json", 0)
	nirc("cost --json "+shader, "cost-before.json", 0)
	nirc("cost --json "+shader, "cost-after.json", 0)
	nirc("foz pack -o shaders.foz "+shader, "", 0)
	n := 0
	eachCommand(func(name string, c *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(examples.Get()[name], "\\\n", " ")) {
			line, comment, _ := strings.Cut(strings.TrimSpace(line), "  #")
			want := 0
			if m := exampleExit.FindStringSubmatch(comment); m != nil {
				want, _ = strconv.Atoi(m[1])
			}
			n++
			if strings.Contains(line, " -- nirc ") && exec.Command("nirc").Err != nil {
				continue // it is run by another nirc, which is not here
			}
			nirc(strings.TrimPrefix(line, "nirc "), "", want)
		}
	})
	if n < len(examples.Get()) {
		t.Errorf("%d examples of %d commands", n, len(examples.Get()))
	}
}

// Each shared flag can be declared, and its check takes its default.
func TestSharedFlags(t *testing.T) {
	for i := range sharedFlags {
		d := &sharedFlags[i]
		s, f := &shared{}, pflag.NewFlagSet("test", pflag.ContinueOnError)
		d.declare(s, f)
		flag := f.Lookup(d.name)
		if d.check != nil && flag.DefValue != "" {
			if err := d.check(flag.DefValue); err != nil {
				t.Errorf("--%s refuses its default: %v", d.name, err)
			}
		}
		if reflect.ValueOf(d.value(s)).IsNil() {
			t.Errorf("--%s has no value", d.name)
		}
	}
}
