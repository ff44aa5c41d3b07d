package passes

import (
	"fmt"
	"slices"
	"strings"

	"nirc/ir"
)

// ParsePassList reads the list that --passes takes: passes with options,
// separated by commas, loop(…) around those to repeat, and hook(…):
// "a,b(opt=1,mode=x|y),hook(slots),loop(c,d)".
func ParsePassList(text string) (*Pipeline, error) {
	pp := listParser{text: text}
	items, err := pp.list(0)
	if err != nil {
		return nil, fmt.Errorf("--passes: %w", err)
	}
	r := resolver{env: condEnv{stage: ir.StageNone}, keys: map[string]int{}}
	out := &Pipeline{Name: "passes", has: map[string]bool{}}
	out.steps = r.items(items, out)
	out.slots = len(r.keys)
	return out, nil
}

type listParser struct {
	text string
	pos  int
}

func (p *listParser) space() {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\n' || p.text[p.pos] == '\t') {
		p.pos++
	}
}

// until returns the trimmed text up to one of the stop bytes.
func (p *listParser) until(stops string) string {
	start := p.pos
	for p.pos < len(p.text) && !strings.ContainsRune(stops, rune(p.text[p.pos])) {
		p.pos++
	}
	return strings.TrimSpace(p.text[start:p.pos])
}

func (p *listParser) eat(c byte) bool {
	p.space()
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *listParser) list(depth int) ([]*item, error) {
	var out []*item
	for {
		p.space()
		name := p.until(",()")
		if name == "" {
			if depth == 0 && p.pos == len(p.text) && len(out) == 0 {
				return nil, nil
			}
			return nil, fmt.Errorf("want a pass at %q", p.text[p.pos:])
		}
		it, err := p.item(name, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, it)
		if p.eat(',') {
			continue
		}
		if depth > 0 && p.eat(')') {
			return out, nil
		}
		if p.space(); depth == 0 && p.pos == len(p.text) {
			return out, nil
		}
		return nil, fmt.Errorf("want ',' or ')' at %q", p.text[p.pos:])
	}
}

func (p *listParser) item(name string, depth int) (*item, error) {
	open := p.eat('(')
	if name == "loop" {
		if !open || depth > 8 {
			return nil, fmt.Errorf("want loop(pass, …), nested at most 8 deep")
		}
		body, err := p.list(depth + 1)
		if err != nil {
			return nil, err
		}
		if hasHook(body) {
			return nil, fmt.Errorf("a hook runs once: it cannot be in a loop")
		}
		return &item{loop: true, max: defaultMax, body: body}, nil
	}
	if name == "hook" && open {
		hook := p.until(")")
		if !slices.Contains(hookNames, hook) || !p.eat(')') {
			return nil, fmt.Errorf("want hook(%s)", strings.Join(hookNames, ") or hook("))
		}
		return &item{hook: hook}, nil
	}
	pass := Find(name)
	if pass == nil {
		return nil, fmt.Errorf("no pass %q%s", name, suggest(name))
	}
	c := NewContext(pass)
	for open {
		kv := p.until(",)")
		if p.pos == len(p.text) {
			return nil, fmt.Errorf("want ')' after the options of %s", name)
		}
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			v = "true"
		}
		if err := c.SetOption(strings.TrimSpace(k), strings.TrimSpace(v)); err != nil {
			return nil, err
		}
		if p.eat(')') {
			break
		}
		if !p.eat(',') {
			return nil, fmt.Errorf("want ')' after the options of %s", name)
		}
	}
	return &item{pass: c}, nil
}
