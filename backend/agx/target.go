package agx

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/core"
	"nirc/backend/agx/isa"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// TargetName is the name of the target, as -t takes it and objects keep it.
const TargetName = "agx"

// Target is AGX as a backend.Backend.
type Target struct {
	// Lists runs the lists agx_… of pipeline.yaml on the programs that no compile
	// asks for: prologs, epilogs and those that stand in for a stage.
	Lists passes.Lists
}

// job is the compile of such a program.
func (t Target) job() *backend.Job { return &backend.Job{Lists: t.Lists} }

// Name returns TargetName.
func (Target) Name() string { return TargetName }

// GPUs lists the chips, DefaultGPU first.
func (Target) GPUs() []backend.GPU { return listedGPUs() }

var listedGPUs = sync.OnceValue(func() []backend.GPU { return backend.ListGPUs(gpus, (*GPU).listed) })

// Steps lists the steps of the code generator; they are the same for all chips.
func (Target) Steps(string) []backend.StepInfo { return backend.Infos(steps) }

// Options returns what the chip wants lowered.
func (Target) Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	switch stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute:
		return Options(gpu, stage)
	}
	return nil, ir.Unsupportedf("agx: stage %s is not supported: a driver builds it from compute shaders", stage)
}

// Hardware is an Apple GPU, as nirc names it.
func (Target) Hardware(gpu string) backend.Hardware {
	return backend.Hardware{Architecture: "AGX", Core: gpu, Stalls: true}
}

// Load makes an object runnable from its code and its meta.
func (t Target) Load(o *object.Object) (emu.Program, error) {
	var m abi.Meta
	if err := backend.Meta(t.Name(), o, &m); err != nil {
		return nil, err
	}
	return core.Load(o.Code, &m)
}

// Disassemble decodes code, one line an instruction. Branches name labels.
func (Target) Disassemble(gpu string, code []byte) ([]backend.Line, error) {
	if _, err := FindGPU(gpu); err != nil {
		return nil, err
	}
	lines := isa.Disassemble(code)
	out := make([]backend.Line, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		b := backend.Line{Offset: l.PC, Hex: hex.EncodeToString(l.Bytes), Bad: l.Err != nil}
		if l.Label {
			b.Label = label(l.PC)
		}
		if b.Bad {
			b.Text = ".half 0x" + reversed(l.Bytes)
		} else {
			b.Text = l.Instr.Text()
		}
		if l.Target >= 0 {
			// The text ends in the offset, as pc+N.
			if k := strings.LastIndex(b.Text, "pc"); k >= 0 {
				b.Text = b.Text[:k] + label(l.Target)
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// reversed writes two bytes as a little-endian number.
func reversed(b []byte) string {
	r := make([]byte, 0, len(b))
	for i := len(b) - 1; i >= 0; i-- {
		r = append(r, b[i])
	}
	return hex.EncodeToString(r)
}

func label(offset int) string { return fmt.Sprintf("l%d", offset) }

// Assemble encodes a listing.
func (Target) Assemble(gpu, text string) ([]byte, error) {
	if _, err := FindGPU(gpu); err != nil {
		return nil, err
	}
	return isa.Assemble(text)
}

// ABIs lists that of parts and those of fragment programs that cull, by the number of distances.
func (Target) ABIs() []string {
	list := []string{backend.SeparateABI}
	for n := range 8 {
		list = append(list, backend.CullABI+strconv.Itoa(n+1))
	}
	return list
}

// DecodeHexVerbose is DecodeHex: the assembly has one form.
func (t Target) DecodeHexVerbose(gpu, hex string) (string, error) { return t.DecodeHex(gpu, hex) }

// DecodeHex decodes the bytes of one instruction, first byte first.
func (Target) DecodeHex(gpu, digits string) (string, error) {
	if _, err := FindGPU(gpu); err != nil {
		return "", err
	}
	code, err := hex.DecodeString(digits)
	if err != nil {
		return "", fmt.Errorf("%q is no byte string in hexadecimal", digits)
	}
	in, n, err := isa.Unpack(code)
	if err != nil {
		return "raw 0x" + digits, err
	}
	if n != len(code) {
		return "raw 0x" + digits, fmt.Errorf("agx: %s takes %d of %d bytes", in.Op, n, len(code))
	}
	return in.Text(), nil
}

// EncodeHex encodes one instruction.
func (Target) EncodeHex(gpu, text string) (string, error) {
	if _, err := FindGPU(gpu); err != nil {
		return "", err
	}
	in, err := isa.ParseText(text)
	if err != nil {
		return "", err
	}
	b, err := isa.Pack(&in)
	return hex.EncodeToString(b), err
}

// Compile generates the object of a shader that went through the pipeline.
func (t Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	part, culls, err := convention(s, job.ABI)
	if err != nil {
		return nil, err
	}
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	o := CompileOptions{GPU: g.Name, Part: part, CullDistances: culls, Job: job}
	if runsAsCompute(s.Stage, job.Next) {
		o.Next = job.Next
	}
	bin, err := Compile(s, o)
	if err != nil {
		return nil, err
	}
	m := &bin.Meta
	return job.NewObject(t.Name(), s, &backend.Generated{GPU: g.Name, Code: bin.Code, Meta: m, Stats: bin.Stats.list(), SharedSize: m.SharedSize, ScratchSize: uint32(bin.Stats.Scratch), Lines: bin.Lines})
}
