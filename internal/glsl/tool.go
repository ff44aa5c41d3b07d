package glsl

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// tool is a compiler of GLSL.
type tool struct {
	path  string
	glslc bool // it takes the flags of glslc, not of glslangValidator
}

// find returns the compiler of Options.FrontEnd.
func find(frontEnd string) (*tool, error) {
	names := []string{"glslangValidator", "glslc"}
	switch frontEnd {
	case "":
	case "glslang":
		names = []string{"glslangValidator", "glslang"}
	default:
		names = []string{frontEnd}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return &tool{path, strings.Contains(filepath.Base(n), "glslc")}, nil
		}
	}
	why := "GLSL needs glslangValidator or glslc, and neither is installed"
	if frontEnd != "" {
		why = fmt.Sprintf("the front end %s is not installed", frontEnd)
	}
	return nil, &Error{[]Message{{Text: why}}}
}

// args are what the compiler is called with, except for the file.
func (t *tool) args(stage, out string, o *Options) (args []string) {
	env, entry := o.Env, o.Entry
	if env == "" {
		env = "vulkan1.3"
	}
	if entry == "" {
		entry = "main"
	}
	var deps, hlsl []string
	if t.glslc {
		args = append([]string{"-fshader-stage=" + stage, "-o", out}, glslcEnv(env)...)
		deps = []string{"-MD", "-MF", out + ".d"}
		hlsl = []string{"-x", "hlsl", "-fentry-point=" + entry}
	} else {
		args = append([]string{"-V", "-S", stage, "-o", out}, glslangEnv(env)...)
		deps = []string{"--depfile", out + ".d"}
		hlsl = []string{"-D", "-e", entry}
	}
	if o.HLSL {
		args = append(args, hlsl...)
	}
	args = append(args, o.Macros...)
	for _, dir := range o.Include {
		args = append(args, "-I"+dir)
	}
	if o.Debug {
		args = append(args, "-g")
	}
	if o.Deps {
		args = append(args, deps...)
	}
	return args
}

// identities are those of the tools that were asked for, by path.
var identities struct {
	sync.Mutex
	of map[string][sha256.Size]byte
}

// identity stands for all of the compiler that what it makes depends on: its program, and what it says of itself,
// which tells libraries that it is linked with apart. It is found out once in a run.
func (t *tool) identity() ([sha256.Size]byte, error) {
	identities.Lock()
	defer identities.Unlock()
	if id, known := identities.of[t.path]; known {
		return id, nil
	}
	data, err := os.ReadFile(t.path)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	version, err := exec.Command(t.path, "--version").CombinedOutput()
	id := sha256.Sum256(fmt.Appendf(nil, "%x %q %v", sha256.Sum256(data), version, err))
	if identities.of == nil {
		identities.of = map[string][sha256.Size]byte{}
	}
	identities.of[t.path] = id
	return id, nil
}

// glslangEnv and glslcEnv are the flags that give the two compilers a target environment.
func glslangEnv(env string) []string {
	v, isSPV := strings.CutPrefix(env, "spv")
	switch {
	case isSPV:
		return []string{"--target-env", "spirv" + v}
	case env == "vulkan":
		return []string{"--target-env", "vulkan1.0"}
	case env == "vulkan1.1spv1.4":
		return []string{"--target-env", "vulkan1.1", "--target-env", "spirv1.4"}
	}
	return []string{"--target-env", env}
}

func glslcEnv(env string) []string {
	switch {
	case strings.HasPrefix(env, "spv"):
		return []string{"--target-env=vulkan1.3", "--target-spv=" + env}
	case env == "vulkan1.1spv1.4":
		return []string{"--target-env=vulkan1.1", "--target-spv=spv1.4"}
	}
	return []string{"--target-env=" + env}
}

// readDeps reads the prerequisites of the rule in a depfile, by the names that they were given; those without a name
// are left out.
func readDeps(file string, names map[string]string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), ": ")
	var deps []string
	for _, d := range strings.Fields(strings.ReplaceAll(list, `\ `, "\x00")) {
		d = filepath.Clean(strings.ReplaceAll(d, "\x00", " "))
		for path, name := range names {
			if filepath.Clean(path) == d {
				d = name
				break
			}
		}
		if d != "" && !slices.Contains(deps, d) {
			deps = append(deps, d)
		}
	}
	return deps, nil
}
