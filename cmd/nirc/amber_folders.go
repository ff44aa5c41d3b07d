package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"nirc/internal/amber"
)

// tallies counts verdicts by folder, and skipped scripts by their reasons.
type tallies struct {
	folders map[string]*amber.Summary
	skipped map[string]int
}

// particular is what reasons of the same kind differ in: names, numbers, ids.
var particular = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"]*"|%?\b\d+\b|\S+\.(comp|frag|vert|geom|tesc|tese)\b`)
})

func (t *tallies) add(path string, r amber.Result) {
	if t.folders == nil {
		t.folders, t.skipped = map[string]*amber.Summary{}, map[string]int{}
	}
	dir := filepath.Dir(path)
	if t.folders[dir] == nil {
		t.folders[dir] = &amber.Summary{}
	}
	t.folders[dir].Add(r)
	if r.Verdict == amber.Skip {
		t.skipped[particular().ReplaceAllString(r.Reason, "…")]++
	}
}

// write writes a line a folder, then a line a reason, the most frequent first.
func (t *tallies) write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tab, "\nfolder\tpass\tfail\tskip\texpectations\n")
	for _, dir := range slices.Sorted(maps.Keys(t.folders)) {
		s := t.folders[dir]
		fmt.Fprintf(tab, "%s\t%d\t%d\t%d\t%d\n", dir, s.Pass, s.Fail, s.Skip, s.Checked)
	}
	reasons := slices.SortedFunc(maps.Keys(t.skipped), func(a, b string) int {
		if t.skipped[a] != t.skipped[b] {
			return t.skipped[b] - t.skipped[a]
		}
		return strings.Compare(a, b)
	})
	if len(reasons) > 0 {
		fmt.Fprintf(tab, "\nskipped\twhy\n")
	}
	for _, why := range reasons {
		fmt.Fprintf(tab, "%d\t%s\n", t.skipped[why], why)
	}
	fmt.Fprintln(tab)
	return tab.Flush()
}
