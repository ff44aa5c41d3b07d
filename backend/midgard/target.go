package midgard

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/core"
	"nirc/backend/midgard/isa"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// TargetName is the name of the target, as -t takes it and objects keep it.
const TargetName = "midgard"

// Target is Midgard as a backend.Backend.
type Target struct{}

// Name returns TargetName.
func (Target) Name() string { return TargetName }

// GPUs lists the chips, DefaultGPU first.
func (Target) GPUs() []backend.GPU { return listedGPUs() }

var listedGPUs = sync.OnceValue(func() []backend.GPU { return backend.ListGPUs(gpus, asListed) })

// Options returns what the chip wants lowered.
func (Target) Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	switch stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry:
		return Options(gpu, stage)
	}
	return nil, ir.Unsupportedf("midgard: stage %s is not supported: the hardware has no such stage", stage)
}

// Compile generates the object of a shader that went through the pipeline.
func (t Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	o := CompileOptions{GPU: g.Name, Job: job}
	if format, ok := strings.CutPrefix(job.ABI, backend.BlendABI); ok {
		if o.Blend = format; format == "" {
			return nil, errors.New("midgard: a blend program needs the format of its target, as in blend:R8G8B8A8_UNORM")
		}
	} else if numbers, ok := strings.CutPrefix(job.ABI, backend.ClipABI); ok {
		if o.Clip, o.Cull, err = parseDistances(numbers); err != nil {
			return nil, err
		}
	} else if mask, ok := strings.CutPrefix(job.ABI, backend.LinearABI); ok {
		if o.Linear, err = parseLinear(mask); err != nil {
			return nil, err
		}
	} else if o.Feedback = job.ABI == backend.FeedbackABI; !o.Feedback && job.ABI != "" && job.ABI != backend.MonolithicABI {
		return nil, ir.Unsupportedf("midgard: the %s ABI is not supported", job.ABI)
	}
	if vertices := s.Stage == ir.StageVertex || s.Stage == ir.StageTessEval; vertices && (job.Next == ir.StageTessCtrl || job.Next == ir.StageGeometry) {
		o.Next = job.Next
	}
	bin, err := Compile(s, o)
	if err != nil {
		return nil, err
	}
	m := &bin.Meta
	return job.NewObject(t.Name(), s, &backend.Generated{GPU: g.Name, Code: bin.Code, Meta: m, Stats: bin.Stats.list(), SharedSize: m.SharedSize, ScratchSize: m.TLSSize, Lines: bin.Lines})
}

// parseLinear reads the masks of locations without perspective.
func parseLinear(masks string) (backend.Linear, error) {
	l, ok := backend.ParseLinear(masks)
	if !ok {
		return l, ir.Unsupportedf("midgard: %q is no mask of locations without perspective, as in linear:0x5, nor one for each component, as in linear:0x5,0x4,0x4,0x4", masks)
	}
	return l, nil
}

// Linker is nil: programs are whole.
func (Target) Linker(passes.Lists) backend.Linker { return nil }

// Hardware is a Mali, as Arm's tools name it.
func (Target) Hardware(gpu string) backend.Hardware {
	return backend.Hardware{Architecture: "Midgard", Core: "Mali-" + strings.ToUpper(gpu)}
}

// Load makes an object runnable from its code and its meta.
func (t Target) Load(o *object.Object) (emu.Program, error) {
	var m abi.Meta
	if err := backend.Meta(t.Name(), o, &m); err != nil {
		return nil, err
	}
	return core.LoadFresh(o.Code, &m)
}

// lineIndent separates the lines of a bundle in a listing, which has four
// spaces before each.
const lineIndent = "\n    "

// Disassemble decodes code, one bundle a line of several rows; an empty row
// ends it. The text is the full one of package isa.
func (Target) Disassemble(gpu string, code []byte) ([]backend.Line, error) {
	if _, err := FindGPU(gpu); err != nil {
		return nil, err
	}
	groups := strings.Split(isa.Disassemble(code, isa.TextOptions{Full: true}), "\n\n")
	var out []backend.Line
	for at := 0; at < len(code) && len(groups) > 0; {
		text := groups[0]
		groups = groups[1:]
		b, size, err := isa.Decode(code[at:])
		if size == 0 {
			size = len(code) - at
		}
		if !b.Tag.Known() && len(groups) > 0 {
			text += "\n\n" + groups[0] // its quadword stands apart
			groups = groups[1:]
		}
		l := backend.Line{Offset: at, Hex: hex.EncodeToString(code[at : at+size])}
		l.Bad = err != nil && (at+size < len(code) || !zero(code[at:])) // zeros pad the end
		l.Text = strings.ReplaceAll(text, "\n", lineIndent) + "\n"
		out = append(out, l)
		at += size
	}
	return out, nil
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// Assemble encodes a listing.
func (Target) Assemble(gpu, text string) ([]byte, error) {
	if _, err := FindGPU(gpu); err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " \t") // lines of textures end in a space
	}
	return isa.Assemble(strings.Join(lines, "\n"), isa.TextOptions{Full: true})
}

// textOptions are those of the reference's text for a GPU.
func textOptions(gpu string, verbose bool) (isa.TextOptions, error) {
	g, err := FindGPU(gpu)
	if err != nil {
		return isa.TextOptions{}, err
	}
	return isa.TextOptions{Verbose: verbose, Alias: g.Alias}, nil
}

// escapes stand for what would break a line of text into several.
var (
	escape   = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`)
	unescape = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\t`, "\t")
)

// DecodeHex decodes the bytes of bundles, first byte first, to the reference's
// text, whose line ends are written \n.
func (t Target) DecodeHex(gpu, digits string) (string, error) { return t.decodeHex(gpu, digits, false) }

// DecodeHexVerbose is DecodeHex with the units' names.
func (t Target) DecodeHexVerbose(gpu, digits string) (string, error) {
	return t.decodeHex(gpu, digits, true)
}

func (Target) decodeHex(gpu, digits string, verbose bool) (string, error) {
	o, err := textOptions(gpu, verbose)
	if err != nil {
		return "", err
	}
	code, err := hex.DecodeString(digits)
	if err != nil {
		return "", fmt.Errorf("%q is no byte string in hexadecimal", digits)
	}
	return escape.Replace(isa.Disassemble(code, o)), nil
}

// EncodeHex encodes the text of bundles, its line ends written \n.
func (Target) EncodeHex(gpu, text string) (string, error) {
	o, err := textOptions(gpu, false)
	if err != nil {
		return "", err
	}
	code, err := isa.Assemble(unescape.Replace(text), o)
	return hex.EncodeToString(code), err
}
