package main

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The tables in the order in which they are written; firsts and counts are indices into the pools.
type (
	span struct{ first, count int }
	name struct {
		text  string
		value int
	}
	opRow struct {
		name    string
		op      uint32
		specs   span
		caps    span
		version int
		flags   []string
	}
	enumRow struct {
		name    string
		value   uint32
		specs   span
		caps    span
		version int
	}
	kindRow struct {
		name, category string
		enums          []enumRow
		names          []name
		aliases        []name
		bases          []string
	}
	extRow struct {
		src   extSource
		insts []opRow
		names []name
	}
	specRow struct{ kind, quant string }

	tables struct {
		ops        []opRow
		opNames    []name // values are opcodes
		opAliases  []name
		kinds      []kindRow
		exts       []extRow
		specs      []specRow
		caps       []string
		generators []string
	}
)

func build(g *grammar) (*tables, error) {
	t := &tables{}
	if err := t.addKinds(g.core.Kinds, ""); err != nil {
		return nil, err
	}
	for i, s := range extSources {
		if err := t.addKinds(g.exts[i].Kinds, s.goName); err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
	}
	var err error
	if t.ops, t.opNames, t.opAliases, err = t.instructions(g.core.Instructions, ""); err != nil {
		return nil, err
	}
	for i, s := range extSources {
		insts, names, _, err := t.instructions(g.exts[i].Instructions, s.goName)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
		t.exts = append(t.exts, extRow{s, insts, names})
	}
	for _, ids := range g.reg.IDs {
		if ids.Type != "vendor" {
			continue
		}
		for _, id := range ids.ID {
			if id.Value != len(t.generators) {
				return nil, fmt.Errorf("spir-v.xml: tool %d is out of order", id.Value)
			}
			t.generators = append(t.generators, strings.TrimSpace(id.Vendor+" "+id.Tool))
		}
	}
	return t, t.checkKinds()
}

// kindName names an operand kind; one of an extended instruction set gets the set's prefix, since sets reuse each other's names. The word
// Debug goes, since DebugTypeQualifier is an instruction too.
func kindName(prefix, kind string) string {
	if prefix == "" {
		return kind
	}
	return prefix + strings.TrimPrefix(kind, "Debug")
}

// addKinds adds a grammar's operand kinds.
func (t *tables) addKinds(kinds []jsonKind, prefix string) error {
	for _, k := range kinds {
		row := kindRow{name: kindName(prefix, k.Kind), category: k.Category}
		for _, b := range k.Bases {
			row.bases = append(row.bases, "Kind"+b)
		}
		for _, e := range k.Enumerants {
			v := uint32(e.Value)
			// A name for several bits (DebugInfo's FlagIsPublic) is read, but masks are written bit by bit.
			several := k.Category == "BitEnum" && bits.OnesCount32(v) > 1
			if several && len(e.Parameters) > 0 {
				return fmt.Errorf("%s.%s: %#x is not one bit and has parameters", k.Kind, e.Enumerant, v)
			}
			specs, err := t.addSpecs(e.Parameters, prefix)
			if err != nil {
				return err
			}
			ver, err := parseVersion(e.Version)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(row.enums, func(r enumRow) bool { return r.value == v })
			if i >= 0 || several {
				row.aliases = append(row.aliases, name{e.Enumerant, int(v)})
			} else {
				row.enums = append(row.enums, enumRow{e.Enumerant, v, specs, t.addCaps(e.Capabilities), ver})
			}
			row.names = append(row.names, name{e.Enumerant, int(v)})
			for _, a := range e.Aliases {
				row.names = append(row.names, name{a, int(v)})
				row.aliases = append(row.aliases, name{a, int(v)})
			}
		}
		slices.SortFunc(row.enums, func(a, b enumRow) int { return cmp.Compare(a.value, b.value) })
		if err := sortNames(row.names); err != nil {
			return fmt.Errorf("%s: %w", k.Kind, err)
		}
		t.kinds = append(t.kinds, row)
	}
	return nil
}

