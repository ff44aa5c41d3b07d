package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
)

// matrixModule begins a module with floats, vectors and matrices of all shapes of a size of number.
func matrixModule(bits int) string {
	var b strings.Builder
	b.WriteString(operationModule(false))
	text := strings.Split(b.String(), "%main = OpFunction")
	b.Reset()
	b.WriteString(text[0])
	of := map[int]string{16: "half", 32: "float", 64: "double"}[bits]
	for n := 2; n <= 4; n++ {
		name := fmt.Sprint(of, n)
		if name != "float3" && name != "half4" { // which there are
			fmt.Fprintf(&b, "%%%s = OpTypeVector %%%s %d\n%%p%s = OpTypePointer Function %%%s\n", name, of, n, name, name)
		}
		fmt.Fprintf(&b, "%%v%d = OpUndef %%%s\n", n, name)
		fmt.Fprintf(&b, "%%pv%d = OpTypePointer Private %%%s\n%%x%d = OpVariable %%pv%d Private\n", n, name, n, n)
	}
	fmt.Fprintf(&b, "%%pv1 = OpTypePointer Private %%%s\n%%x1 = OpVariable %%pv1 Private\n", of)
	for c := 2; c <= 4; c++ {
		for r := 2; r <= 4; r++ {
			fmt.Fprintf(&b, "%%m%dx%d = OpTypeMatrix %%%s%d %d\n%%pm%dx%d = OpTypePointer Private %%m%dx%d\n%%x%dx%d = OpVariable %%pm%dx%d Private\n", c, r, of, r, c, c, r, c, r, c, r, c, r)
		}
	}
	b.WriteString("%main = OpFunction" + text[1])
	fmt.Fprintf(&b, "%%l1 = OpLoad %%%s %%x1\n", of)
	for n := 2; n <= 4; n++ {
		fmt.Fprintf(&b, "%%l%d = OpLoad %%%s%d %%x%d\n", n, of, n, n)
		for r := 2; r <= 4; r++ {
			fmt.Fprintf(&b, "%%l%dx%d = OpLoad %%m%dx%d %%x%dx%d\n", n, r, n, r, n, r)
		}
	}
	return b.String()
}

// TestHeldMatrices translates the operations on matrices for all shapes and sizes of numbers, those that fit and, for each, one that does not
// (testdata/held_matrices.tsv).
func TestHeldMatrices(t *testing.T) {
	rows := map[string]string{}
	for bits, of := range map[int]string{16: "half", 32: "float", 64: "double"} {
		begin := matrixModule(bits)
		vector := func(n int) string { return fmt.Sprint(of, n) }
		mat := func(c, r int) string { return fmt.Sprintf("m%dx%d", c, r) }
		forms := map[string][]string{}
		add := func(op, result, operands string) {
			forms[op] = append(forms[op], fmt.Sprintf("%%r = %s %%%s %s", op, result, operands))
		}
		for c := 2; c <= 4; c++ {
			add("OpVectorTimesScalar", vector(c), fmt.Sprintf("%%l%d %%l1", c))
			add("OpDot", of, fmt.Sprintf("%%l%d %%l%d", c, c))
			add("OpDot", of, fmt.Sprintf("%%l%d %%l%d", c, c%3+2))
			add("OpExtInst", of, fmt.Sprintf("%%set Determinant %%l%dx%d", c, c))
			add("OpExtInst", mat(c, c), fmt.Sprintf("%%set MatrixInverse %%l%dx%d", c, c))
			for r := 2; r <= 4; r++ {
				add("OpMatrixTimesScalar", mat(c, r), fmt.Sprintf("%%l%dx%d %%l1", c, r))
				add("OpVectorTimesMatrix", vector(c), fmt.Sprintf("%%l%d %%l%dx%d", r, c, r))
				add("OpVectorTimesMatrix", vector(c), fmt.Sprintf("%%l%d %%l%dx%d", r%3+2, c, r))
				add("OpMatrixTimesVector", vector(r), fmt.Sprintf("%%l%dx%d %%l%d", c, r, c))
				add("OpMatrixTimesVector", vector(r), fmt.Sprintf("%%l%dx%d %%l%d", c, r, c%3+2))
				add("OpOuterProduct", mat(c, r), fmt.Sprintf("%%l%d %%l%d", r, c))
				add("OpTranspose", mat(r, c), fmt.Sprintf("%%l%dx%d", c, r))
				add("OpFNegate", mat(c, r), fmt.Sprintf("%%l%dx%d", c, r))
				add("OpFAdd", mat(c, r), fmt.Sprintf("%%l%dx%d %%l%dx%d", c, r, c, r))
				add("OpCompositeExtract", of, fmt.Sprintf("%%l%dx%d %d %d", c, r, c-1, r-2))
				add("OpCompositeInsert", mat(c, r), fmt.Sprintf("%%l1 %%l%dx%d %d %d", c, r, c-2, r-1))
				add("OpCopyObject", mat(c, r), fmt.Sprintf("%%l%dx%d", c, r))
				for k := 2; k <= 4; k++ {
					add("OpMatrixTimesMatrix", mat(k, r), fmt.Sprintf("%%l%dx%d %%l%dx%d", c, r, k, c))
				}
			}
		}
		for op, texts := range forms {
			var sum gputest.Digest
			compiled := 0
			for _, text := range texts {
				if translated(begin+text+"\nOpReturn\nOpFunctionEnd\n", &sum) {
					compiled++
				}
			}
			rows[op+" "+of] = fmt.Sprintf("%d\t%d\t%016x", len(texts), compiled, uint64(sum))
		}
	}
	gputest.HoldTable(t, "held_matrices.tsv", rows)
}
