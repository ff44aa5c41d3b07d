package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// Here is what is not changed because the program would be an equal one, whatever is tested: texts,
// room made ahead or handed back, hints about lengths, hashes, the number of which math.Inf takes the sign, assertions, which say what does not happen, and
// what faults that tests switch on do instead of the right thing.

// wording are functions that make or report the text of an error, stop the program, or hand memory back.
var wording = map[string]bool{
	"panic": true, "Errorf": true, "Sprintf": true, "Fprintf": true, "Refuse": true, "DiagnosticAt": true, "Usagef": true, "fail": true, "failf": true, "failLast": true, "refuse": true,
	"broken": true, "Broken": true, "errorf": true, "errorAt": true, "errAt": true, "wordErr": true, "optionError": true, "Unsupportedf": true, "unsupported": true,
	"Release": true, "release": true,
}

// called is the name of what a call calls.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// isWording reports whether a function makes a text for people alone, or a hash: any hash is right, if a slow one.
func isWording(fn *ast.FuncDecl) bool {
	name := fn.Name.Name
	if name == "String" || name == "Error" || strings.Contains(strings.ToLower(name), "hash") {
		return true
	}
	if fn.Recv == nil {
		return false
	}
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.Name == "hasher"
}

// isBlind reports whether no change in a node could be noticed: a message, what an assertion asks, or the room that a
// slice or map starts with.
func (f *source) isBlind(n ast.Node, around []ast.Node) bool {
	if c, ok := n.(*ast.CallExpr); ok && (wording[called(c)] || isGrow(c) || isPut(c)) {
		return true
	}
	if a, ok := n.(*ast.AssignStmt); ok && isHint(a) {
		return true
	}
	if len(around) == 0 {
		return false
	}
	if isSign(n, around) {
		return true
	}
	parent := around[len(around)-1]
	if s, ok := parent.(*ast.IfStmt); ok {
		return s.Cond == n && f.isAssertion(s) || s.Body == n && isFault(s.Cond)
	}
	c, ok := parent.(*ast.CallExpr)
	if !ok || called(c) != "make" || len(c.Args) < 2 || c.Args[len(c.Args)-1] != n {
		return false
	}
	_, isMap := c.Args[0].(*ast.MapType)
	return isMap || len(c.Args) == 3
}

// isSign reports whether a node is the number that math.Inf takes the sign of.
func isSign(n ast.Node, around []ast.Node) bool {
	if _, ok := n.(*ast.BasicLit); !ok {
		return false
	}
	if _, ok := around[len(around)-1].(*ast.UnaryExpr); ok {
		around = around[:len(around)-1]
	}
	if len(around) == 0 {
		return false
	}
	c, ok := around[len(around)-1].(*ast.CallExpr)
	return ok && called(c) == "Inf" && len(c.Args) == 1
}

// isGrow reports whether a call makes room for what is appended later.
func isGrow(c *ast.CallExpr) bool { return called(c) == "Grow" || called(c) == "Clip" }

// isHint reports whether an assignment keeps nothing: it tells the Go compiler that a slice is so long.
func isHint(s *ast.AssignStmt) bool {
	for _, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	_, ok := s.Rhs[0].(*ast.IndexExpr)
	return ok
}

// isPut reports whether a call hands something back to a pool, from where it may come again.
func isPut(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Put" && len(c.Args) == 1
}

// isLetGo reports whether a statement only lets go of memory that something holds which the statements after it hand back to a pool:
// a field becomes nil, or all that a slice has room for is cleared.
func (f *source) isLetGo(st ast.Stmt, after []ast.Stmt) bool {
	var field ast.Expr
	switch s := st.(type) {
	case *ast.AssignStmt:
		if id, ok := s.Rhs[0].(*ast.Ident); ok && id.Name == "nil" && len(s.Lhs) == 1 {
			field = s.Lhs[0]
		}
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok && called(c) == "clear" && len(c.Args) == 1 {
			if x, ok := c.Args[0].(*ast.SliceExpr); ok && x.High != nil && f.of(x.High) == "cap("+f.of(x.X)+")" {
				field = x.X
			}
		}
	}
	holder, ok := field.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	for _, st := range after {
		if e, ok := st.(*ast.ExprStmt); ok {
			if c, ok := e.X.(*ast.CallExpr); ok && isPut(c) && f.of(c.Args[0]) == f.of(holder.X) {
				return true
			}
		}
	}
	return false
}

// isFault reports whether a condition is that a fault is switched on, which only tests do. That it is never so is noticed: the
// test of the fault wants it to be.
func isFault(cond ast.Expr) bool {
	c, ok := cond.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "has" {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "faults"
}

// isAssertion reports whether all that an if statement does is to say that the compiler is at fault.
func (f *source) isAssertion(s *ast.IfStmt) bool {
	if s.Else != nil || len(s.Body.List) == 0 {
		return false
	}
	said := false
	for _, st := range s.Body.List {
		switch x := st.(type) {
		case *ast.ExprStmt:
			c, ok := x.X.(*ast.CallExpr)
			if !ok || !f.asserts(c) {
				return false
			}
			said = true
		case *ast.ReturnStmt:
			for _, e := range x.Results {
				if c, ok := e.(*ast.CallExpr); ok && f.asserts(c) {
					said = true
				}
			}
		case *ast.BranchStmt:
		default:
			return false
		}
	}
	return said
}

// asserts reports whether a call stops the compiler, as at fault: broken and Broken of backends, whose IR is validated, and a
// panic with a text, not one that carries an error to where it is reported.
func (f *source) asserts(c *ast.CallExpr) bool {
	switch called(c) {
	case "broken", "Broken":
		return strings.HasPrefix(f.pkg.ImportPath, "nirc/backend")
	case "panic":
	default:
		return false
	}
	if len(c.Args) != 1 {
		return false
	}
	switch a := c.Args[0].(type) {
	case *ast.BasicLit:
		return a.Kind == token.STRING
	case *ast.CallExpr:
		return called(a) == "Sprintf"
	case *ast.BinaryExpr:
		return a.Op == token.ADD
	}
	return false
}

// isText reports whether an operand is a string literal.
func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}
