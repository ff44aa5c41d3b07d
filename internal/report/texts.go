package report

import (
	"encoding/json"
	"html/template"
	"strings"
)

// maxTexts bounds what the texts of one pipeline take in a page.
const maxTexts = 2 << 20

// Texts keeps the text of a shader after each step, so that a page can compare any two: lines are
// stored once, and a step as what differs from the one before it.
type Texts struct {
	lines []string
	index map[string]int
	steps []textStep
	last  []int
	size  int
}

// textStep says how a text comes of the one before it: so many lines from its start and its end, and
// what stands between.
type textStep struct {
	Front int   `json:"f"`
	Back  int   `json:"b"`
	Lines []int `json:"l"`
}

// Add adds the text after a step.
func (t *Texts) Add(text string) {
	if t.index == nil {
		t.index = map[string]int{}
	}
	var now []int
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		n, ok := t.index[l]
		if !ok {
			n = len(t.lines)
			t.index[l], t.lines = n, append(t.lines, l)
			t.size += len(l) + 3
		}
		now = append(now, n)
	}
	s := textStep{}
	for s.Front < len(now) && s.Front < len(t.last) && now[s.Front] == t.last[s.Front] {
		s.Front++
	}
	for s.Back < len(now)-s.Front && s.Back < len(t.last)-s.Front && now[len(now)-1-s.Back] == t.last[len(t.last)-1-s.Back] {
		s.Back++
	}
	s.Lines = append([]int{}, now[s.Front:len(now)-s.Back]...)
	t.size += 16 + 5*len(s.Lines)
	t.steps, t.last = append(t.steps, s), now
}

// JSON is what the page reads; "" if that would be too much for it.
func (t *Texts) JSON() template.JS {
	if t == nil || t.size > maxTexts {
		return ""
	}
	b, err := json.Marshal(struct {
		Lines []string   `json:"lines"`
		Steps []textStep `json:"steps"`
	}{t.lines, t.steps})
	if err != nil {
		return ""
	}
	return template.JS(b) // Marshal escapes what could end the script
}
