package gputest

import "reflect"

// Distinct gives each number in v, a pointer to a structure, another one that is small: of fields, arrays and what pointers lead to,
// in their order. first is the first number; the one after the last is returned.
func Distinct(v any, first int) int {
	return distinct(reflect.ValueOf(v).Elem(), first)
}

func distinct(v reflect.Value, n int) int {
	if !v.CanSet() {
		return n
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			n = distinct(v.Field(i), n)
		}
		return n
	case reflect.Array:
		for i := range v.Len() {
			n = distinct(v.Index(i), n)
		}
		return n
	case reflect.Pointer:
		if v.IsNil() {
			return n
		}
		return distinct(v.Elem(), n)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(n & 0xff))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(int64(n & 0x7f))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(n) + 0.25)
	default:
		return n
	}
	return n + 1
}
