package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nirc/ir"
)

// kind tells the kinds of terms apart.
type kind uint8

const (
	kVar    kind = iota // a, #a in a pattern must be constant
	kInt                // 1, -1, 0xff, true, false
	kFloat              // 1.0, -0.0, inf
	kOp                 // (op …)
	kHelper             // {name …}, replacements only
)

// term is a node of a pattern or replacement.
type term struct {
	kind  kind
	name  string // variable or helper
	op    ir.Op
	args  []*term
	bits  uint8 // @N
	val   uint64
	isNum bool // #a
	comp  uint8
	flags []string // ~ ! once nsz nnan ninf nfl nsw nuw
	label string   // $m
}

func (t *term) has(flag string) bool {
	for _, f := range t.flags {
		if f == flag {
			return true
		}
	}
	return false
}

// condition is one part of an if clause.
type condition struct {
	not  bool
	pred string // or option
	arg  string // variable; "" of an option
	arg2 string // second variable or ""
}

func (c condition) String() string {
	s := c.pred
	if c.arg2 != "" {
		s += "(" + c.arg + ", " + c.arg2 + ")"
	} else if c.arg != "" {
		s += "(" + c.arg + ")"
	} else {
		s = "opt." + s
	}
	if c.not {
		return "!" + s
	}
	return s
}

// rule is one line of a rule file.
type rule struct {
	file    string
	line    int
	name    string
	section string
	pat     *term
	repl    *term
	grows   bool
	approx  bool
	conds   []condition
	text    string
}

func (r *rule) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...))
}

var sections = []string{"main", "late", "flrp", "frexp", "distribute_src_mods", "before_int64", "before_ffma"}

// parseFile reads the rules of a file. All errors are collected.
func parseFile(file, text string) (rules []*rule, errs []error) {
	section := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strip(lines[i])
		if strings.TrimSpace(line) == "" {
			continue
		}
		r := &rule{file: file, line: i + 1}
		for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], " ") || strings.HasPrefix(lines[i+1], "\t")) {
			i++
			line += " " + strings.TrimSpace(strip(lines[i]))
		}
		if s, ok := strings.CutPrefix(line, "section "); ok {
			section = strings.TrimSpace(s)
			if indexOf(sections, section) < 0 {
				errs = append(errs, r.errorf("no section %q (have %s)", section, strings.Join(sections, ", ")))
			}
			continue
		}
		if section == "" {
			errs = append(errs, r.errorf("a rule before the first section"))
			continue
		}
		texts, err := expand(strings.TrimSpace(line))
		if err != nil {
			errs = append(errs, r.errorf("%v", err))
			continue
		}
		for _, x := range texts {
			one := &rule{file: file, line: r.line, section: section, text: x.text}
			if err := one.parse(x.text); err != nil {
				errs = append(errs, err)
				continue
			}
			if one.name == "" {
				one.name = fmt.Sprintf("%s:%d", file, r.line)
			}
			one.name += x.suffix
			rules = append(rules, one)
		}
	}
	return rules, errs
}

// variant is a line with its parameters put in.
type variant struct{ text, suffix string }

// expand writes out the parameters at the start of a line: [N=16,32] makes one
// rule for each value, with <N> replaced by it; [P/Q=flt/fge,ilt/ige] sets
// several at once; groups combine.
func expand(line string) ([]variant, error) {
	if !strings.HasPrefix(line, "[") {
		return []variant{{text: line}}, nil
	}
	group, rest, ok := strings.Cut(line[1:], "]")
	names, values, ok2 := strings.Cut(group, "=")
	if !ok || !ok2 {
		return nil, fmt.Errorf("a parameter is [NAME=value,…]")
	}
	keys := strings.Split(names, "/")
	var out []variant
	for _, v := range strings.Split(values, ",") {
		parts := strings.Split(v, "/")
		if len(parts) != len(keys) {
			return nil, fmt.Errorf("%q does not give values to %s", v, names)
		}
		text := strings.TrimSpace(rest)
		for i, k := range keys {
			if !strings.Contains(rest, "<"+k+">") {
				return nil, fmt.Errorf("parameter %s is not used", k)
			}
			text = strings.ReplaceAll(text, "<"+k+">", parts[i])
		}
		more, err := expand(text)
		if err != nil {
			return nil, err
		}
		for _, m := range more {
			out = append(out, variant{m.text, "[" + v + "]" + m.suffix})
		}
	}
	return out, nil
}

