package targets

import "regexp"

// lacking are GPUs of the targets' families that no target has, and what public sources do not say of them.
var lacking = []struct {
	name *regexp.Regexp
	why  string
}{
	// Mesa's list of devices gives them the 7xx's instructions, and a quirk without its rule (docs/targets/ir3.md).
	{regexp.MustCompile(`^(a8\d\d|x2-\d\d)$`), "Adreno 8xx: no public source says which conversions of integers its scalar unit gets wrong"},
	{regexp.MustCompile(`^t60[04]$`), "it loads flat varyings by the types of their descriptors, and no public source says how it converts (docs/isa/midgard.md §13)"},
}

// Lacks says why no target has a GPU although it belongs to the family of one, "" of others.
func Lacks(gpu string) string {
	for i := range lacking {
		if lacking[i].name.MatchString(gpu) {
			return lacking[i].why
		}
	}
	return ""
}
