package passes

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load reads a pipeline file. name stands before line numbers in errors. The
// file is a mapping with three keys: lists (named lists of items to use),
// pipelines (one list of items a target; "common" serves all) and codegen (lists
// that code generators run by name; may be missing). An item is
//
//	pass                          the name of a pass
//	pass: {option: value, …}      a pass with options
//	use: LIST                     the items of a list
//	hook: NAME                    what the compile asks for beyond the list (Asked)
//	loop: [item, …]               repeat until a turn changes nothing
//	  max: N                      but at most N turns (64)
//	if: CONDITION                 see below
//	  then: [item, …]
//	  else: [item, …]
//
// A condition compares target, stage or level (target == agx, level >= O1,
// stage != fragment) or names a fact of the shader's Info (uses_discard), and
// is combined with !, &&, || and parentheses. Facts are looked up when the
// pipeline runs, everything else when it is resolved.
func Load(data []byte, name string) (*Pipelines, error) {
	p, err := LoadUnordered(data, name)
	if err == nil {
		err = p.checkOrder()
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// LoadUnordered is Load without a look at the order of the passes, which takes several times as long as
// the rest: for a file that is known to load.
func LoadUnordered(data []byte, name string) (*Pipelines, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	l := &loader{p: &Pipelines{name: name, lists: map[string]*list{}}, nodes: map[string]*yaml.Node{}}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:1: want a mapping with lists and pipelines", name)
	}
	if err := l.top(doc.Content[0]); err != nil {
		return nil, err
	}
	return l.p, nil
}

// loader turns the YAML tree into lists.
type loader struct {
	p     *Pipelines
	nodes map[string]*yaml.Node // lists not read yet
	busy  []string              // lists being read, to find cycles
}

func (l *loader) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.p.name, n.Line, fmt.Sprintf(format, args...))
}

func (l *loader) top(n *yaml.Node) error {
	var lists, pipes, codegen *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k := n.Content[i]; k.Value {
		case "lists":
			lists = n.Content[i+1]
		case "pipelines":
			pipes = n.Content[i+1]
		case "codegen":
			codegen = n.Content[i+1]
		default:
			return l.errorf(k, "unknown key %q (want lists, pipelines or codegen)", k.Value)
		}
	}
	if pipes == nil || pipes.Kind != yaml.MappingNode {
		return l.errorf(n, "no pipelines")
	}
	for _, m := range []*yaml.Node{lists, pipes, codegen} {
		if m == nil {
			continue
		}
		if m.Kind != yaml.MappingNode {
			return l.errorf(m, "want a mapping of names to lists")
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			k := m.Content[i]
			if l.nodes[k.Value] != nil {
				return l.errorf(k, "list %q is given twice", k.Value)
			}
			l.nodes[k.Value] = m.Content[i+1]
		}
	}
	var err error
	if l.p.names, err = l.section(pipes, pipelineList); err != nil {
		return err
	}
	if l.p.codegen, err = l.section(codegen, codegenList); err != nil {
		return err
	}
	// Mistakes show in lists that nothing uses, too.
	_, err = l.section(lists, usedList)
	return err
}

// section reads the lists below a key, nil if the file does not have it, and
// returns their names.
func (l *loader) section(m *yaml.Node, kind listKind) (names []string, err error) {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		name := m.Content[i].Value
		li, err := l.list(name, m.Content[i])
		if err != nil {
			return nil, err
		}
		li.kind = kind
		names = append(names, name)
	}
	return names, nil
}

// list returns the list of that name, reading it if it has not been.
func (l *loader) list(name string, at *yaml.Node) (*list, error) {
	if li := l.p.lists[name]; li != nil {
		return li, nil
	}
	n := l.nodes[name]
	if n == nil {
		return nil, l.errorf(at, "no list %q", name)
	}
	for _, b := range l.busy {
		if b == name {
			return nil, l.errorf(at, "list %q uses itself", name)
		}
	}
	l.busy = append(l.busy, name)
	items, err := l.items(n)
	if err != nil {
		return nil, err
	}
	l.busy = l.busy[:len(l.busy)-1]
	li := &list{name: name, items: items, line: n.Line}
	l.p.lists[name] = li
	return li, nil
}

