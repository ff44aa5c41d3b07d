package midgard

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestMemory runs what the code generators share.
func TestMemory(t *testing.T) {
	programs.Hold(t)
	gputest.TestMemory(t, func(name string, s *ir.Shader, r *gputest.Run) error {
		_, err := execute(s, CompileOptions{}, r, nil)
		return err
	}, "dispatch values", "votes", "votes of equal values", "votes of equal long values", "quads and shuffles")
}

// TestNarrowPlaces runs what the code generators share.
func TestNarrowPlaces(t *testing.T) {
	programs.Hold(t)
	gputest.TestNarrowPlaces(t, func(_ string, s *ir.Shader, r *gputest.Run) error {
		_, err := execute(s, CompileOptions{}, r, nil)
		return err
	})
}

// TestChosenBuffer: what accesses of a block read of a buffer that an index chooses, they read once.
func TestChosenBuffer(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(`shader compute "main" {
  info { workgroup_size=1,1,1 num_ssbos=5 writes_memory }
  var @1 mem_ssbo u32[4] "b" { set=0 binding=0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x3 = load_workgroup_id
      %2:32 = mov %1.x
      %3:32x2 = vulkan_resource_index %2 desc_type=7
      %4:32x2 = load_vulkan_descriptor %3 desc_type=7
      %5:32 = load_ssbo %4, %0 align_mul=4
      %6:32 = load_const 0x4
      %7:32 = load_ssbo %4, %6 align_mul=4
      %8:32 = iadd %5, %7
      %9:32 = load_const 0x8
      store_ssbo %8, %4, %9 write_mask=x align_mul=4
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	_, text := listing(t, s, CompileOptions{})
	if n := strings.Count(text, "LD_UBO"); n != 1 {
		t.Errorf("the address is read %d times:\n%s", n, text)
	}
	if n := strings.Count(text, "ADD.i32"); n != 1 {
		t.Errorf("%d sums, of which one is the shader's:\n%s", n, text)
	}
}

// TestEndOfBlock: three words that end a block of 16 bytes are loaded as that, which is no more than a uniform buffer of so many bytes has,
// and those that begin one where they are.
func TestEndOfBlock(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 1)
	out := gputest.StorageBuffer(b, 0, 1)
	for i, at := range []uint32{4, 0, 36} {
		gputest.StoreWords(b, out, b.Imm32(uint32(16*i)), gputest.LoadUBO(b, b.Imm32(at), 3, 32, 16))
	}
	_, text := listing(t, s, CompileOptions{})
	expect(t, text, "LD_UBO.128", "LD_UBO.128", "0x20")
	if strings.Contains(text, "+ 0x4") || strings.Contains(text, "+ 0x24") {
		t.Errorf("a load goes over the end of its block:\n%s", text)
	}
	if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 12)[:48], OutSize: 48}, nil); err != nil {
		t.Error(err)
	}
}
