package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// kernelFormats is a kernel of two images; BODY leaves in %got the order of the channels of one, and FUNCTIONS are what it calls.
const kernelFormats = `OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability ImageBasic
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%c1 = OpConstant %uint 1
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%word = OpTypePointer CrossWorkgroup %uint
%pimage = OpTypePointer Function %image
%fn = OpTypeFunction %void %image %word %image
%fone = OpTypeFunction %uint %image
%ftwo = OpTypeFunction %uint %uint %image
FUNCTIONS
%main = OpFunction %void None %fn
%a = OpFunctionParameter %image
%out = OpFunctionParameter %word
%b = OpFunctionParameter %image
%e = OpLabel
BODY
OpStore %out %got Aligned 4
OpReturn
OpFunctionEnd
`

// asksOrder is a function that asks for the order of its only parameter, asksSecond one of its second, through asksOrder.
const asksOrder = "%one = OpFunction %uint None %fone\n%i1 = OpFunctionParameter %image\n%e1 = OpLabel\n%q1 = OpImageQueryOrder %uint %i1\nOpReturnValue %q1\nOpFunctionEnd\n"
const asksSecond = asksOrder + "%two = OpFunction %uint None %ftwo\n%n2 = OpFunctionParameter %uint\n%i2 = OpFunctionParameter %image\n%e2 = OpLabel\n%q2 = OpFunctionCall %uint %one %i2\nOpReturnValue %q2\nOpFunctionEnd\n"

// TestImageArguments: the channels that a kernel asks for are those of the argument that the image is, through copies, calls and variables; an
// image that may be either is refused.
func TestImageArguments(t *testing.T) {
	for _, c := range []struct {
		name, functions, body string
		want                  uint32
	}{
		{"the first", "", "%got = OpImageQueryOrder %uint %a", 10}, {"the last", "", "%got = OpImageQueryOrder %uint %b", 30}, {"its type", "", "%got = OpImageQueryFormat %uint %b", 31},
		{"a copy", "", "%x = OpCopyObject %image %b\n%y = OpCopyObject %image %x\n%got = OpImageQueryOrder %uint %y", 30},
		{"a call", asksOrder, "%got = OpFunctionCall %uint %one %b", 30}, {"calls of calls", asksSecond, "%got = OpFunctionCall %uint %two %c1 %b", 30},
		{"two calls with one image", asksSecond, "%x = OpFunctionCall %uint %two %c1 %a\n%got = OpFunctionCall %uint %one %a", 10},
		{"two calls with two images", asksSecond, "%x = OpFunctionCall %uint %two %c1 %a\n%got = OpFunctionCall %uint %one %b", 0},
	} {
		text := strings.NewReplacer("FUNCTIONS\n", c.functions, "BODY", c.body).Replace(kernelFormats)
		s, err := Translate(assemble(t, text), Options{panics: true})
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error(), "of an image that is not always the same argument") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		mem := emu.NewMemory()
		out := mem.Alloc(4)
		push := make([]byte, 256)
		for _, a := range s.Arguments {
			var n uint32
			if _, err := fmt.Sscanf(a.Name, "image_format.%d", &n); err == nil && a.Kind == ir.ArgHidden {
				binary.LittleEndian.PutUint32(push[a.Offset:], 10*(n+1))
				binary.LittleEndian.PutUint32(push[a.Offset+4:], 10*(n+1)+1)
			}
			if a.Kind == ir.ArgGlobal {
				binary.LittleEndian.PutUint64(push[a.Offset:], out.Addr)
			}
		}
		p, err := interp.New(s, interp.Options{WaveSize: 1})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: push}
		if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := binary.LittleEndian.Uint32(out.Data); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestImageArgumentFormats: an image that is an argument has its type's format, as one that is bound has.
func TestImageArgumentFormats(t *testing.T) {
	for name, want := range map[string]spv.ImageFormat{"Unknown": spv.ImageFormatUnknown, "Rgba8": spv.ImageFormatRgba8, "R32ui": spv.ImageFormatR32ui} {
		text := strings.NewReplacer("FUNCTIONS\n", "", "BODY", "%got = OpImageQueryOrder %uint %b", "Unknown", name).Replace(kernelFormats)
		s, err := Translate(assemble(t, text), Options{panics: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for _, v := range s.Variables {
			if v.Type.Base == ir.BaseImage || v.Type.Base == ir.BaseTexture {
				n++
				if v.ImageFormat != ir.ImageFormat(want) {
					t.Errorf("%s: %s has format %d, want %d", name, v.Name, v.ImageFormat, want)
				}
			}
		}
		if n != 2 {
			t.Errorf("%s: %d images, want 2", name, n)
		}
	}
}
