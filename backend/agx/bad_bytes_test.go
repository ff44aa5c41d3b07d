package agx_test

import (
	"strings"
	"testing"

	"nirc/backend/agx"
)

// TestBadBytes: what is no instruction is listed as numbers of two bytes, the low one first in memory, beside the bytes as they
// stand there; the listing assembles to the same bytes.
func TestBadBytes(t *testing.T) {
	bad := 0
	for _, code := range [][]byte{{0xff, 0xff}, {0x7f, 0xab}, {0xcf, 0x12, 0xef, 0x34}, {0x0f, 0x77, 0x88}} {
		lines, err := agx.Target{}.Disassemble("", code)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, l := range lines {
			text.WriteString(l.Text + "\n")
			if !l.Bad {
				continue
			}
			bad++
			if b := code[l.Offset:]; len(b) > 1 && (l.Text != ".half 0x"+hexByte(b[1])+hexByte(b[0]) || l.Hex != hexByte(b[0])+hexByte(b[1])) {
				t.Errorf("% x at %d: %s, bytes %s", code, l.Offset, l.Text, l.Hex)
			}
		}
		if back, err := (agx.Target{}).Assemble("", text.String()); len(code)%2 == 0 && (err != nil || string(back) != string(code)) {
			t.Errorf("% x: %v, % x\n%s", code, err, back, text.String())
		}
	}
	if bad < 3 {
		t.Errorf("%d lines are no instruction", bad)
	}
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}
