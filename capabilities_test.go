package nirc_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"nirc"
	"nirc/backend"
)

// capabilityProbe is a small module that uses a capability, or what of it only some targets have.
type capabilityProbe struct {
	name, text string
	part       bool
}

const probeText = `OpCapability Shader
OpCapability Int64
OpCapability Float64
CAPABILITIES
IMPORTS
MEMORYMODEL
OpEntryPoint MODEL %main "main" INTERFACE
MODES
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpMemberDecorate %block 2 Offset 8
OpMemberDecorate %block 3 Offset 16
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
DECORATIONS
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v4 = OpTypeVector %u32 4
%v3 = OpTypeVector %u32 3
%block = OpTypeStruct %u32 %f32 %u64 %f64
%pblock = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u32
%pfl = OpTypePointer StorageBuffer %f32
%pd = OpTypePointer StorageBuffer %u64
%pdf = OpTypePointer StorageBuffer %f64
%buf = OpVariable %pblock StorageBuffer
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%i2 = OpConstant %u32 8
%visible = OpConstant %u32 24648
%l1 = OpConstant %u64 1
%one = OpConstant %f32 1
%wide = OpConstant %f64 1
DECLS
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pu %buf %c0
%pf = OpAccessChain %pfl %buf %c1
%p64 = OpAccessChain %pd %buf %c2
%pf64 = OpAccessChain %pdf %buf %c3
%u = OpLoad %u32 %p
%f = OpLoad %f32 %pf
%b = OpIEqual %bool %u %c1
BODY
OpReturn
OpFunctionEnd
`

// probeModes are the execution modes of a model, for probes that set none.
var probeModes = map[string]string{
	"GLCompute": "OpExecutionMode %main LocalSize 4 1 1\n", "Fragment": "OpExecutionMode %main OriginUpperLeft\n",
	"Geometry":               "OpExecutionMode %main InputPoints\nOpExecutionMode %main Invocations 1\nOpExecutionMode %main OutputPoints\nOpExecutionMode %main OutputVertices 1\n",
	"TessellationEvaluation": "OpExecutionMode %main Triangles\n",
}

