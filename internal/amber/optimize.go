package amber

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// optimize runs spirv-opt's passes of a SHADER_OPTIMIZATION block over a
// module. Some of them, --graphics-robust-access for one, change what the
// shader does, so a script that asks for them is skipped without the tool.
func optimize(ctx context.Context, words []uint32, passes []string) ([]uint32, error) {
	if len(passes) == 0 {
		return words, nil
	}
	for _, p := range passes {
		if !strings.HasPrefix(p, "-") || strings.Contains(p, "config") {
			return nil, unsupported("SHADER_OPTIMIZATION %s is not supported", clip(p, 40))
		}
	}
	tool, err := exec.LookPath("spirv-opt")
	if err != nil {
		return nil, unsupported("no spirv-opt for SHADER_OPTIMIZATION")
	}
	dir, err := os.MkdirTemp("", "amber")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.spv"), filepath.Join(dir, "out.spv")
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	if err := os.WriteFile(in, data, 0o600); err != nil {
		return nil, err
	}
	args := append(append([]string(nil), passes...), in, "-o", out)
	if text, err := exec.CommandContext(ctx, tool, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("spirv-opt: %s", clip(strings.TrimSpace(string(text)), 200))
	}
	data, err = os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return spirvBin(data)
}
