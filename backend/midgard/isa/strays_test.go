package isa

import (
	"math/rand"
	"reflect"
	"testing"
)

// members are all numbers and flags below a value.
func members(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, members(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			all = append(all, members(v.Index(i))...)
		}
	default:
		all = append(all, v)
	}
	return all
}

// TestStrays: whatever member of an ALU instruction is set to whatever value, its words hold it, or it is refused.
func TestStrays(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	refused, held := 0, 0
	for range 4000 {
		u := []Unit{UnitVMUL, UnitSADD}[r.Intn(2)]
		a := randomALU(r, u)
		list := members(reflect.ValueOf(&a).Elem())
		k := r.Intn(len(list))
		if m := list[k]; m.Kind() == reflect.Bool {
			m.SetBool(!m.Bool())
		} else {
			m.SetUint(uint64(1) << r.Intn(8))
		}
		reg, body, err := encodeALU(u.Scalar(), &a)
		if err != nil {
			refused++
			continue
		}
		var back ALU
		if decodeALU(&back, u.Scalar(), reg, body); back != a {
			t.Fatalf("%s: member %d:\n%+v\ncomes back as\n%+v", u, k, a, back)
		}
		held++
	}
	if refused < 500 || held < 500 {
		t.Errorf("%d are refused, %d held", refused, held)
	}
}