func (l *loader) items(n *yaml.Node) ([]*item, error) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, l.errorf(n, "want a list of passes")
	}
	var out []*item
	for _, c := range n.Content {
		it, err := l.item(c)
		if err != nil {
			return nil, err
		}
		out = append(out, it)
	}
	return out, nil
}

func (l *loader) item(n *yaml.Node) (*item, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return l.passItem(n, n.Value, nil)
	case yaml.MappingNode:
		if len(n.Content) < 2 {
			return nil, l.errorf(n, "empty item")
		}
		switch n.Content[0].Value {
		case "loop", "max":
			return l.loopItem(n)
		case "if", "then", "else":
			return l.ifItem(n)
		case "use":
			li, err := l.list(n.Content[1].Value, n.Content[1])
			if err != nil {
				return nil, err
			}
			return &item{line: n.Line, use: li}, nil
		case "hook":
			return l.hookItem(n)
		}
		if len(n.Content) != 2 {
			return nil, l.errorf(n.Content[2], "an item is one pass; %q does not belong to %q", n.Content[2].Value, n.Content[0].Value)
		}
		return l.passItem(n, n.Content[0].Value, n.Content[1])
	}
	return nil, l.errorf(n, "want a pass, loop, if or use")
}

func (l *loader) hookItem(n *yaml.Node) (*item, error) {
	name := n.Content[1]
	if !slices.Contains(hookNames, name.Value) || len(n.Content) != 2 {
		return nil, l.errorf(name, "no hook %q (want %s)", name.Value, strings.Join(hookNames, " or "))
	}
	return &item{line: n.Line, hook: name.Value}, nil
}

func (l *loader) passItem(n *yaml.Node, name string, opts *yaml.Node) (*item, error) {
	p := Find(name)
	if p == nil {
		return nil, l.errorf(n, "no pass %q%s", name, suggest(name))
	}
	c := NewContext(p)
	if opts != nil && opts.Kind != yaml.MappingNode {
		return nil, l.errorf(opts, "want options of %s as {name: value}", name)
	}
	for i := 0; opts != nil && i+1 < len(opts.Content); i += 2 {
		if err := c.SetOption(opts.Content[i].Value, opts.Content[i+1].Value); err != nil {
			return nil, l.errorf(opts.Content[i], "%s", err)
		}
	}
	return &item{line: n.Line, pass: c}, nil
}

// hasHook reports whether items have a hook, anywhere.
func hasHook(items []*item) bool {
	return slices.ContainsFunc(items, func(it *item) bool {
		return it.hook != "" || it.use != nil && hasHook(it.use.items) || hasHook(it.body) || hasHook(it.els)
	})
}

func (l *loader) loopItem(n *yaml.Node) (*item, error) {
	it := &item{line: n.Line, loop: true, max: defaultMax}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "loop":
			body, err := l.items(v)
			if err != nil {
				return nil, err
			}
			it.body = body
		case "max":
			if err := v.Decode(&it.max); err != nil || it.max < 1 {
				return nil, l.errorf(v, "max wants a positive integer")
			}
		default:
			return nil, l.errorf(k, "unknown key %q of a loop", k.Value)
		}
	}
	if len(it.body) == 0 {
		return nil, l.errorf(n, "loop without passes")
	}
	if hasHook(it.body) {
		return nil, l.errorf(n, "a hook runs once: it cannot be in a loop")
	}
	return it, nil
}

func (l *loader) ifItem(n *yaml.Node) (*item, error) {
	it := &item{line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		var err error
		switch k.Value {
		case "if":
			if it.cond, err = parseCond(v.Value); err != nil {
				return nil, l.errorf(v, "%s", err)
			}
		case "then":
			it.body, err = l.items(v)
		case "else":
			it.els, err = l.items(v)
		default:
			return nil, l.errorf(k, "unknown key %q of an if", k.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	if it.cond == nil {
		return nil, l.errorf(n, "then or else without if")
	}
	return it, nil
}
