package passes

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// ofWorkgroup is a number that all lanes of a subgroup share.
func ofWorkgroup(b *ir.Builder, _ *ir.Def) *ir.Def {
	return b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
}

// TestUniformSubgroup: operations on a value that all lanes share give what they gave, with all lanes and with some; none that is
// one of numbers, or of what stays the same however many lanes take part, is left.
func TestUniformSubgroup(t *testing.T) {
	stay := map[string]bool{"reduce imul 0": true, "inclusive_scan imul 0": true, "exclusive_scan imul 0": true}
	gone := 0
	for _, c := range subgroupCases() {
		for _, mask := range []uint64{1<<subgroupLanes - 1, 0xa5c3_9f31_e6, 1 << 37} {
			s := subgroupShaderOf(c, mask, subgroupLanes, ofWorkgroup)
			if ir.Validate(s) != nil { // what ballots of more words are asked, before ballot_words
				continue
			}
			asked := s
			if moves := strings.Fields("shuffle shuffle_xor shuffle_up shuffle_down rotate read_invocation"); slices.Contains(moves, c.name) {
				// What a lane that is not there would give is open: it is what all others have.
				own := subgroupCase{make: func(_ *ir.Builder, _, x *ir.Def) *ir.Def { return x }}
				asked = subgroupShaderOf(own, mask, subgroupLanes, ofWorkgroup)
			}
			want, err := runSubgroup(ir.Clone(asked), 64)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			before := ir.Print(s)
			progress, err := RunPass(s, "opt_uniform_subgroup")
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(s))
			}
			got, err := runSubgroup(s, 64)
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(s))
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: results differ:\n%x\n%x\n%s\n%s", c.name, want, got, before, ir.Print(s))
			}
			op, cluster, _ := strings.Cut(c.name[strings.Index(c.name, " ")+1:], " ")
			scan := strings.Contains(c.name, "scan") || strings.HasPrefix(c.name, "reduce ")
			if whole := scan && cluster == "0" && !stay[c.name] && op != "fadd" && op != "fmul"; whole && !progress {
				t.Errorf("%s stays:\n%s", c.name, before)
			}
			if progress {
				gone++
			}
		}
	}
	if gone < 100 {
		t.Errorf("%d operations became arithmetic", gone)
	}
}

// Lanes may find different things where others write, if loads must see it; what one of them found is for all then.
func TestUniformSubgroupChanges(t *testing.T) {
	c := subgroupCase{make: func(b *ir.Builder, _, x *ir.Def) *ir.Def {
		return &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, x).Def
	}}
	for _, access := range []ir.Access{0, ir.AccessCoherent, ir.AccessVolatile} {
		s := subgroupShaderOf(c, 7, 3, func(b *ir.Builder, _ *ir.Def) *ir.Def {
			return &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, b.Imm32(0), b.Imm32(16)).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(access)).Def
		})
		progress, err := RunPass(s, "opt_uniform_subgroup")
		if err != nil || progress != (access == 0) {
			t.Errorf("access %d: progress %v, %v\n%s", access, progress, err, ir.Print(s))
		}
	}
}
