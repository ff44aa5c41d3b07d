package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"nirc"
)

// maxInput bounds the bytes of a file that is read whole, as those of a module are bounded: a device or
// a pipe may have no end. maxDatabase is the same of a Fossilize database that comes through a pipe.
const (
	maxInput    = 256 << 20
	maxDatabase = 4 << 30
)

// read reads a file, or standard input for "-".
func (a *app) read(path string) ([]byte, error) {
	if path == "-" {
		return readAll(a.in, path, maxInput)
	}
	return readFile(path)
}

// readFile reads a file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &nirc.IOError{Err: err}
	}
	defer f.Close()
	return readAll(f, path, maxInput)
}

// readAll reads to the end and refuses what has more than most bytes; name is for diagnostics.
func readAll(r io.Reader, name string, most int64) ([]byte, error) {
	tooLarge := nirc.Diagnostics{{File: name, Msg: fmt.Sprintf("more than %d MB, which is too large", most>>20)}}
	var b bytes.Buffer
	if f, ok := r.(*os.File); ok {
		switch st, err := f.Stat(); {
		case err != nil || !st.Mode().IsRegular():
		case st.Size() > most:
			return nil, tooLarge
		default:
			b.Grow(int(min(st.Size(), maxInput)) + bytes.MinRead)
		}
	}
	n, err := b.ReadFrom(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, &nirc.IOError{Err: err}
	case n > most:
		return nil, tooLarge
	}
	return b.Bytes(), nil
}
