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
	return replaceFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
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
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == f.Name() {
			at.Path = path // the name that people know
		}
	}
	return err
}

// temporary makes a file beside path, with the rights that a new file has.
func temporary(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
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
