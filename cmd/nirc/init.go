package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"nirc"
	"nirc/internal/lazy"

	"github.com/spf13/cobra"
)

const initLong = `Write a nirc.yaml for a project of shaders: the settings that commands read when they run in its
folder, with what they mean, and those that one may want as comments. With --ci also a job for a CI
service that compiles all shaders on each change, keeps what it compiled, and fails if one is
refused or got dearer than shaders.json says, the figures that are kept in the repository:

    nirc stats shaders --json >shaders.json

Nothing is overwritten: if one of the files is there, none is written.`

// The files that init writes, as templates over project.
var (
	//go:embed init/nirc.yaml
	initSettings string
	//go:embed init/github.yml
	initGitHub string
	//go:embed init/gitlab.yml
	initGitLab string
)

// ciJobs are the services that init has a job for: the file, from the project's folder on, and its text.
var ciJobs = lazy.Value[map[string]struct{ path, text string }]{Make: func() map[string]struct{ path, text string } {
	return map[string]struct{ path, text string }{
		"github": {".github/workflows/shaders.yml", initGitHub},
		"gitlab": {".gitlab-ci.yml", initGitLab},
	}
}}

// project is what the files are about.
type project struct {
	Target, GPU, Level, Shaders string
	Version                     string // of nirc
}

func (a *app) init() *cobra.Command {
	s := &shared{}
	var ci, shaders string
	cmd := &cobra.Command{Use: "init [FOLDER]", Short: "Write a nirc.yaml, and a job for CI", Long: initLong, Args: cobra.MaximumNArgs(1)}
	f := cmd.Flags()
	s.declare(f, targetFlags, []string{"opt-level"})
	f.StringVar(&ci, "ci", "", "write a job too, for this `SERVICE`: github or gitlab")
	f.StringVar(&shaders, "shaders", "shaders", "the `FOLDER` of the project's shaders, or a pattern as 'src/**/*.frag'")
	f.Lookup("ci").Value = checked{f.Lookup("ci").Value, choice("github", "gitlab")}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := s.chooseTargets(a); err != nil {
			return err
		}
		if strings.ContainsAny(shaders, "'\n") || shaders == "" {
			return nirc.Usagef("--shaders %q: want a folder or a pattern without quotation marks", shaders)
		}
		folder := "."
		if len(args) > 0 {
			folder = args[0]
		}
		files, err := initFiles(ci, project{Target: s.target, GPU: s.gpu, Level: s.level, Shaders: shaders, Version: nirc.Version})
		if err != nil {
			return err
		}
		return a.writeNew(folder, files)
	}
	return cmd
}

// newFile is a file that is to be written, by its path from a folder on.
type newFile struct {
	path string
	data []byte
}

// initFiles are the files of a project.
func initFiles(ci string, p project) ([]newFile, error) {
	files := []newFile{{path: configFile, data: []byte(initSettings)}}
	if job, ok := ciJobs.Get()[ci]; ok {
		files = append(files, newFile{job.path, []byte(job.text)})
	}
	for i := range files {
		// Services have their own use for {{ }}.
		t, err := template.New(files[i].path).Delims("<<", ">>").Funcs(template.FuncMap{"yaml": yamlText}).Parse(string(files[i].data))
		var b bytes.Buffer
		if err == nil {
			err = t.Execute(&b, p)
		}
		if err != nil {
			return nil, &nirc.InternalError{Pass: "init", Value: err}
		}
		files[i].data = b.Bytes()
	}
	return files, nil
}

// writeNew writes files below a folder, which is made, and says what it wrote; if one is there it writes none.
func (a *app) writeNew(folder string, files []newFile) error {
	for _, f := range files {
		path := filepath.Join(folder, f.path)
		if _, err := os.Lstat(path); err == nil {
			return nirc.Usagef("%s is there already: nothing was written", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return &nirc.IOError{Err: err}
		}
	}
	for _, f := range files {
		path := filepath.Join(folder, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return &nirc.IOError{Err: err}
		}
		if err := a.writeFile(path, f.data); err != nil {
			return err
		}
		if a.quiet {
			continue
		}
		if _, err := fmt.Fprintf(a.out, "wrote %s\n", path); err != nil {
			return ioError(err)
		}
	}
	return nil
}
