package main

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/ir"

	"github.com/spf13/cobra"
)

// identity is what nirc version says.
type identity struct {
	head
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // what the program was built of, if that is known
	Time     string `json:"time,omitempty"`   // of the commit
	Dirty    bool   `json:"dirty"`            // files were changed after the commit, or it is not known
	Code     string `json:"code"`             // in the keys of a cache and in reports
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Grammar  string `json:"spirv_grammar"`
	IR       int    `json:"ir_format"`
}

const versionLong = `Say what this nirc is: its version, the commit that it was built of, the Go that built it, the
SPIR-V grammar that it reads, and the format of its IR. "code" stands in the keys of the cache, so
that no object of another code generation is taken: the version and the commit, or, of a program
built from changed files, a digest of the program itself.`

func (a *app) version() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "version", Short: "Say what this nirc is and what it was built of", Long: versionLong, Args: cobra.NoArgs}
	s.declare(cmd.Flags(), reportFlags)
	cmd.RunE = func(*cobra.Command, []string) error {
		id := identify()
		commit := id.Commit
		switch {
		case commit == "":
			commit = "unknown"
		case id.Dirty:
			commit += ", with changes"
		}
		t := &sheet{columns: []string{"name", "value"}}
		for _, row := range [][2]string{{"nirc", id.Version}, {"commit", commit}, {"time", id.Time}, {"code", id.Code}, {"go", id.Go}, {"platform", id.Platform},
			{"SPIR-V grammar", id.Grammar}, {"IR format", fmt.Sprint(id.IR)}} {
			if row[1] != "" {
				t.add(row[0], row[1])
			}
		}
		return a.present(s, id, t, nil)
	}
	return cmd
}

// identify finds out what this program is.
var identify = sync.OnceValue(func() identity {
	id := identity{head: head{1, "nirc version"}, Version: nirc.Version, Dirty: true, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Grammar: spv.GrammarVersion, IR: ir.FormatVersion}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				id.Commit = s.Value
			case "vcs.time":
				id.Time = s.Value
			case "vcs.modified":
				id.Dirty = s.Value != "false"
			}
		}
	}
	id.Code = nirc.Version
	if id.Commit != "" && !id.Dirty {
		id.Code += "+" + id.Commit
	} else if digest := programDigest(); digest != "" {
		id.Code += "+" + digest
	}
	return id
})

// codeVersion is the version of the code generation: what one makes, another may not take for its own.
func codeVersion() string { return identify().Code }

// programDigest stands for all that the program was built of, "" if it cannot be read.
func programDigest() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if id := buildID(path); id != "" {
		return id
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// buildID is a digest of what the linker gave an ELF program as its identity,
// which changes with all that it was built of; "" if it has none.
func buildID(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	id, err := note.Data()
	if err != nil || len(id) < 32 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(id))
}
