package main

import (
	"nirc"

	"github.com/spf13/pflag"
)

// glslFlags say how GLSL becomes SPIR-V, on every command that takes it.
type glslFlags struct {
	defines, undefines, includes, preIncludes []string
	frontEnd, language                        string
}

func (g *glslFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVarP(&g.defines, "define", "D", nil, "`NAME[=TEXT]`: a macro of GLSL")
	f.StringArrayVarP(&g.undefines, "undefine", "U", nil, "`NAME`: a macro of GLSL that is taken away")
	f.StringArrayVarP(&g.includes, "include", "I", nil, "`DIRECTORY` that GLSL's #include looks into")
	f.StringArrayVar(&g.preIncludes, "pre-include", nil, "`FILE` that GLSL includes before its own text (also -include)")
	f.StringVar(&g.frontEnd, "front-end", "", "compiler of GLSL: glslang, glslc or a `PATH` (default: glslangValidator, else glslc)")
	f.StringVarP(&g.language, "language", "x", "", "`LANGUAGE` of files, whatever they are called: glsl or hlsl")
}

// apply puts the flags into the options that a module is read with.
func (g *glslFlags) apply(o *nirc.FileOptions) {
	o.Define, o.Undefine, o.Include, o.PreInclude = g.defines, g.undefines, g.includes, g.preIncludes
	o.FrontEnd, o.Language = g.frontEnd, g.language
}
