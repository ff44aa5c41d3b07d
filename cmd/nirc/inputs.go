package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nirc"
	"nirc/internal/foz"
)

// input is a module to read.
type input struct {
	path string // as the arguments give it, "-" standard input
	// rel is the path below the directory that the arguments name, or the base
	// name of a file: what the names of outputs are made of.
	rel string
	// module is the module of a Fossilize database, nil of a file; uses are how
	// the database's pipelines use it.
	module func() ([]byte, error)
	uses   []foz.Use
}

// file is the file that the input is in.
func (in *input) file() string {
	if in.module != nil {
		return in.path[:strings.LastIndexByte(in.path, ':')]
	}
	return in.path
}

// moduleExtensions are the files that a directory is searched for, GLSL apart.
var moduleExtensions = []string{".spv", ".spvasm", ".nir", ".foz"}

// expandInputs lists the files that arguments name: files and - as they are,
// directories with all shaders below, patterns (* ? [a-z], and ** for any
// number of directories) with what fits. Each argument's files are sorted; a file that several
// arguments name comes once.
func (a *app) expandInputs(args []string) ([]input, error) {
	var list []input
	seen := map[string]bool{}
	for _, arg := range args {
		found, err := expandArg(arg)
		if err != nil {
			return nil, err
		}
		for _, in := range found {
			if clean := filepath.Clean(in.path); !seen[clean] {
				seen[clean] = true
				if list, err = a.appendModules(list, in); err != nil {
					return nil, err
				}
			}
		}
	}
	return list, nil
}

func expandArg(arg string) ([]input, error) {
	if arg == "-" {
		return []input{{path: "-", rel: "stdin"}}, nil
	}
	st, err := os.Stat(arg)
	switch {
	case err == nil && st.IsDir():
		return directory(arg)
	case err == nil || !strings.ContainsAny(arg, "*?["):
		return []input{{path: arg, rel: filepath.Base(arg)}}, nil // what is missing, reading tells
	}
	return glob(arg)
}

// directory lists the shaders below a directory.
func directory(dir string) ([]input, error) {
	var list []input
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isShaderName(path) {
			rel, _ := filepath.Rel(dir, path) // path lies below dir
			list = append(list, input{path: path, rel: rel})
		}
		return err
	})
	if err != nil {
		return nil, &nirc.IOError{Err: err}
	}
	if len(list) == 0 {
		return nil, nirc.Usagef("no shader in the directory %s", dir)
	}
	slices.SortFunc(list, func(a, b input) int { return strings.Compare(a.rel, b.rel) })
	return list, nil
}

func isShaderName(path string) bool {
	return slices.Contains(moduleExtensions, filepath.Ext(path)) || nirc.GLSLExtension(path)
}

// glob lists the files that fit a pattern, whatever their extension.
func glob(pattern string) ([]input, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, nirc.Usagef("%s: %s", pattern, err)
	}
	elems := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/")
	n := slices.IndexFunc(elems, func(e string) bool { return strings.ContainsAny(e, "*?[") })
	base := strings.Join(elems[:n], "/")
	switch {
	case n == 0:
		base = "."
	case base == "":
		base = "/"
	}
	var list []input
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(base, path)
		if fits(elems[n:], strings.Split(filepath.ToSlash(rel), "/")) {
			list = append(list, input{path: path, rel: rel})
		}
		return nil
	})
	if err != nil {
		return nil, &nirc.IOError{Err: err}
	}
	if len(list) == 0 {
		return nil, &nirc.IOError{Err: &fs.PathError{Op: "open", Path: pattern, Err: fs.ErrNotExist}}
	}
	slices.SortFunc(list, func(a, b input) int { return strings.Compare(a.rel, b.rel) })
	return list, nil
}

// fits tells whether the elements of a path fit those of a pattern.
func fits(pattern, path []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(path) == 0 {
			return false
		}
		if ok, err := filepath.Match(pattern[0], path[0]); err != nil || !ok {
			return false
		}
		pattern, path = pattern[1:], path[1:]
	}
	if len(pattern) == 0 {
		return len(path) == 0
	}
	for i := range len(path) + 1 {
		if fits(pattern[1:], path[i:]) {
			return true
		}
	}
	return false
}

// load reads an input.
func (a *app) load(ctx context.Context, in *input, o nirc.FileOptions) (*nirc.Module, error) {
	if in.module == nil {
		return nirc.LoadFile(ctx, in.path, o)
	}
	code, err := in.module()
	var problem *foz.Problem
	switch {
	case errors.As(err, &problem):
		return nil, damagedError{nirc.Diagnostics{{File: in.path, Msg: err.Error() + "; it is passed over"}}}
	case err != nil:
		return nil, &nirc.IOError{Err: err}
	}
	return nirc.Load(code, in.path)
}

// damagedError is that of a module that is damaged in its database, which keeps
// nobody from the others.
type damagedError struct{ list nirc.Diagnostics }

func (e damagedError) Error() string { return e.list.Error() }
func (e damagedError) Unwrap() error { return e.list }

// damaged tells whether an error is that of a damaged module.
func damaged(err error) bool {
	var d damagedError
	return errors.As(err, &d)
}
