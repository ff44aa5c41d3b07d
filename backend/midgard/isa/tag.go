package isa

import "fmt"

// Tag is the type of a bundle.
type Tag uint8

// The tags of midgard.md §2.1. The ALU tags count quadwords: TagALU4 + n - 1.
const (
	TagInvalid Tag = 0  // never legal
	TagBreak   Tag = 1  // end of the program, as next tag and branch target
	TagTexVtx  Tag = 2  // texture without implicit derivatives
	TagTex     Tag = 3  // texture
	TagBarrier Tag = 4  // texture pipe barrier
	TagLdSt    Tag = 5  // load/store
	TagALU4    Tag = 8  // ALU of 4 words, up to TagALU16
	TagALU16   Tag = 11 // ALU of 16 words
	TagALUW4   Tag = 12 // ALU of 4 words with writeout, up to TagALUW16
	TagALUW16  Tag = 15 // ALU of 16 words with writeout
)

var tagNames = [16]string{"invalid", "break", "tex/vt", "tex", "tex/bar", "ldst", "unk1", "unk2",
	"alu/4", "alu/8", "alu/12", "alu/16", "aluw/4", "aluw/8", "aluw/12", "aluw/16"}

// String is the tag's name in text.
func (t Tag) String() string {
	if t < 16 {
		return tagNames[t]
	}
	return fmt.Sprintf("tag%d", uint8(t))
}

// ParseTag finds a tag by name.
func ParseTag(s string) (Tag, bool) {
	for i, n := range tagNames {
		if n == s {
			return Tag(i), true
		}
	}
	return 0, false
}

// ALU reports whether bundles of the tag hold ALU instructions.
func (t Tag) ALU() bool { return t >= TagALU4 && t <= TagALUW16 }

// Writeout reports whether the tag is one of the ALU tags for writeout and
// tilebuffer waits.
func (t Tag) Writeout() bool { return t >= TagALUW4 && t <= TagALUW16 }

// Texture reports whether bundles of the tag hold a texture instruction.
func (t Tag) Texture() bool { return t >= TagTexVtx && t <= TagBarrier }

// Known reports whether bundles of the tag can be decoded.
func (t Tag) Known() bool { return t.Texture() || t == TagLdSt || t.ALU() }

// Quads is the size of a bundle in 16-byte units; 1 for tags without a known size.
func (t Tag) Quads() int {
	if t.ALU() {
		return int(t-TagALU4)&3 + 1
	}
	return 1
}
