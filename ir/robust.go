package ir

import (
	"fmt"
	"strings"
)

// Robustness is what becomes of accesses out of bounds, as VK_EXT_pipeline_robustness has it.
type Robustness uint8

const (
	// RobustOff: there are none, the application promises.
	RobustOff Robustness = iota
	// Robust1 is robustBufferAccess or robustImageAccess: no other memory is reached. Accesses of a
	// kind less than 16 bytes away from one out of bounds may count as out of bounds too.
	Robust1
	// Robust2 is robustBufferAccess2 or robustImageAccess2: loads give zeros, stores do nothing, and
	// each access counts by itself.
	Robust2
)

// Robust is the robustness of a shader by kinds of descriptors. The zero value asks for none.
type Robust struct {
	// Storage is that of storage buffers and storage texel buffers, Uniform that of uniform buffers and
	// uniform texel buffers, Vertex that of vertex inputs, Images that of sampled and storage images.
	Storage, Uniform, Vertex, Images Robustness
}

// robustKinds are the kinds in the order of their text.
var robustKinds = [...]struct {
	name  string
	image bool
	field func(*Robust) *Robustness
}{
	{"storage", false, func(r *Robust) *Robustness { return &r.Storage }},
	{"uniform", false, func(r *Robust) *Robustness { return &r.Uniform }},
	{"vertex", false, func(r *Robust) *Robustness { return &r.Vertex }},
	{"images", true, func(r *Robust) *Robustness { return &r.Images }},
}

// robustValues are the names of values, of buffers and of images.
var robustValues = [2][Robust2 + 1]string{{"off", "buffer", "buffer2"}, {"off", "image", "image2"}}

// robustValue reads a value's name; of is 0 for buffers, 1 for images.
func robustValue(name string, of int) (Robustness, bool) {
	for v, n := range robustValues[of] {
		if n == name {
			return Robustness(v), true
		}
	}
	return 0, false
}

// ParseRobust reads a list of VALUE and KIND=VALUE, separated by commas, later ones going before. A value
// alone is that of all its kinds: buffer and buffer2 of storage, uniform and vertex, image and image2 of
// images, off of all.
func ParseRobust(text string) (r Robust, err error) {
	for _, item := range strings.Split(text, ",") {
		name, value, one := strings.Cut(strings.TrimSpace(item), "=")
		if !one {
			name, value = "", name
		}
		found := false
		for i := range robustKinds {
			k := &robustKinds[i]
			of := 0
			if k.image {
				of = 1
			}
			if v, ok := robustValue(value, of); ok && (!one || name == k.name) {
				*k.field(&r), found = v, true
			}
		}
		if !found {
			return Robust{}, fmt.Errorf("%q: want off, buffer, buffer2, image or image2, or for one kind storage=, uniform=, vertex= (off, buffer, buffer2) or images= (off, image, image2)", item)
		}
	}
	return r, nil
}

// String is the text that ParseRobust reads, a kind at a time, without those that are off.
func (r Robust) String() string {
	var list []string
	for i := range robustKinds {
		k := &robustKinds[i]
		of := 0
		if k.image {
			of = 1
		}
		if v := *k.field(&r); v > RobustOff && v <= Robust2 {
			list = append(list, k.name+"="+robustValues[of][v])
		}
	}
	if len(list) == 0 {
		return robustValues[0][RobustOff]
	}
	return strings.Join(list, ",")
}

// MarshalText writes the text of String.
func (r Robust) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseRobust does.
func (r *Robust) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRobust(string(text))
	return err
}

// Max returns what keeps both promises.
func (r Robust) Max(o Robust) Robust {
	return Robust{max(r.Storage, o.Storage), max(r.Uniform, o.Uniform), max(r.Vertex, o.Vertex), max(r.Images, o.Images)}
}

// Of returns the robustness of accesses to memory of some modes: storage or uniform buffers, off of others.
func (r Robust) Of(m Mode) Robustness {
	v := RobustOff
	if m&ModeSSBO != 0 {
		v = r.Storage
	}
	if m&ModeUBO != 0 {
		v = max(v, r.Uniform)
	}
	return v
}
