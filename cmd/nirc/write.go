package main

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"nirc"
	"nirc/internal/rawfile"
)

// writeFile writes an artefact to a path, or to standard output for "-".
func (a *app) writeFile(path string, data []byte) error {
	var err error
	if path == "-" {
		_, err = a.out.Write(data)
	} else {
		err = writeWhole(path, data)
	}
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	return nil
}

// checkOverwrite refuses an output that is one of the inputs, under whatever name.
func checkOverwrite(out string, inputs ...string) error {
	st, err := os.Stat(out)
	if out == "-" || err != nil || !st.Mode().IsRegular() {
		return nil
	}
	for _, path := range inputs {
		if in, err := os.Stat(path); path != "-" && err == nil && os.SameFile(st, in) {
			return nirc.Usagef("the output %s would overwrite an input", out)
		}
	}
	return nil
}

// writeWhole writes a file so that it is there whole or, whatever happens, as
// it was before: it is written under another name and renamed into place. What is no
// regular file, as /dev/null or a pipe, is written to directly; of a symbolic link the file it leads to.
func writeWhole(path string, data []byte) error {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		return replaceFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	return writeNew(path, data)
}

// writeNew is writeWhole of a path where there is nothing, or a regular file.
func writeNew(path string, data []byte) error {
	for {
		name := temporaryName(path)
		err := rawfile.Write(name, data)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			err = rawfile.Rename(name, path)
		}
		if err != nil {
			os.Remove(name)
			known(err, name, path)
		}
		return err
	}
}

// known gives an error about a temporary file the name that people know.
func known(err error, name, path string) {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == name {
		at.Path = path
	}
}

// folder is a directory that many files are written to. It is listed once, in place of a look for each of them.
type folder struct {
	path  string
	names map[string]bool // what was there, nil if it was not listed
}

// enter makes the directory, and lists it if as many files may come.
func (d *folder) enter(path string, files int) error {
	if d.path == path {
		return nil
	}
	fresh, err := makeDir(path)
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	*d = folder{path: path}
	switch {
	case fresh:
		d.names = map[string]bool{}
		return nil
	case files < many:
		return nil
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil // it may be written to and not read
	}
	d.names = make(map[string]bool, len(list))
	for _, e := range list {
		d.names[e.Name()] = true
	}
	return nil
}

// makeDir makes a directory and those above it, and reports whether it was not there: then nobody need list it. To try first
// takes one system call where os.MkdirAll takes three.
func makeDir(path string) (fresh bool, err error) {
	if os.Mkdir(path, 0o777) == nil {
		return true, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return false, err
	}
	if os.Mkdir(path, 0o777) == nil {
		return true, nil
	}
	return false, os.MkdirAll(path, 0o777)
}

// isNew reports whether it is known that nothing of that name was in the directory.
func (d *folder) isNew(path string) bool {
	return d.names != nil && filepath.Dir(path) == d.path && !d.names[filepath.Base(path)]
}

// replaceFile is writeWhole of what a function writes.
func replaceFile(path string, write func(io.Writer) error) error {
	st, err := os.Lstat(path)
	if err == nil && st.Mode()&os.ModeSymlink != 0 {
		if target, e := filepath.EvalSymlinks(path); e == nil {
			path = target
		}
		st, err = os.Stat(path)
	}
	if err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := temporary(path)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		known(err, f.Name(), path)
	}
	return err
}

func temporaryName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
}

// temporary makes a file beside path, with the rights that a new file has.
func temporary(path string) (*os.File, error) {
	for {
		name := temporaryName(path)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if os.IsExist(err) {
			continue
		}
		if pe, ok := err.(*os.PathError); ok {
			pe.Path = path // the name that people know
		}
		return f, err
	}
}
