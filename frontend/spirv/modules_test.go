package spirv

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// tally counts what became of modules.
type tally struct {
	ok, refused, failed int
	words               int
	spent               time.Duration
	reasons             map[string]int
}

// check translates every entry point of a valid module and validates the
// result. What the frontend says it does not support is counted apart.
func (c *tally) check(t *testing.T, name string, data []byte) {
	t.Helper()
	m, err := spv.Parse(data)
	if err != nil {
		c.failed++
		t.Errorf("%s: parse: %v", name, err)
		return
	}
	for _, e := range EntryPoints(m) {
		start := time.Now()
		s, err := Translate(m, Options{Entry: e.Name, Stage: e.Stage, panics: os.Getenv("NIRC_PANICS") != ""})
		c.spent += time.Since(start)
		c.words += len(m.Words)
		if err != nil {
			if errors.Is(err, errors.ErrUnsupported) {
				c.refused++
				c.reasons[reason(err)]++
				if os.Getenv("NIRC_VERBOSE") != "" {
					t.Logf("%s: %s: %v", name, e.Name, err)
				}
				continue
			}
			c.failed++
			t.Errorf("%s: %s: %v", name, e.Name, err)
			continue
		}
		if err := ir.Validate(s); err != nil {
			c.failed++
			t.Errorf("%s: %s: %v", name, e.Name, err)
			continue
		}
		c.ok++
	}
}

func reason(err error) string {
	s := strings.SplitN(err.Error(), "\n", 2)[0]
	if i := strings.LastIndex(s, ": "); i >= 0 {
		s = s[i+2:]
	}
	return s
}

func (c *tally) report(t *testing.T) {
	var keys []string
	for k := range c.reasons {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return c.reasons[keys[i]] > c.reasons[keys[j]] })
	for _, k := range keys {
		t.Logf("%5d refused: %s", c.reasons[k], k)
	}
	t.Logf("%d entry points translate and validate, %d are refused, %d fail; %d words in %v", c.ok, c.refused, c.failed, c.words, c.spent)
}

// TestModules translates the .spv files of the folder NIRC_MODULES.
func TestModules(t *testing.T) {
	dir := os.Getenv("NIRC_MODULES")
	if dir == "" {
		t.Skip("NIRC_MODULES does not name a folder of modules")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.spv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules in %s: %v", dir, err)
	}
	c := tally{reasons: map[string]int{}}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c.check(t, filepath.Base(f), data)
	}
	c.report(t)
}
