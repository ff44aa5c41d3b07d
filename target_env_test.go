package nirc

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
)

// TestTargetEnv: an environment takes modules up to its SPIR-V version, and assembly, whose version nothing says.
func TestTargetEnv(t *testing.T) {
	dir := t.TempDir()
	words, err := spv.Assemble(fragment, spv.AssembleOptions{Version: 0x0103})
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	module, text := filepath.Join(dir, "m.spv"), filepath.Join(dir, "m.spvasm")
	for path, data := range map[string][]byte{module: code, text: []byte(fragment)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, env, want string }{
		{module, "", ""}, {module, "vulkan1.3", ""}, {module, "vulkan1.1", ""}, {module, "spv1.3", ""}, {text, "vulkan1.0", ""},
		{module, "vulkan", "SPIR-V 1.3, vulkan takes 1.0 at most"},
		{module, "vulkan1.0", "SPIR-V 1.3, vulkan1.0 takes 1.0 at most"},
		{module, "spv1.2", "SPIR-V 1.3, spv1.2 takes 1.2 at most"},
		{module, "opengl", "the target environment opengl is not supported"},
	} {
		_, err := LoadFile(context.Background(), c.path, FileOptions{Env: c.env})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %q: the error is %v, it should speak of %q", filepath.Base(c.path), c.env, err, c.want)
		}
	}
}
