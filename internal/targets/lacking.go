package targets

import (
	"regexp"
	"sync"
)

// lack is GPUs by name, and why no target has them.
type lack struct {
	name *regexp.Regexp
	why  string
}

// lacking are GPUs of the targets' families that no target has, and what public sources do not say of them.
var lacking = sync.OnceValue(func() []lack {
	return []lack{
		// Mesa's list of devices gives them the a750's properties, and a quirk of the scalar unit without its rule (docs/isa/ir3.md §1.8).
		{regexp.MustCompile(`^(a8\d\d|x2-\d\d)$`), "Adreno 8xx: no public source says which instructions it encodes otherwise than the 7xx, and how long its results take (docs/isa/ir3.md §1.8)"},
		// Mesa's list of devices goes from the a702 to the a725; forks give them the a730's row, without a source.
		{regexp.MustCompile(`^a7[12][0-4]$`), "no public source has its properties"},
		{regexp.MustCompile(`^t60[04]$`), "it loads flat varyings by the types of their descriptors, and no public source says how it converts (docs/isa/midgard.md §13)"},
	}
})

// Lacks says why no target has a GPU although it belongs to the family of one, "" of others.
func Lacks(gpu string) string {
	for _, l := range lacking() {
		if l.name.MatchString(gpu) {
			return l.why
		}
	}
	return ""
}
