package spv

import "testing"

// TestKindText: values of masks are names joined by bars, and numbers as soon as one bit has no name; the null of a mask has its own.
func TestKindText(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		value uint32
		want  string
	}{
		{KindMemorySemantics, 0, "Relaxed"},
		{KindMemorySemantics, 2, "Acquire"},
		{KindMemorySemantics, 0x108, "AcquireRelease|WorkgroupMemory"},
		{KindMemorySemantics, 1, "MemorySemantics(1)"},
		{KindMemorySemantics, 0x80000008, "MemorySemantics(2147483656)"},
		{KindMemorySemantics, 9, "MemorySemantics(9)"},
		{KindFunctionControl, 0, "None"},
		{KindFunctionControl, 3, "Inline|DontInline"},
		{KindStorageClass, 4, "Workgroup"},
		{KindStorageClass, 4000, "StorageClass(4000)"},
	} {
		if got := c.kind.Text(c.value); got != c.want {
			t.Errorf("%d of %v: %q, want %q", c.value, c.kind, got, c.want)
		}
		b, ok := c.kind.appendText([]byte("x "), c.value)
		if want := "x " + c.want; !ok && string(b) != "x " || ok && string(b) != want {
			t.Errorf("%d of %v, appended: %q, %v", c.value, c.kind, b, ok)
		}
	}
}
