package figures

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nirc"
)

// Baseline is a table of another compiler's figures: columns file, stage,
// status, compile_us and stats (key=value;…), separated by tabs, with a header line.
type Baseline struct {
	Rows []BaselineRow
	Keys []string // names of figures, in the order of their first appearance
}

// BaselineRow is one shader of a baseline.
type BaselineRow struct {
	File, Stage, Status string
	Micros              float64
	stats               []int64 // by Baseline.Keys; absent where beyond the end or missing
}

// missing marks a figure that a row does not have.
const missing = math.MinInt64

// baselineHead is the header line of a baseline.
const baselineHead = "file\tstage\tstatus\tcompile_us\tstats"

// ReadBaseline reads a baseline. Errors name the line.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{}
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSuffix(scan.Text(), "\r")
		if n == 1 {
			if line != baselineHead {
				return nil, fmt.Errorf("line 1: want the columns %s", strings.ReplaceAll(baselineHead, "\t", ", "))
			}
			continue
		}
		if line == "" {
			continue
		}
		if err := b.row(strings.Split(line, "\t")); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(b.Rows) == 0 {
		return nil, fmt.Errorf("the table is empty")
	}
	return b, nil
}

func (b *Baseline) row(cols []string) error {
	if len(cols) < 3 {
		return fmt.Errorf("want at least 3 columns, have %d", len(cols))
	}
	r := BaselineRow{File: cols[0], Stage: cols[1], Status: cols[2]}
	var err error
	if len(cols) > 3 && cols[3] != "" && r.Status == "ok" {
		if r.Micros, err = strconv.ParseFloat(cols[3], 64); err != nil {
			return fmt.Errorf("compile_us %q is no number", cols[3])
		}
	}
	if len(cols) > 4 && r.Status == "ok" {
		for _, kv := range strings.Split(cols[4], ";") {
			k, v, ok := strings.Cut(kv, "=")
			f, err := strconv.ParseFloat(v, 64)
			if !ok || err != nil {
				return fmt.Errorf("figure %q: want key=number", kv)
			}
			i := slices.Index(b.Keys, k)
			if i < 0 {
				i = len(b.Keys)
				b.Keys = append(b.Keys, k)
			}
			for len(r.stats) <= i {
				r.stats = append(r.stats, missing)
			}
			r.stats[i] = int64(math.Round(f))
		}
	}
	b.Rows = append(b.Rows, r)
	return nil
}

// get returns the figure of Keys[i].
func (r *BaselineRow) get(i int) (int64, bool) {
	if i >= len(r.stats) || r.stats[i] == missing {
		return 0, false
	}
	return r.stats[i], true
}

// BaselineTarget reads target and GPU from a baseline's file name:
// ir3-a630.tsv is of target ir3 and GPU a630.
func BaselineTarget(path string) (target, gpu string) {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	target, gpu, ok := strings.Cut(name, "-")
	if _, err := nirc.Backend(target); !ok || target == "" || err != nil {
		return "", ""
	}
	return target, gpu
}

// ourFigure returns our figure for a baseline's key, which may have another name there.
func ourFigure(s *Shader, key string) (int64, bool) {
	for _, f := range figuresOf(s.Target) {
		if f.Baseline == key {
			if v, ok := s.Get(f.Name); ok {
				return v * max(1, f.BaselineScale), true
			}
		}
	}
	return s.Get(key)
}
