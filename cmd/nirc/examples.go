package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nirc/internal/lazy"
)

// examples are what --help and the manual show of commands, by their words after nirc. TestExamples runs them, in a directory
// with the shaders that nirc comes with.
var examples = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"":              "nirc testdata/lit.frag.spv -o lit.o",
		"compile":       "nirc compile testdata/lit.frag.spv -t all -o out/\nnirc compile testdata/blur.comp.spv --emit asm -o -\nnirc compile testdata/*.comp.spv -t all -o shaders.pak",
		"opt":           "nirc opt -t ir --passes 'lower_vars_to_ssa,loop(opt_copy_prop,opt_cse,opt_dce)' \\\n  testdata/blur.comp.spv",
		"asm":           "nirc asm -t agx listing.s -o listing.bin",
		"disasm":        "nirc disasm -g object.o\nnirc disasm -t agx listing.bin",
		"amber":         "nirc amber -t all testdata/add.amber",
		"bisect":        "nirc bisect -t ir3 testdata/add.amber   # exit code 1: the script does not fail",
		"reduce":        "nirc reduce testdata/blur.comp.spv -o small.spv -- nirc compile -t ir3 -o /dev/null",
		"passes":        "nirc passes -t ir3 --stage fragment\nnirc passes --format markdown",
		"targets":       "nirc targets --format markdown",
		"ops":           "nirc ops --format csv",
		"run":           "nirc run testdata/blur.comp.spv -t all --dispatch 1,1,1 --buffer 0.0=f32:1,2,3,4 \\\n  --buffer '0.1=f32:0*4' --push 'i32:4;f32:0.2,0.4,0.2'",
		"reflect":       "nirc reflect testdata/lit.frag.spv\nnirc reflect testdata/lit.frag.spv --format csv",
		"stats":         "nirc stats 'testdata/*.spv' -t all --format csv\nnirc stats testdata/lit.frag.spv --columns inst,code_bytes\nnirc stats --explain inst",
		"stats diff":    "nirc stats diff before.json after.json --fail-on 'total:inst>2%'",
		"cost":          "nirc cost testdata/lit.frag.spv -t midgard --gpu t720,t880\nnirc cost --lines testdata/lit.frag.spv -t all",
		"cost diff":     "nirc cost diff cost-before.json cost-after.json --fail-on 'total cycles>+2%'",
		"report":        "nirc report testdata/lit.frag.spv -t all -o report.html",
		"init":          "nirc init --ci github -t ir3,agx project",
		"link":          "nirc link main.o --state state.json -o whole.o",
		"config show":   "nirc config show cache build --origin",
		"man":           "nirc man -o man",
		"version":       "nirc version --json",
		"foz ls":        "nirc foz ls shaders.foz --format csv",
		"foz extract":   "nirc foz extract shaders.foz -o modules",
		"foz pack":      "nirc foz pack -o packed.foz 'testdata/*.spv'",
		"cache build":   "nirc cache build --dir cache 'testdata/*.spv' -t all --gpu a630,a740",
		"cache ls":      "nirc cache ls --dir cache --format csv",
		"cache index":   "nirc cache index --dir cache testdata/lit.frag.spv -t all",
		"cache get":     "nirc cache get --dir cache testdata/lit.frag.spv -t agx -o lit.o",
		"cache rm":      "nirc cache rm --dir cache testdata/lit.frag.spv -t midgard",
		"cache pack":    "nirc cache pack --dir cache -o shaders.pak",
		"cache execute": "nirc cache execute requests.json -o out",
		"cache verify":  "nirc cache verify --dir cache",
		"cache merge":   "nirc cache merge --dir all cache",
		"cache gc":      "nirc cache gc --dir cache --max-size 1G",
		"cache stats":   "nirc cache stats --dir cache --json",
		"cache export":  "nirc cache export --dir cache cache.nircpack",
		"cache import":  "nirc cache import --dir other cache.nircpack",
	}
}}

// addExamples gives commands their examples.
func addExamples(root *cobra.Command) {
	visitCommands(root, func(c *cobra.Command) {
		name := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), root.Name()))
		c.Example = examples.Get()[name]
		if name != "" && c.Example != "" {
			c.Example = "  " + strings.ReplaceAll(c.Example, "\n", "\n  ")
		}
	})
}
