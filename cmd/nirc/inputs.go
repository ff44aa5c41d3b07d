package main

import (
	"context"
	"errors"
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
	// base is what the names of outputs begin with, "" if that follows from rel.
	base string
	// size is that of a file that an argument names, 0 if nobody asked.
	size int64
	// plain: the path's last element was seen to be a file and no symbolic link.
	plain bool
	// module is the module of a Fossilize database, nil of a file; uses are how
	// the database's pipelines use it.
	module func() ([]byte, error)
	uses   []foz.Use
	// asked is what a matrix asks for, nil of what the arguments name.
	asked *permutation
	// err is why nothing can be read: the path is a directory that cannot be
	// listed, or a database that is none. It is told in the input's turn.
	err error
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
// number of directories) with what fits. Symbolic links to directories are followed where an
// argument or an element of a pattern names them, not below a directory or **. Each argument's files are sorted; a file that several
// arguments name comes once.
func (a *app) expandInputs(args []string) ([]input, error) {
	files, err := a.expandFiles(args)
	if err != nil {
		return nil, err
	}
	list := make([]input, 0, len(files))
	for _, in := range files {
		list = a.appendModules(list, in)
	}
	return list, nil
}

// expandFiles is expandInputs with databases as they are. It counts the bytes of the files that arguments name.
func (a *app) expandFiles(args []string) (list []input, err error) {
	seen := map[string]bool{}
	for _, arg := range args {
		found, err := expandArg(arg)
		if err != nil {
			return nil, err
		}
		for _, in := range found {
			if clean := filepath.Clean(in.path); !seen[clean] {
				seen[clean] = true
				a.inputBytes += in.size
				list = append(list, in)
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
		in := input{path: arg, rel: filepath.Base(arg)}
		if err == nil { // what is missing, reading tells
			in.size = st.Size()
		}
		return []input{in}, nil
	}
	return glob(arg)
}

// directory lists the shaders below a directory.
func directory(dir string) ([]input, error) {
	s := search{base: dir}
	s.below(dir, isShaderName)
	if len(s.found) == 0 {
		return nil, nirc.Usagef("no shader in the directory %s", dir)
	}
	return s.sorted(), nil
}

func isShaderName(path string) bool {
	return slices.Contains(moduleExtensions, filepath.Ext(path)) || nirc.GLSLExtension(path)
}

// load reads an input.
func (a *app) load(ctx context.Context, in *input, o nirc.FileOptions) (*nirc.Module, error) {
	if in.err != nil {
		return nil, in.err
	}
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

// damaged reports whether an error is that of a damaged module.
func damaged(err error) bool {
	var d damagedError
	return errors.As(err, &d)
}
