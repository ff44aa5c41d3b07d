package passes

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

//go:generate go run nirc/internal/gen/pipegen ../pipeline.yaml pipeline_gen.go

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
	top, err := pipelineTree(data, name)
	if err != nil {
		return nil, err
	}
	return loadTree(top, name)
}

// LoadBuiltin is LoadUnordered for the file that is part of the compiler. Its tree was made when the compiler was: reading YAML took
// a tenth of the time of a process that compiles one small shader. Its lists are read when they are asked for: a process
// needs those of one target.
func LoadBuiltin(data []byte, name string) (*Pipelines, error) {
	if crc32.ChecksumIEEE(data) != builtinSum {
		return LoadUnordered(data, name) // go generate has not run since
	}
	l := newLoader(name)
	l.p.rest = l
	return l.p, l.sections(&builtinTree)
}

func loadTree(top *node, name string) (*Pipelines, error) {
	l := newLoader(name)
	if err := l.sections(top); err != nil {
		return nil, err
	}
	// Mistakes show in lists that nothing uses, too.
	for _, name := range l.names {
		if _, err := l.list(name, l.nodes[name]); err != nil {
			return nil, err
		}
	}
	return l.p, nil
}

// loader turns the tree of a file into lists.
type loader struct {
	p     *Pipelines
	names []string         // of all lists: pipelines, those of code generators, others
	nodes map[string]*node // what stands below each name
	kinds map[string]listKind
	busy  []string // lists being read, to find cycles
}

func newLoader(name string) *loader {
	return &loader{p: &Pipelines{name: name, lists: map[string]*list{}}, nodes: map[string]*node{}, kinds: map[string]listKind{}}
}

func (l *loader) errorf(n *node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.p.name, n.line, fmt.Sprintf(format, args...))
}

// sections notes where the lists of the file stand, and does not read them.
func (l *loader) sections(n *node) error {
	var lists, pipes, codegen *node
	for i := 0; i+1 < len(n.content); i += 2 {
		switch k := &n.content[i]; k.value {
		case "lists":
			lists = &n.content[i+1]
		case "pipelines":
			pipes = &n.content[i+1]
		case "codegen":
			codegen = &n.content[i+1]
		default:
			return l.errorf(k, "unknown key %q (want lists, pipelines or codegen)", k.value)
		}
	}
	if pipes == nil || pipes.kind != mapNode {
		return l.errorf(n, "no pipelines")
	}
	var err error
	if l.p.names, err = l.section(pipes, pipelineList); err != nil {
		return err
	}
	if l.p.codegen, err = l.section(codegen, codegenList); err != nil {
		return err
	}
	_, err = l.section(lists, usedList)
	return err
}

// section notes the lists below a key, nil if the file does not have it, and returns their names.
func (l *loader) section(m *node, kind listKind) (names []string, err error) {
	if m == nil {
		return nil, nil
	}
	if m.kind != mapNode {
		return nil, l.errorf(m, "want a mapping of names to lists")
	}
	for i := 0; i+1 < len(m.content); i += 2 {
		k := &m.content[i]
		if l.nodes[k.value] != nil {
			return nil, l.errorf(k, "list %q is given twice", k.value)
		}
		l.nodes[k.value], l.kinds[k.value] = &m.content[i+1], kind
		names = append(names, k.value)
	}
	l.names = append(l.names, names...)
	return names, nil
}

// list returns the list of that name, reading it if it has not been.
func (l *loader) list(name string, at *node) (*list, error) {
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
	l.busy = l.busy[:len(l.busy)-1]
	if err != nil {
		return nil, err
	}
	li := &list{name: name, items: items, line: n.line, kind: l.kinds[name]}
	l.p.lists[name] = li
	return li, nil
}

func (l *loader) items(n *node) ([]*item, error) {
	if n.kind == nullNode {
		return nil, nil
	}
	if n.kind != listNode {
		return nil, l.errorf(n, "want a list of passes")
	}
	var out []*item
	for i := range n.content {
		it, err := l.item(&n.content[i])
		if err != nil {
			return nil, err
		}
		out = append(out, it)
	}
	return out, nil
}

func (l *loader) item(n *node) (*item, error) {
	switch n.kind {
	case valueNode, nullNode:
		return l.passItem(n, n.value, nil)
	case mapNode:
		if len(n.content) < 2 {
			return nil, l.errorf(n, "empty item")
		}
		switch n.content[0].value {
		case "loop", "max":
			return l.loopItem(n)
		case "if", "then", "else":
			return l.ifItem(n)
		case "use":
			li, err := l.list(n.content[1].value, &n.content[1])
			if err != nil {
				return nil, err
			}
			return &item{line: n.line, use: li}, nil
		case "hook":
			return l.hookItem(n)
		}
		if len(n.content) != 2 {
			return nil, l.errorf(&n.content[2], "an item is one pass; %q does not belong to %q", n.content[2].value, n.content[0].value)
		}
		return l.passItem(n, n.content[0].value, &n.content[1])
	}
	return nil, l.errorf(n, "want a pass, loop, if or use")
}

func (l *loader) hookItem(n *node) (*item, error) {
	name := &n.content[1]
	if !slices.Contains(hookNames, name.value) || len(n.content) != 2 {
		return nil, l.errorf(name, "no hook %q (want %s)", name.value, strings.Join(hookNames, " or "))
	}
	return &item{line: n.line, hook: name.value}, nil
}

func (l *loader) passItem(n *node, name string, opts *node) (*item, error) {
	p := Find(name)
	if p == nil {
		return nil, l.errorf(n, "no pass %q%s", name, suggest(name))
	}
	c := NewContext(p)
	if opts != nil && opts.kind != mapNode {
		return nil, l.errorf(opts, "want options of %s as {name: value}", name)
	}
	for i := 0; opts != nil && i+1 < len(opts.content); i += 2 {
		if err := c.SetOption(opts.content[i].value, opts.content[i+1].value); err != nil {
			return nil, l.errorf(&opts.content[i], "%s", err)
		}
	}
	return &item{line: n.line, pass: c}, nil
}

// hasHook reports whether items have a hook, anywhere.
func hasHook(items []*item) bool {
	return slices.ContainsFunc(items, func(it *item) bool {
		return it.hook != "" || it.use != nil && hasHook(it.use.items) || hasHook(it.body) || hasHook(it.els)
	})
}

func (l *loader) loopItem(n *node) (*item, error) {
	it := &item{line: n.line, loop: true, max: defaultMax}
	for i := 0; i+1 < len(n.content); i += 2 {
		k, v := &n.content[i], &n.content[i+1]
		switch k.value {
		case "loop":
			body, err := l.items(v)
			if err != nil {
				return nil, err
			}
			it.body = body
		case "max":
			var err error
			if it.max, err = strconv.Atoi(v.value); err != nil || it.max < 1 {
				return nil, l.errorf(v, "max wants a positive integer")
			}
		default:
			return nil, l.errorf(k, "unknown key %q of a loop", k.value)
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

func (l *loader) ifItem(n *node) (*item, error) {
	it := &item{line: n.line}
	for i := 0; i+1 < len(n.content); i += 2 {
		k, v := &n.content[i], &n.content[i+1]
		var err error
		switch k.value {
		case "if":
			if it.cond, err = parseCond(v.value); err != nil {
				return nil, l.errorf(v, "%s", err)
			}
		case "then":
			it.body, err = l.items(v)
		case "else":
			it.els, err = l.items(v)
		default:
			return nil, l.errorf(k, "unknown key %q of an if", k.value)
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
