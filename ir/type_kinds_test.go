package ir

import "testing"

// TestKindsOfTypes: what each type says that it is.
func TestKindsOfTypes(t *testing.T) {
	f := ScalarType(BaseFloat, 32)
	for _, c := range []struct {
		t    *Type
		want string // s(calar), v(ector), o(ne of both), m(atrix), n(umeric), a(rray), S(truct), O(paque)
	}{
		{BoolType, "son"}, {f, "son"}, {ScalarType(BaseUint, 8), "son"}, {ScalarType(BaseInt, 64), "son"}, {VectorType(BaseFloat, 16, 2), "von"}, {VectorType(BaseBool, 1, 4), "von"},
		{VectorType(BaseInt, 32, 16), "von"}, {MatrixType(32, 2, 2), "mn"}, {MatrixType(64, 4, 3), "mn"}, {MatrixType(32, 3, 1), "mn"}, {ArrayType(f, 1, 0), "a"}, {ArrayType(f, 0, 4), "a"},
		{&Type{Base: BaseStruct}, "S"}, {&Type{Base: BaseSampler}, "O"}, {&Type{Base: BaseImage, Rows: 1}, "O"}, {&Type{Base: BaseRayQuery}, "O"}, {VoidType, ""}, {&Type{Base: BaseStruct, Rows: 1}, "S"},
	} {
		got := ""
		for _, k := range []struct {
			is   bool
			name string
		}{{c.t.IsScalar(), "s"}, {c.t.IsVector(), "v"}, {c.t.IsVectorOrScalar(), "o"}, {c.t.IsMatrix(), "m"}, {c.t.IsNumeric(), "n"}, {c.t.IsArray(), "a"}, {c.t.IsStruct(), "S"}, {c.t.IsOpaque(), "O"}} {
			if k.is {
				got += k.name
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.t, got, c.want)
		}
	}
}
