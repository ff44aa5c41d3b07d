package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"nirc"
)

// search collects the files that a directory or a pattern stands for.
type search struct {
	base  string // what rel is below
	found []input
	done  map[spot]bool // by match
	// last is the directory that was listed last, and what is in it: ** looks for files and for directories in each.
	last    string
	entries []os.DirEntry
}

// spot is a directory, and how many elements of a pattern are left there.
type spot struct {
	dir  string
	left int
}

// add takes a path in, with why it cannot be read.
func (s *search) add(path string, err error) {
	rel, _ := filepath.Rel(s.base, path) // path lies below base
	if err != nil {
		err = &nirc.IOError{Err: err}
	}
	s.found = append(s.found, input{path: path, rel: rel, err: err})
}

func (s *search) sorted() []input {
	slices.SortFunc(s.found, func(a, b input) int { return strings.Compare(a.rel, b.rel) })
	return s.found
}

// list returns what is in a directory. One that cannot be read is an input that cannot:
// with --keep-going the others are compiled all the same. What is no directory holds nothing.
func (s *search) list(dir string) []os.DirEntry {
	if s.entries != nil && s.last == dir {
		return s.entries
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !nothing(err) {
		s.add(dir, err)
	}
	s.last, s.entries = dir, entries
	return entries
}

// take adds the file of an entry: its path is that of a file and not of a link, if the entry is none.
func (s *search) take(path string, e os.DirEntry) {
	s.add(path, nil)
	s.found[len(s.found)-1].plain = e.Type().IsRegular()
}

// nothing reports whether an error says that there is no such file.
func nothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isDir reports whether an entry is a directory or a symbolic link to one.
func isDir(e os.DirEntry, path string) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// below adds the files below a directory that are wanted.
func (s *search) below(dir string, wanted func(path string) bool) {
	for _, e := range s.list(dir) {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			s.below(path, wanted)
		case wanted(path) && !isDir(e, path):
			s.take(path, e)
		}
	}
}

// glob lists the files that fit a pattern, whatever their extension.
func glob(pattern string) ([]input, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, nirc.Usagef("%s: %s", pattern, err)
	}
	clean := filepath.Clean(pattern)
	elems := strings.Split(filepath.ToSlash(clean), "/")
	n := slices.IndexFunc(elems, isPattern)
	if n < 0 {
		return expandArg(clean) // of a*/../b b is left
	}
	base := strings.Join(elems[:n], "/")
	switch {
	case n == 0:
		base = "."
	case base == filepath.VolumeName(base): // "", or of Windows C:
		base += "/"
	}
	if elems[len(elems)-1] == "**" {
		elems = append(elems, "*") // all files
	}
	s := search{base: base, done: map[spot]bool{}}
	s.match(base, elems[n:])
	if len(s.found) == 0 {
		return nil, &nirc.IOError{Err: &fs.PathError{Op: "open", Path: pattern, Err: fs.ErrNotExist}}
	}
	return s.sorted(), nil
}

func isPattern(elem string) bool { return strings.ContainsAny(elem, "*?[") }

// match adds the files below a directory that fit the elements of a pattern,
// as the shell finds them: an element at a time.
func (s *search) match(dir string, elems []string) {
	// With several ** there are many ways to a file.
	at := spot{dir, len(elems)}
	if s.done[at] {
		return
	}
	s.done[at] = true
	elem, rest := elems[0], elems[1:]
	switch {
	case elem == "**":
		s.match(dir, rest)
	case !isPattern(elem):
		path := filepath.Join(dir, elem)
		if len(rest) > 0 {
			s.match(path, rest)
		} else if st, err := os.Stat(path); err == nil && !st.IsDir() || err != nil && !nothing(err) {
			s.add(path, nil) // if it cannot be read, reading tells
		}
		return
	}
	for _, e := range s.list(dir) {
		path := filepath.Join(dir, e.Name())
		if elem == "**" {
			if e.IsDir() {
				s.match(path, elems)
			}
			continue
		}
		if ok, _ := filepath.Match(elem, e.Name()); !ok { // glob has seen that the pattern is one
			continue
		}
		switch down := isDir(e, path); {
		case down && len(rest) > 0:
			s.match(path, rest)
		case !down && len(rest) == 0:
			s.take(path, e)
		}
	}
}
