package amber

import (
	"regexp"
	"strings"
	"sync"

	"nirc/frontend/spirv/spv"
)

// reconvergence is the GLSL extension by which a shader is reconverged as its source says (GLSL_EXT_maximal_reconvergence). Of a
// module it makes an execution mode and no more, so shaders are compiled without it by compilers that do not know it.
const (
	reconvergence     = "GL_EXT_maximal_reconvergence"
	reconvergenceMode = "[[maximally_reconverges]]"
)

var reconvergenceLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*#[ \t]*extension[ \t]+` + reconvergence + `\b.*$`)
})

// withoutReconvergence takes the extension out of GLSL, and reports whether the shader asks for the mode. Lines stay where they are.
func withoutReconvergence(text string) (rest string, maximal bool) {
	rest = reconvergenceLine().ReplaceAllString(text, "")
	return strings.ReplaceAll(rest, reconvergenceMode, ""), strings.Contains(rest, reconvergenceMode)
}

// reconverging gives a module's entry points the execution mode MaximallyReconvergesKHR.
func reconverging(words []uint32) ([]uint32, error) {
	m, err := spv.ParseWords(words)
	if err != nil {
		return nil, err
	}
	extension, _ := spv.Assemble(`OpExtension "SPV_KHR_maximal_reconvergence"`, spv.AssembleOptions{})
	const header = 5
	out := append([]uint32(nil), words[:header]...)
	var entries []uint32
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case spv.OpCapability, spv.OpExtension:
		default:
			if extension != nil {
				out, extension = append(out, extension[header:]...), nil
			}
		}
		if in.Op != spv.OpEntryPoint && len(entries) > 0 {
			for _, e := range entries {
				out = append(out, 3<<16|uint32(spv.OpExecutionMode), e, uint32(spv.ExecutionModeMaximallyReconvergesKHR))
			}
			entries = nil
		}
		if in.Op == spv.OpEntryPoint {
			entries = append(entries, in.Arg(1))
		}
		out = append(out, in.Words...)
	}
	return out, nil
}
