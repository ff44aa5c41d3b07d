package main

import (
	_ "embed"
	"reflect"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/passes"
)

// nirOptions lists the options of NIR's passes from outside, and what has each here.
//
//go:embed nir_options.tsv
var nirOptions string

// TestNIROptions: each option of NIR's passes, as nir.h of Mesa 25.0.7 has them, is one of a pass here or a wish of the target's,
// or has a reason; none is listed twice, and none is left out by accident.
func TestNIROptions(t *testing.T) {
	options := map[string]bool{}
	for _, p := range passes.Registry() {
		options[p.Name] = true
		for _, o := range p.Options {
			options[p.Name+"("+o.Name+")"] = true
		}
	}
	for i, wishes := 0, reflect.TypeFor[ir.Options](); i < wishes.NumField(); i++ {
		options["Options."+wishes.Field(i).Name] = true
	}
	seen, reasons := map[string]bool{}, 0
	for line := range strings.Lines(nirOptions) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cols) != 3 {
			t.Fatalf("%q has %d columns", line, len(cols))
		}
		names := strings.Fields(cols[1])
		for _, n := range names {
			if seen[cols[0]+"."+n] {
				t.Errorf("%s of %s is listed twice", n, cols[0])
			}
			seen[cols[0]+"."+n] = true
		}
		switch why, isReason := strings.CutPrefix(cols[2], "- "); {
		case isReason && len(why) < 20:
			t.Errorf("%s: the reason says nothing: %q", cols[1], why)
		case isReason:
			reasons += len(names)
		case !options[cols[2]]:
			t.Errorf("%s of %s: there is no %s", cols[1], cols[0], cols[2])
		}
	}
	if len(seen) != nirOptionCount {
		t.Errorf("%d options, and %d are in nir.h", len(seen), nirOptionCount)
	}
	t.Logf("%d options of NIR's passes: %d have one here, %d a reason", len(seen), len(seen)-reasons, reasons)
}

// nirOptionCount is how many options the structs and flags that the list names have in nir.h of Mesa 25.0.7, without what is
// handed on to callbacks.
const nirOptionCount = 243
