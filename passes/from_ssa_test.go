package passes

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// TestFromSSA holds what from_ssa makes of random shaders: registers that could be one and are two, and copies that nobody needs, show in
// nothing but this.
func TestFromSSA(t *testing.T) {
	var b strings.Builder
	b.WriteString("seed\tregisters\tdigest\n")
	for seed := range uint64(120) {
		s := irtest.RandomShader(4000+seed, 60+int(seed)%140)
		p, err := ParsePassList("from_ssa")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text := ir.Print(s)
		fmt.Fprintf(&b, "%d\t%d\t%x\n", seed, strings.Count(text, "decl_reg"), sha256.Sum256([]byte(text)))
	}
	checkTable(t, "testdata/from_ssa.tsv", b.String())
}