// instructions turns instructions (of the core or of a set) into rows sorted by number and names sorted by text.
func (t *tables) instructions(list []jsonInst, prefix string) (rows []opRow, names, aliases []name, err error) {
	for _, in := range list {
		r := opRow{name: in.Opname, op: in.Opcode, caps: t.addCaps(in.Capabilities)}
		if r.specs, err = t.addSpecs(in.Operands, prefix); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", in.Opname, err)
		}
		if r.version, err = parseVersion(in.Version); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", in.Opname, err)
		}
		r.flags = instFlags(in.Operands)
		if slices.ContainsFunc(rows, func(o opRow) bool { return o.op == r.op }) {
			aliases = append(aliases, name{in.Opname, int(in.Opcode)})
		} else {
			rows = append(rows, r)
		}
		names = append(names, name{in.Opname, int(in.Opcode)})
		for _, a := range in.Aliases {
			names = append(names, name{a, int(in.Opcode)})
			aliases = append(aliases, name{a, int(in.Opcode)})
		}
	}
	slices.SortFunc(rows, func(a, b opRow) int { return cmp.Compare(a.op, b.op) })
	return rows, names, aliases, sortNames(names)
}

// instFlags tells where the result type and id are, and whether all other operands are plain ids (which the reader checks fast).
func instFlags(ops []jsonOperand) (flags []string) {
	rest := ops
	if len(rest) > 0 && rest[0].Kind == "IdResultType" {
		flags, rest = append(flags, "flagType"), rest[1:]
	}
	if len(rest) > 0 && rest[0].Kind == "IdResult" {
		flags, rest = append(flags, "flagResult"), rest[1:]
	}
	for _, o := range rest {
		if o.Kind != "IdRef" && o.Kind != "IdScope" && o.Kind != "IdMemorySemantics" || o.Quantifier == "*" {
			return flags
		}
	}
	return append(flags, "flagPlain")
}

func sortNames(names []name) error {
	slices.SortFunc(names, func(a, b name) int { return cmp.Compare(a.text, b.text) })
	for i := 1; i < len(names); i++ {
		if names[i].text == names[i-1].text {
			return fmt.Errorf("%s stands twice", names[i].text)
		}
	}
	return nil
}

// addSpecs puts an operand layout into the pool of layouts, reusing an equal run.
func (t *tables) addSpecs(ops []jsonOperand, prefix string) (span, error) {
	rows := make([]specRow, len(ops))
	for i, o := range ops {
		q, ok := map[string]string{"": "one", "?": "optional", "*": "many"}[o.Quantifier]
		if !ok {
			return span{}, fmt.Errorf("quantifier %q", o.Quantifier)
		}
		kind := o.Kind
		if own := kindName(prefix, kind); slices.ContainsFunc(t.kinds, func(k kindRow) bool { return k.name == own }) {
			kind = own
		}
		rows[i] = specRow{"Kind" + kind, q}
	}
	var s span
	t.specs, s = pool(t.specs, rows)
	return s, nil
}

func (t *tables) addCaps(caps []string) (s span) {
	t.caps, s = pool(t.caps, caps)
	return s
}

// pool appends run to all unless all has it already, and tells where it is.
func pool[T comparable](all, run []T) ([]T, span) {
	if len(run) == 0 {
		return all, span{}
	}
	for i := 0; i+len(run) <= len(all); i++ {
		if slices.Equal(all[i:i+len(run)], run) {
			return all, span{i, len(run)}
		}
	}
	return append(all, run...), span{len(all), len(run)}
}

func (t *tables) checkKinds() error {
	known := map[string]bool{}
	for _, k := range t.kinds {
		if known["Kind"+k.name] {
			return fmt.Errorf("operand kind %s stands twice", k.name)
		}
		known["Kind"+k.name] = true
	}
	for _, s := range t.specs {
		if !known[s.kind] {
			return fmt.Errorf("operand kind %s is not defined", s.kind)
		}
	}
	return nil
}

// parseVersion turns "1.3" into 0x0103; "None" and "" (only through an extension, or a set's instruction) into 0.
func parseVersion(s string) (int, error) {
	if s == "" || s == "None" {
		return 0, nil
	}
	major, minor, _ := strings.Cut(s, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("version %q", s)
	}
	return a<<8 | b, nil
}

// exported makes the first letter of a set's instruction name a capital one.
func exported(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
