// Command rename gives the module another path: the one under which it is published. It changes go.mod, the imports and
// all else that names packages by their whole path, in files that git knows; nothing is built or fetched.
//
//	go run ./internal/rename github.com/someone/nirc
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: rename MODULE, in the folder of go.mod")
	}
	to := os.Args[1]
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		log.Fatal(err)
	}
	from := moduleLine.FindSubmatch(mod)
	if from == nil {
		log.Fatal("go.mod names no module")
	}
	// Go knows what a path may be.
	if out, err := exec.Command("go", "mod", "edit", "-module", to).CombinedOutput(); err != nil {
		log.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		log.Fatal(err)
	}
	files := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	r := newRenamer(string(from[1]), to, files)
	var sources []string
	changed := 0
	for _, name := range files {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		now := r.file(name, text)
		if bytes.Equal(now, text) {
			continue
		}
		if err := os.WriteFile(name, now, info.Mode()); err != nil {
			log.Fatal(err)
		}
		if changed++; strings.HasSuffix(name, ".go") {
			sources = append(sources, name)
		}
	}
	// Imports stand in the order of their paths.
	if out, err := exec.Command("gofmt", append([]string{"-w"}, sources...)...).CombinedOutput(); err != nil {
		log.Fatalf("gofmt: %v\n%s", err, out)
	}
	fmt.Printf("%d files changed. Pages that say that the module has no address yet: grep -rn 'public address' docs\n", changed)
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// renamer changes texts.
type renamer struct {
	to string
	// packages is a path of a package below the module, after what may stand before one; alone the module's own, in quotation marks.
	packages, alone *regexp.Regexp
	// require has lines of a go.mod of others, which pages show.
	require *regexp.Regexp
}

// newRenamer knows packages of the module by the folders in which Go files lie.
func newRenamer(from, to string, files []string) *renamer {
	var rooms []string
	for _, f := range files {
		if room, _, deep := strings.Cut(f, "/"); deep && strings.HasSuffix(f, ".go") && !slices.Contains(rooms, regexp.QuoteMeta(room)) {
			rooms = append(rooms, regexp.QuoteMeta(room))
		}
	}
	slices.Sort(rooms)
	old := regexp.QuoteMeta(from)
	return &renamer{to: to,
		packages: regexp.MustCompile(`(["` + "`" + ` ])` + old + `/((?:` + strings.Join(rooms, "|") + `)\b|")`),
		alone:    regexp.MustCompile(`"` + old + `"`),
		require:  regexp.MustCompile(`(?m)^( *(?:require|replace) )` + old + ` `)}
}

// file returns the text of a file with the new path.
func (r *renamer) file(name string, text []byte) []byte {
	if path.Dir(name) == "internal/rename" { // texts of tests
		return text
	}
	to := strings.ReplaceAll(r.to, "$", "$$")
	switch path.Ext(name) {
	case ".go":
		text = r.packages.ReplaceAll(text, []byte("${1}"+to+"/${2}"))
		if path.Dir(name) == "internal/importcheck" { // its rows are packages
			return r.alone.ReplaceAll(text, []byte(`"`+to+`"`))
		}
		return r.imports(text)
	case ".md":
		text = r.packages.ReplaceAll(text, []byte("${1}"+to+"/${2}"))
		text = r.require.ReplaceAll(text, []byte("${1}"+to+" "))
		return r.imports(text)
	}
	return text
}

// imports changes the lines that import the package in the module's own folder, with or without a name.
func (r *renamer) imports(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, l := range lines {
		if importLine.Match(l) {
			lines[i] = r.alone.ReplaceAll(l, []byte(`"`+strings.ReplaceAll(r.to, "$", "$$")+`"`))
		}
	}
	return bytes.Join(lines, nil)
}

var importLine = regexp.MustCompile(`^(?:\t|import )(?:[\w.]+ )?"[^"]+"\n?$`)
