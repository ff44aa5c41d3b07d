package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// The shapes of the grammar's JSON files, as far as they are used.
type (
	jsonOperand struct {
		Kind, Quantifier string
	}
	jsonInst struct {
		Opname       string
		Opcode       uint32
		Aliases      []string
		Operands     []jsonOperand
		Capabilities []string
		Version      string
	}
	jsonEnumerant struct {
		Enumerant    string
		Value        jsonNumber
		Aliases      []string
		Parameters   []jsonOperand
		Capabilities []string
		Version      string
	}
	jsonKind struct {
		Category, Kind string
		Enumerants     []jsonEnumerant
		Bases          []string
	}
	jsonGrammar struct {
		Major        int        `json:"major_version"`
		Minor        int        `json:"minor_version"`
		Revision     int        `json:"revision"`
		Instructions []jsonInst `json:"instructions"`
		Kinds        []jsonKind `json:"operand_kinds"`
	}
)

// jsonNumber is a number that the grammar writes as 12 or as "0x000C".
type jsonNumber uint32

// UnmarshalJSON reads either form.
func (n *jsonNumber) UnmarshalJSON(b []byte) error {
	s := string(b)
	if u, err := strconv.Unquote(s); err == nil {
		s = u
	}
	v, err := strconv.ParseUint(s, 0, 32)
	*n = jsonNumber(v)
	return err
}

// extSource names the file of an extended instruction set, the name (or the prefix of the name) by which modules import it, and the
// prefix of its Go names.
type extSource struct {
	file, imports, goName string
	prefix                bool // any import name that starts with imports is this set
}

var extSources = []extSource{
	{"glsl.std.450", "GLSL.std.450", "GLSLstd450", false},
	{"opencl.std.100", "OpenCL.std", "OpenCLstd", false},
	{"nonsemantic.shader.debuginfo.100", "NonSemantic.Shader.DebugInfo.100", "NonSemanticShaderDebugInfo100", false},
	{"nonsemantic.clspvreflection", "NonSemantic.ClspvReflection.", "NonSemanticClspvReflection", true},
	{"debuginfo", "DebugInfo", "DebugInfo", false},
	{"opencl.debuginfo.100", "OpenCL.DebugInfo.100", "OpenCLDebugInfo100", false},
	{"spv-amd-gcn-shader", "SPV_AMD_gcn_shader", "AMDGCNShader", false},
	{"spv-amd-shader-ballot", "SPV_AMD_shader_ballot", "AMDShaderBallot", false},
	{"spv-amd-shader-explicit-vertex-parameter", "SPV_AMD_shader_explicit_vertex_parameter", "AMDShaderExplicitVertexParameter", false},
	{"spv-amd-shader-trinary-minmax", "SPV_AMD_shader_trinary_minmax", "AMDShaderTrinaryMinmax", false},
}

// grammar is everything that was read.
type grammar struct {
	core jsonGrammar
	exts []jsonGrammar // parallel to extSources
	reg  registry
}

// registry is the part of spir-v.xml that names the tools.
type registry struct {
	IDs []struct {
		Type string `xml:"type,attr"`
		ID   []struct {
			Value  int    `xml:"value,attr"`
			Vendor string `xml:"vendor,attr"`
			Tool   string `xml:"tool,attr"`
		} `xml:"id"`
	} `xml:"ids"`
}

func load(dir string) (*grammar, error) {
	g := &grammar{exts: make([]jsonGrammar, len(extSources))}
	if err := loadJSON(filepath.Join(dir, "spirv.core.grammar.json"), &g.core); err != nil {
		return nil, err
	}
	for i, s := range extSources {
		if err := loadJSON(filepath.Join(dir, "extinst."+s.file+".grammar.json"), &g.exts[i]); err != nil {
			return nil, err
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "spir-v.xml"))
	if err != nil {
		return nil, err
	}
	return g, xml.Unmarshal(b, &g.reg)
}

func loadJSON(path string, into *jsonGrammar) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