// readProbes makes the modules of testdata/capabilities.txtar.
func readProbes(t *testing.T) []capabilityProbe {
	t.Helper()
	a, err := txtar.ParseFile("testdata/capabilities.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var list []capabilityProbe
	for i := range a.Files {
		name, model, _ := strings.Cut(a.Files[i].Name, " ")
		name, part := strings.CutSuffix(name, ".part")
		decls, body, _ := strings.Cut(string(a.Files[i].Data), "\n\n")
		if strings.HasPrefix(decls, "\n") {
			decls, body = "", decls
		}
		parts := map[string]string{"CAPABILITIES": "OpCapability " + name + "\n", "MEMORYMODEL": "OpMemoryModel Logical GLSL450", "MODES": probeModes[model]}
		for _, line := range strings.Split(decls, "\n") {
			op := line
			if _, rest, ok := strings.Cut(line, " = "); ok {
				op = rest
			}
			switch op, _, _ = strings.Cut(op, " "); op {
			case "interface":
				parts["INTERFACE"] = strings.TrimPrefix(line, "interface ")
			case "OpMemoryModel":
				parts["MEMORYMODEL"] = line
			case "OpCapability":
				parts["CAPABILITIES"] += line + "\n"
			case "OpExtInstImport":
				parts["IMPORTS"] = line
			case "OpExecutionMode":
				if strings.Contains(line, "LocalSize") {
					parts["MODES"] = ""
				}
				parts["MODES"] += line + "\n"
			case "OpDecorate", "OpMemberDecorate":
				parts["DECORATIONS"] += line + "\n"
			default:
				parts["DECLS"] += line + "\n"
			}
		}
		r := strings.NewReplacer("CAPABILITIES", parts["CAPABILITIES"], "IMPORTS", parts["IMPORTS"], "MEMORYMODEL", parts["MEMORYMODEL"], "MODEL", model, "INTERFACE", parts["INTERFACE"],
			"MODES", parts["MODES"], "DECORATIONS", parts["DECORATIONS"], "DECLS", parts["DECLS"], "BODY", body)
		list = append(list, capabilityProbe{name, r.Replace(probeText), part})
	}
	return list
}

// What the table says of a capability is what compiling a module that uses it comes to: code, or a
// diagnostic that names the GPU or the frontend's limit. Of what a GPU has in part there is a module of either kind.
func TestCapabilities(t *testing.T) {
	table := map[string]nirc.Capability{}
	inPart := map[string]bool{}
	for _, c := range nirc.Capabilities() {
		table[c.Name] = c
		for _, s := range c.GPUs {
			if s.Part {
				inPart[c.Name] = true
			}
		}
	}
	gpus := map[string]bool{"a630": true, "a660": true, "a740": true, "a750": true, "g13g": true, "t860": true}
	probes := readProbes(t)
	for i := range probes {
		p := &probes[i]
		if p.part {
			delete(inPart, p.name)
		}
		m, err := nirc.Load([]byte(p.text), "probe.spvasm")
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		for _, s := range table[p.name].GPUs {
			if gpus[s.GPU] {
				o := nirc.Options{Target: s.Target, GPU: s.GPU}
				if p.name == "TileImageColorReadAccessEXT" { // AGX has the tile in the formats of the pipeline's state
					o.State = &nirc.State{Fragment: backend.FragmentKey{Targets: []backend.TargetKey{{Format: "R8G8B8A8_UNORM"}}}}
				}
				_, err := m.Compile(context.Background(), o)
				s.Supported = s.Supported || s.Part && !p.part
				checkProbe(t, p, &s, err)
			}
		}
	}
	for name := range inPart {
		t.Errorf("%s: nothing shows what a GPU lacks that has it in part", name)
	}
}

// refusesBy reports whether a refusal has a place and gives the table's reason. A geometry shader on a target without that
// stage is refused for the stage.
func refusesBy(p *capabilityProbe, s *nirc.CapabilitySupport, msg string) bool {
	why, _, _ := strings.Cut(s.Why, ", needs ")
	if _, rest, ok := strings.Cut(why, ": "); ok && s.Part {
		why = rest
	}
	stage := strings.Contains(msg, "the hardware has no such stage")
	return strings.Contains(msg, "error: word ") && strings.Contains(msg, why) || stage && (s.Why == "the hardware has no such stage" || p.name == "MultiViewport") ||
		strings.Contains(msg, "is not supported by this frontend")
}

func checkProbe(t *testing.T, p *capabilityProbe, s *nirc.CapabilitySupport, err error) {
	t.Helper()
	switch {
	case s.Supported && err != nil:
		t.Errorf("%s on %s: the table says yes: %v", p.name, s.GPU, err)
	case !s.Supported && err == nil:
		t.Errorf("%s on %s compiles, the table says: %s", p.name, s.GPU, s.Why)
	case !s.Supported && !errors.Is(err, errors.ErrUnsupported):
		t.Errorf("%s on %s is no refusal: %v", p.name, s.GPU, err)
	case !s.Supported && !refusesBy(p, s, err.Error()):
		t.Errorf("%s on %s: the refusal is not the table's, %q: %v", p.name, s.GPU, s.Why, err)
	}
}

// The counts are those of the rows, and nothing that a GPU's driver exposes is refused.
func TestCapabilityCounts(t *testing.T) {
	for _, n := range nirc.CapabilityCounts() {
		if n.Driver == "" || n.Of < 100 || n.Supported < 80 || n.Supported > n.Of || n.Exposed > n.Of || len(n.Missing) > n.Exposed {
			t.Errorf("%+v", n)
		}
		if len(n.Missing) > 0 {
			t.Errorf("%s has %v on %s, which are refused", n.Driver, n.Missing, n.GPU)
		}
		if n.Target == "midgard" && n.Exposed != 0 {
			t.Errorf("panvk has no %s", n.GPU)
		}
	}
}
