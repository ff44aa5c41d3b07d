package exec

import (
	"strings"
	"testing"

	"nirc/backend/object"
	"nirc/internal/emu"
)

// TestFormatArguments: the format of an image that a kernel asks for needs that argument, and it must be an image whose channels have a name.
func TestFormatArguments(t *testing.T) {
	image := Arg{Image: kernelImage(t, "R8G8B8A8_UNORM", false)}
	for _, c := range []struct {
		name string
		args []Arg
		want string // of the error
	}{
		{"image_format.0", nil, "argument 0 is an image"},
		{"image_format.1", []Arg{image}, "argument 1 is an image"},
		{"image_format.1", []Arg{image, {Data: make([]byte, 4)}}, "argument 1 is an image"},
		{"image_format.0", []Arg{{Data: make([]byte, 4)}, image}, "argument 0 is an image"},
		{"image_format.0", []Arg{{Image: kernelImage(t, "B10G11R11_UFLOAT_PACK32", false)}}, "no name for the channels"},
		{"image_format.1", []Arg{{}, image}, "the kernel has 0"}, // which is asked last
	} {
		x := &Execution{Args: c.args}
		_, err := x.arguments(emu.NewMemory(), &object.Reflection{Arguments: []object.Argument{{Kind: "hidden", Name: c.name, Size: 8}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %d arguments: %v, want %q", c.name, len(c.args), err, c.want)
		}
	}
}
