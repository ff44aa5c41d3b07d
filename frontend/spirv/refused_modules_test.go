package spirv

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// refusedHeads begin a module of TestRefusedModules: by the first word of a file's name.
var refusedHeads = map[string]string{
	"compute": `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
`,
	"vertex": `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %out
`,
	"fragment": `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
`,
	"kernel": `OpCapability Addresses
OpCapability Kernel
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 1 1 1
`,
}

// refusedTypes are declared after what a file says of its own types and variables.
const refusedTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%u2 = OpTypeVector %uint 2
%k0 = OpConstant %uint 0
%k1 = OpConstant %uint 1
%k2 = OpConstant %uint 2
%k99 = OpConstant %uint 99
%f0 = OpConstant %float 0
%f00 = OpConstantNull %v2
%yes = OpConstantTrue %bool
`

// TestRefusedModules: what is wrong with a module, or not supported, is an error that says what. Each file of testdata/refused_modules.txtar has the error
// in its first line (nothing where the module is taken), then decorations, "types" and declarations, "main" and what stands in the entry point; "whole" and a
// module's text without its first part instead.
func TestRefusedModules(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/refused_modules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		want, text, _ := strings.Cut(string(f.Data), "\n")
		stage, _, _ := strings.Cut(f.Name, " ")
		_, err := Translate(assemble(t, refusedModule(refusedHeads[stage], text)), Options{panics: true})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", f.Name, err, want)
		}
	}
}

// refusedModule is a module's whole text.
func refusedModule(head, text string) string {
	if whole, ok := strings.CutPrefix(text, "whole\n"); ok {
		return whole
	}
	decor, rest, _ := strings.Cut(text, "types\n")
	types, body, _ := strings.Cut(rest, "main\n")
	caps := ""
	for strings.HasPrefix(decor, "OpCapability") || strings.HasPrefix(decor, "OpExtension") {
		line, after, _ := strings.Cut(decor, "\n")
		caps, decor = caps+line+"\n", after
	}
	return caps + head + decor + refusedTypes + types + "%main = OpFunction %void None %fn\n%e = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n"
}
