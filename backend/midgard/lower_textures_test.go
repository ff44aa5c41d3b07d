package midgard

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"

	"nirc/ir"
)

//go:embed testdata/ir/textures.nir
var texturesText string

// Texture operations stand where their results are first read, in their order, but none moves over what may end
// the threads that derivatives need, nor where its result takes less than its coordinates.
func TestSinkTextures(t *testing.T) {
	s, err := ir.Parse(texturesText)
	if err != nil {
		t.Fatal(err)
	}
	sinkTextures(s.Entry().Impl)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	var ops []string
	for _, m := range regexp.MustCompile(`= (tex|fadd|fmul|txl)\b|(demote)\b`).FindAllStringSubmatch(ir.Print(s), -1) {
		ops = append(ops, m[1]+m[2])
	}
	const want = "tex demote txl tex tex fadd tex fadd fmul fadd fadd"
	if got := strings.Join(ops, " "); got != want {
		t.Errorf("%s, want %s\n%s", got, want, ir.Print(s))
	}
}
