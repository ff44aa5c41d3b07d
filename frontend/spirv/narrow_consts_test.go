package spirv

import (
	"testing"
)

// TestNarrowConstants: a constant of few bits is the number that these bits are, whatever stands beside them in the module or in
// the value that specializes it.
func TestNarrowConstants(t *testing.T) {
	m := invalid{caps: "OpCapability Int16\nOpCapability Int8\n", dec: "OpDecorate %n SpecId 0\n", decl: `%short = OpTypeInt 16 1
%byte = OpTypeInt 8 0
%n = OpSpecConstant %byte 3
%minus = OpConstant %short -2
%arr = OpTypeArray %float %n
%pa = OpTypePointer Private %arr
%ps = OpTypePointer Private %short
%pb = OpTypePointer Private %byte
%a = OpVariable %pa Private
%s = OpVariable %ps Private %minus
%b = OpVariable %pb Private %n
`, body: "%p = OpAccessChain %pf %a %c0\nOpStore %p %f0\n%l = OpLoad %short %s\n%k = OpLoad %byte %b\n"}
	m.decl += "%pf = OpTypePointer Private %float\n"
	module := assemble(t, m.text())
	id := SpecConstants(module)[0].ID
	for _, c := range []struct {
		spec []SpecValue
		want uint32
	}{{nil, 3}, {[]SpecValue{{id, 5}}, 5}, {[]SpecValue{{id, 0xff00000105}}, 5}} {
		s, err := Translate(module, Options{Spec: c.spec, panics: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, v := range s.Variables {
			switch k := v.Init; {
			case v.Type.IsArray():
				if seen++; v.Type.Len != c.want {
					t.Errorf("%v: the array has %d elements, want %d", c.spec, v.Type.Len, c.want)
				}
			case k != nil && v.Type.Bits == 16:
				if seen++; k.Value(0) != 0xfffe {
					t.Errorf("-2 of 16 bits is %#x", k.Value(0))
				}
			case k != nil && v.Type.Bits == 8:
				if seen++; k.Value(0) != uint64(c.want) {
					t.Errorf("%v: the variable begins with %#x, want %d", c.spec, k.Value(0), c.want)
				}
			}
		}
		if seen != 3 {
			t.Errorf("%d of 3 variables are there", seen)
		}
	}
}
