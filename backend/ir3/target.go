package ir3

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/core"
	"nirc/backend/ir3/isa"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// TargetName is the name of the target, as -t takes it and objects keep it.
const TargetName = "ir3"

// Target is ir3 as a backend.Backend.
type Target struct{}

// Name returns TargetName.
func (Target) Name() string { return TargetName }

// GPUs lists the devices, DefaultGPU first.
func (Target) GPUs() []backend.GPU { return listedGPUs() }

var listedGPUs = sync.OnceValue(func() []backend.GPU {
	list := []backend.GPU{{}}
	for _, names := range abi.GPUNames() {
		doc := "Adreno " + abi.FindGPU(names[0]).Gen.String() + ": " + strings.Join(names, ", ")
		for _, n := range names {
			if n == DefaultGPU {
				list[0] = backend.GPU{Name: n, Doc: doc}
				continue
			}
			list = append(list, backend.GPU{Name: n, Doc: doc})
		}
	}
	return list
})

// Compile generates the object of a shader that went through the pipeline.
func (t Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	opts := CompileOptions{GPU: g.Name, Lists: job.Lists, Verify: job.Instrument.VerifyEach(), job: job}
	if takesOver(s.Stage, job.Next) {
		opts.Next = job.Next
	}
	bin, err := Compile(s, opts)
	if err != nil {
		return nil, err
	}
	m := &bin.Meta
	return job.NewObject(t.Name(), s, &backend.Generated{GPU: g.Name, Code: bin.Code, Meta: m, Stats: bin.Stats.list(), SharedSize: m.SharedSize, ScratchSize: m.PrivateSize, Lines: codeLines(bin.Locs)})
}

// Options returns what the device wants lowered.
func (Target) Options(gpu string, stage ir.Stage) (*ir.Options, error) {
	switch stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute:
		return Options(gpu, stage)
	}
	return nil, ir.Unsupportedf("ir3: stage %s is not supported", stage)
}

// Linker is nil: programs are whole.
func (Target) Linker(passes.Lists) backend.Linker { return nil }

// Dropper refuses: the hardware itself clips and culls by distances.
func (Target) Dropper(abi string, _ passes.Lists) (*object.Object, error) {
	return nil, ir.Unsupportedf("ir3: the %s ABI is not supported", abi)
}

// FeedbackStage is nil: each stage before the rasterizer writes transform feedback.
func (Target) FeedbackStage(passes.Lists) backend.FeedbackStage { return nil }

// Hardware is an Adreno, as nirc names it.
func (Target) Hardware(gpu string) backend.Hardware {
	return backend.Hardware{Architecture: "Adreno", Core: gpu, Stalls: true}
}

// Load makes an object runnable from its code and its meta.
func (t Target) Load(o *object.Object) (emu.Program, error) {
	var m abi.Meta
	if err := backend.Meta(t.Name(), o, &m); err != nil {
		return nil, err
	}
	return core.Load(o.Code, &m)
}

func generation(gpu string) (isa.Gen, error) {
	g, err := FindGPU(gpu)
	if err != nil {
		return isa.GenNone, err
	}
	return g.Gen, nil
}

// Disassemble decodes code, one line a word. Branches name labels.
func (Target) Disassemble(gpu string, code []byte) ([]backend.Line, error) {
	gen, err := generation(gpu)
	if err != nil {
		return nil, err
	}
	lines := isa.Disassemble(gen, code)
	out := make([]backend.Line, 0, len(lines)+1)
	for i := range lines {
		l := &lines[i]
		b := backend.Line{Offset: l.PC * isa.WordBytes, Hex: fmt.Sprintf("%016x", l.Word), Bad: l.Err != nil}
		if l.Label {
			b.Label = label(l.PC)
		}
		b.Text = l.Instr.Text(gen)
		if l.Target >= 0 && l.Target < len(lines) {
			// The text ends in the offset, as #N.
			if k := strings.LastIndexByte(b.Text, '#'); k >= 0 {
				b.Text = b.Text[:k+1] + label(l.Target)
			}
		}
		out = append(out, b)
	}
	if rest := len(code) % isa.WordBytes; rest != 0 {
		tail := code[len(code)-rest:]
		out = append(out, backend.Line{Offset: len(code) - rest, Hex: fmt.Sprintf("%x", tail), Text: fmt.Sprintf("%d bytes are left over", rest), Bad: true})
	}
	return out, nil
}

func label(pc int) string { return "l" + strconv.Itoa(pc) }

// Assemble encodes a listing.
func (Target) Assemble(gpu, text string) ([]byte, error) {
	gen, err := generation(gpu)
	if err != nil {
		return nil, err
	}
	return isa.Assemble(gen, text)
}

// ABIs is empty: programs are whole, and the fixed functions blend and cull.
func (Target) ABIs() []string { return nil }

// DecodeHexVerbose is DecodeHex: the assembly has one form.
func (t Target) DecodeHexVerbose(gpu, hex string) (string, error) { return t.DecodeHex(gpu, hex) }

// DecodeHex decodes one word, most significant digit first. A word that is
// no instruction gives the text "raw 0x…" beside the error.
func (Target) DecodeHex(gpu, hex string) (string, error) {
	gen, err := generation(gpu)
	if err != nil {
		return "", err
	}
	digits := strings.TrimPrefix(hex, "0x")
	w, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) > 16 {
		return "", fmt.Errorf("%q is no 64-bit word in hexadecimal", hex)
	}
	in, err := isa.Unpack(gen, w)
	return in.Text(gen), err
}

// EncodeHex encodes one instruction.
func (Target) EncodeHex(gpu, text string) (string, error) {
	gen, err := generation(gpu)
	if err != nil {
		return "", err
	}
	in, err := isa.ParseText(gen, text)
	if err != nil {
		return "", err
	}
	w, err := isa.Pack(gen, &in)
	if err != nil {
		return "", err
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], w)
	return fmt.Sprintf("%x", b), nil
}
