package jsonout

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
)

type named uint8

func (n named) MarshalText() ([]byte, error) { return []byte{'n', '<', '0' + byte(n%10)}, nil }

type inner struct {
	A int8   `json:"a,omitempty"`
	B string `json:"b"`
}

// sample has all that is written here.
type sample struct {
	Embedded
	Skip  int `json:"-"`
	Plain uint64
	I     int16           `json:"i,omitempty"`
	U     uint32          `json:"u,omitempty"`
	Y     bool            `json:"y,omitempty"`
	N     named           `json:"n"`
	M     named           `json:"m,omitempty"`
	S     string          `json:"s,omitempty"`
	L     []inner         `json:"l,omitempty"`
	K     []uint16        `json:"k"`
	D     []byte          `json:"d"`
	E     [3]int32        `json:"e,omitempty"`
	Z     [2]uint32       `json:"z,omitzero"`
	In    inner           `json:"in,omitempty"`
	Zero  inner           `json:"zero,omitzero"`
	P     *inner          `json:"p,omitempty"`
	Q     *[]inner        `json:"q"`
	R     json.RawMessage `json:"r,omitempty"`
	Rows  [][2]int64      `json:"rows"`
	Far   *sample         `json:"far,omitempty"`
}

// Embedded stands in sample as its own members do.
type Embedded struct {
	X int `json:"x"`
}

// TestSame: values are written as encoding/json writes them, with and without escapes.
func TestSame(t *testing.T) {
	if !Knows(&sample{}) {
		t.Fatal("the sample is not written here")
	}
	for seed := range int64(300) {
		v, ok := quick.Value(reflect.TypeFor[sample](), rand.New(rand.NewSource(seed)))
		if !ok {
			t.Fatal("no random sample")
		}
		s := v.Interface().(sample)
		for p := &s; p != nil; p = p.Far {
			p.R = nil // random bytes are no JSON
			if seed%3 == 0 {
				p.R, p.S = json.RawMessage(`{"r":[1,2]}`), "plain <&>"
			}
		}
		for _, html := range []bool{false, true} {
			want, err := appendStd([]byte("x"), &s, html)
			have, err2 := Append([]byte("x"), &s, html)
			if err != nil || err2 != nil || string(want) != string(have) {
				t.Fatalf("seed %d, html %t: %v, %v\n%s\n%s", seed, html, err, err2, want, have)
			}
		}
	}
}

// TestOthers: what is not known here is written by encoding/json.
func TestOthers(t *testing.T) {
	two := 2
	for _, v := range []any{
		&struct{ M map[string]int }{map[string]int{"a": 1}},
		&struct{ F float64 }{1.5},
		&struct {
			N int `json:",string"`
		}{7},
		&struct{ P *named }{},
		&struct{ A any }{"x"},
		&struct{ *inner }{&inner{A: 1}},
		&struct {
			inner
			A int `json:"a"`
		}{inner{A: 1}, 2},
		// What is below a slice or a pointer is found out when it is written.
		&struct {
			B string
			L []map[string]int
			P *float64
			N *[]any
		}{"b", []map[string]int{{"<": 1}, nil}, new(float64), &[]any{1, nil}},
	} {
		want, err := json.Marshal(v)
		have, err2 := Append(nil, v, true)
		if Knows(v) || err != nil || err2 != nil || string(want) != string(have) {
			t.Errorf("%T: known %t, %v, %v\n%s\n%s", v, Knows(v), err, err2, want, have)
		}
	}
	for _, v := range []any{two, &two, (*int)(nil), nil, "text"} {
		want, _ := json.Marshal(v)
		if have, err := Append(nil, v, true); err != nil || string(want) != string(have) {
			t.Errorf("%T: %v\n%s\n%s", v, err, want, have)
		}
	}
	if _, err := Append(nil, &struct{ C chan int }{}, true); err == nil {
		t.Error("a channel is written")
	}
}

// TestLater: the plan of a struct does not go into what its slices and pointers lead to, which may never be written.
func TestLater(t *testing.T) {
	type below struct{ A int }
	type top struct {
		L []below
		P *below
	}
	n := planOf(reflect.TypeFor[top]())
	if n.fields[0].node.elem.Load() != nil || n.fields[1].node.elem.Load() != nil {
		t.Error("what nobody wrote has a plan")
	}
	if _, ok := plans.Load(reflect.TypeFor[below]()); ok {
		t.Error("what nobody wrote is planned")
	}
	if _, err := Append(nil, &top{L: []below{{1}}}, true); err != nil || n.fields[0].node.elem.Load() == nil {
		t.Error("no plan of what was written")
	}
}

func BenchmarkAppend(b *testing.B) {
	s := sample{S: "text", L: make([]inner, 4), P: new(inner)}
	b.Run("jsonout", func(b *testing.B) {
		var out []byte
		for b.Loop() {
			out, _ = Append(out[:0], &s, true)
		}
	})
	b.Run("encoding", func(b *testing.B) {
		for b.Loop() {
			json.Marshal(&s)
		}
	})
}