func strip(line string) string {
	if i := strings.IndexByte(line, ';'); i >= 0 {
		return line[:i]
	}
	return line
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// lexer splits a rule into ( ) { } , => and words.
type lexer struct {
	r    *rule
	toks []string
	pos  int
}

func lex(s string) (toks []string) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.IndexByte("(){},", c) >= 0:
			toks = append(toks, s[i:i+1])
			i++
		default:
			j := i
			for j < len(s) && strings.IndexByte(" \t\r(){},", s[j]) < 0 {
				j++
			}
			toks = append(toks, s[i:j])
			i = j
		}
	}
	return toks
}

func (l *lexer) peek() string {
	if l.pos < len(l.toks) {
		return l.toks[l.pos]
	}
	return ""
}

func (l *lexer) next() string {
	t := l.peek()
	l.pos++
	return t
}

func (l *lexer) want(tok string) error {
	if t := l.next(); t != tok {
		return l.r.errorf("want %q, have %q", tok, t)
	}
	return nil
}

func (r *rule) parse(line string) (err error) {
	l := &lexer{r: r, toks: lex(line)}
	if n, ok := strings.CutSuffix(l.peek(), ":"); ok {
		r.name = n
		l.next()
	}
	if r.pat, err = l.term(false); err != nil {
		return err
	}
	if r.pat.kind != kOp {
		return r.errorf("a pattern must be an operation")
	}
	if err = l.want("=>"); err != nil {
		return err
	}
	if r.repl, err = l.term(true); err != nil {
		return err
	}
	for l.peek() != "" {
		switch w := l.next(); w {
		case "grows":
			r.grows = true
		case "approx":
			r.approx = true
		case "if":
			return l.conditions()
		default:
			return r.errorf("unknown clause %q", w)
		}
	}
	return nil
}

func (l *lexer) conditions() error {
	for {
		var c condition
		w := l.next()
		w, c.not = strings.CutPrefix(w, "!")
		if o, ok := strings.CutPrefix(w, "opt."); ok {
			c.pred = o
		} else {
			c.pred = w
			if err := l.want("("); err != nil {
				return err
			}
			c.arg = l.next()
			if l.peek() == "," {
				l.next()
				c.arg2 = l.next()
			}
			if err := l.want(")"); err != nil {
				return err
			}
		}
		l.r.conds = append(l.r.conds, c)
		if l.peek() == "" {
			return nil
		}
		if err := l.want(","); err != nil {
			return err
		}
	}
}

func (l *lexer) term(repl bool) (*term, error) {
	w := l.next()
	switch w {
	case "":
		return nil, l.r.errorf("the rule ends too early")
	case "(":
		return l.op(repl)
	case "{":
		return l.helper(repl)
	}
	return l.leaf(w, repl)
}

func (l *lexer) op(repl bool) (*term, error) {
	t := &term{kind: kOp}
	w := l.next()
	n := 0
	for n < len(w) && (w[n] == '_' || w[n] >= 'a' && w[n] <= 'z' || w[n] >= '0' && w[n] <= '9') {
		n++
	}
	op, ok := ir.ParseOp(w[:n])
	if !ok {
		return nil, l.r.errorf("no operation %q", w[:n])
	}
	t.op = op
	if err := l.suffixes(t, w[n:], repl); err != nil {
		return nil, err
	}
	for l.peek() != ")" {
		a, err := l.term(repl)
		if err != nil {
			return nil, err
		}
		t.args = append(t.args, a)
	}
	l.next()
	if want := len(op.Info().In); len(t.args) != want {
		return nil, l.r.errorf("%s takes %d sources, not %d", op, want, len(t.args))
	}
	return t, nil
}

