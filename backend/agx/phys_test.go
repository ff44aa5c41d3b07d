package agx

import (
	"fmt"
	"testing"

	"nirc/backend/agx/isa"
)

// TestSwap: registers change places by three exclusive ors, the halves of one by a rotation.
func TestSwap(t *testing.T) {
	for _, c := range []struct {
		x, y isa.Operand
		want string
	}{
		{isa.R(2), isa.R(5), "[xor r2, r2, r5 xor r5, r2, r5 xor r2, r2, r5]"},
		{isa.H(10), isa.H(11), "[extr r5, r5, r5, 16]"},
		{isa.H(11), isa.H(10), "[extr r5, r5, r5, 16]"},
		{isa.H(11), isa.H(12), "[xor r5h, r5h, r6l xor r6l, r5h, r6l xor r5h, r5h, r6l]"},
	} {
		p := &program{code: &code{}}
		p.swap(c.x, c.y, 0)
		var list []string
		for _, in := range p.list {
			list = append(list, in.Text())
		}
		if got := fmt.Sprint(list); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
