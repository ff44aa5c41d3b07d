package gputest

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"

	"nirc/internal/jsonout"
)

// meta is what a binary says of itself: a pointer to an M.
type meta[M any] interface {
	*M
	Check() error
}

// MetaAsJSON tests that a valid meta is the same after its way through JSON, and that random ones are written as encoding/json
// writes them.
func MetaAsJSON[M any, P meta[M]](t *testing.T, m P) {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back := P(new(M))
	if err = json.Unmarshal(b, back); err != nil || !reflect.DeepEqual(m, back) {
		t.Errorf("JSON changes the meta: %v\n%s", err, b)
	}
	if err = m.Check(); err != nil {
		t.Error(err)
	}
	if !jsonout.Knows(m) {
		t.Errorf("%T is written by encoding/json", m)
	}
	for seed := range int64(100) {
		random, ok := quick.Value(reflect.TypeFor[M](), rand.New(rand.NewSource(seed)))
		if !ok {
			t.Fatalf("no random %T", m)
		}
		p := reflect.New(random.Type())
		p.Elem().Set(random)
		want, err := json.Marshal(p.Interface())
		have, err2 := jsonout.Append(nil, p.Interface(), true)
		if err != nil || err2 != nil || string(want) != string(have) {
			t.Fatalf("seed %d: %v, %v\n%s\n%s", seed, err, err2, want, have)
		}
	}
}

// WrongMetas tests that a meta is valid, and not after each of the changes, which have names.
func WrongMetas[M any, P meta[M]](t *testing.T, valid M, changes map[string]func(P)) {
	t.Helper()
	if err := P(&valid).Check(); err != nil {
		t.Error(err)
	}
	for name, change := range changes {
		m := valid
		change(&m)
		if P(&m).Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