// suffixes reads what stands after an operation's name.
func (l *lexer) suffixes(t *term, s string, repl bool) error {
	for s != "" {
		c := s[0]
		s = s[1:]
		if c == '~' || c == '!' {
			if c == '!' && !repl {
				return l.r.errorf("! is for replacements")
			}
			t.flags = append(t.flags, string(c))
			continue
		}
		n := 0
		for n < len(s) && strings.IndexByte("~!@:.$", s[n]) < 0 {
			n++
		}
		w := s[:n]
		s = s[n:]
		switch {
		case c == '@' && t.setBits(w):
		case c == '$' && !repl && w != "":
			t.label = w
		case c == ':' && !repl && w == "once", c == '.' && !repl && indexOf([]string{"nsz", "nnan", "ninf", "nfl", "nsw", "nuw"}, w) >= 0:
			t.flags = append(t.flags, w)
		default:
			return l.r.errorf("unknown suffix %q of %s", string(c)+w, t.op)
		}
	}
	return nil
}

func (t *term) setBits(s string) bool {
	switch s {
	case "1", "8", "16", "32", "64":
		n, _ := strconv.Atoi(s)
		t.bits = uint8(n)
		return true
	}
	return false
}

func (l *lexer) helper(repl bool) (*term, error) {
	if !repl {
		return nil, l.r.errorf("{…} is for replacements")
	}
	t := &term{kind: kHelper, name: l.next()}
	for l.peek() != "}" {
		w := l.next()
		if w == "" {
			return nil, l.r.errorf("the rule ends too early")
		}
		a, err := l.leaf(w, true)
		if err != nil {
			return nil, err
		}
		if a.kind != kVar || a.comp != 0 {
			return nil, l.r.errorf("helper %s takes variables, not %q", t.name, w)
		}
		t.args = append(t.args, a)
	}
	l.next()
	if len(t.args) == 0 || len(t.args) > 3 {
		return nil, l.r.errorf("helper %s takes 1 to 3 variables", t.name)
	}
	return t, nil
}

func (l *lexer) leaf(w string, repl bool) (*term, error) {
	t := &term{}
	body, size, sized := strings.Cut(w, "@")
	if sized && !t.setBits(size) {
		return nil, l.r.errorf("no size %q", size)
	}
	if t.number(body) {
		return t, nil
	}
	t.kind = kVar
	body, t.isNum = strings.CutPrefix(body, "#")
	if b, c, ok := strings.Cut(body, "."); ok {
		k := strings.Index("xyzw", c)
		if !repl || len(c) != 1 || k < 0 {
			return nil, l.r.errorf("bad component in %q", w)
		}
		body, t.comp = b, uint8(k+1)
	}
	for i, c := range body {
		if !(c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return nil, l.r.errorf("bad variable %q", w)
		}
	}
	if body == "" || body == "root" || repl && t.isNum {
		return nil, l.r.errorf("bad variable %q", w)
	}
	t.name = body
	return t, nil
}

// number reads a literal.
func (t *term) number(s string) bool {
	switch s {
	case "true":
		t.kind, t.val = kInt, ^uint64(0)
		return true
	case "false":
		t.kind = kInt
		return true
	case "inf", "-inf", "nan":
		f, _ := strconv.ParseFloat(s, 64)
		t.kind, t.val = kFloat, math.Float64bits(f)
		return true
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		t.kind, t.val = kInt, uint64(v)
		return true
	}
	if v, err := strconv.ParseUint(s, 0, 64); err == nil {
		t.kind, t.val = kInt, v
		return true
	}
	if !strings.ContainsAny(s, "0123456789") || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		t.kind, t.val = kFloat, math.Float64bits(v)
		return true
	}
	return false
}
