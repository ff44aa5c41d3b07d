package ir

import "fmt"

// Argument is an argument of a kernel, as its host gives it.
type Argument struct {
	Name string
	Kind ArgumentKind
	// Offset and Size are where it stands in the block of push constants, in bytes; of images and samplers 0.
	Offset, Size uint32
	// Memory is how many bytes there are of ArgProgram. They begin with Init, and zeros after it, except for the addresses that Links
	// are.
	Memory uint32
	Init   []byte
	Links  []ArgumentLink
}

// ArgumentLink is an address of 8 bytes in the memory of a program: at byte At of the memory stands the address of byte To.
type ArgumentLink struct{ At, To uint32 }

// ArgumentKind is what stands in the block for an argument.
type ArgumentKind uint8

// The kinds of arguments.
const (
	ArgValue    ArgumentKind = iota // the bytes of the value
	ArgGlobal                       // the address of memory, 8 bytes
	ArgConstant                     // the same, of memory that the kernel does not write
	ArgLocal                        // an offset in workgroup memory, 8 bytes
	ArgImage                        // nothing: the image is a descriptor
	ArgSampler                      // the same
	ArgHidden                       // of no parameter: what its name says
	ArgProgram                      // of no parameter: the address of the memory of the program's variables, which its kernels share, 8 bytes
	numArgumentKinds
)

var argumentKinds = [numArgumentKinds]string{"value", "global", "constant", "local", "image", "sampler", "hidden", "program"}

// String returns the kind's name as the text form and objects spell it.
func (k ArgumentKind) String() string {
	if k < numArgumentKinds {
		return argumentKinds[k]
	}
	return fmt.Sprintf("ArgumentKind(%d)", uint8(k))
}

// ParseArgumentKind returns the kind of that name, and an error if there is none.
func ParseArgumentKind(name string) (ArgumentKind, error) {
	for k, n := range argumentKinds {
		if n == name {
			return ArgumentKind(k), nil
		}
	}
	return 0, fmt.Errorf("no kind of argument %q", name)
}

// opaqueKinds are the kinds of images and samplers that lower_cl_images numbers, each by itself.
var opaqueKinds = [...]Base{BaseImage, BaseTexture, BaseSampler}

// argumentSet is the place of a type in opaqueKinds, -1 of others.
func argumentSet(t *Type) int {
	base := t.WithoutArray().Base
	if base == BaseSampledImage {
		base = BaseTexture
	}
	for i, k := range opaqueKinds {
		if base == k {
			return i
		}
	}
	return -1
}

// ArgumentBinding is where lower_cl_images puts the image or sampler v, an argument of a kernel without a binding: with sets each kind has a
// set of its own, in which it is numbered in the order of the arguments (Variable.Location).
func (s *Shader) ArgumentBinding(v *Variable, sets bool) (set, binding uint32) {
	k := argumentSet(v.Type)
	for _, o := range s.Variables {
		if o != v && !o.HasBinding && o.Mode&(ModeUniform|ModeImage) != 0 && argumentSet(o.Type) == k && o.Location < v.Location {
			binding++
		}
	}
	if sets {
		set = uint32(max(k, 0))
	}
	return set, binding
}

// argumentFields names the numbers of an Argument for printer, parser and serialised form.
func argumentFields(a *Argument) []namedField {
	return []namedField{{"offset", &a.Offset}, {"size", &a.Size}}
}

// argumentText is an argument as the text form has it.
func argumentText(x *Argument) string {
	s := fmt.Sprintf("argument %q %s { offset=%d size=%d", x.Name, x.Kind, x.Offset, x.Size)
	if x.Memory > 0 {
		s += fmt.Sprintf(" memory=%d", x.Memory)
	}
	if len(x.Init) > 0 {
		s += fmt.Sprintf(" init=0x%x", x.Init)
	}
	for _, l := range x.Links {
		s += fmt.Sprintf(" at=%d to=%d", l.At, l.To)
	}
	return s + " }"
}

// valid reports whether the contents of an argument lie inside of its memory.
func (a *Argument) valid() bool {
	for _, l := range a.Links {
		if uint64(l.At)+8 > uint64(a.Memory) || l.To > a.Memory {
			return false
		}
	}
	return uint64(len(a.Init)) <= uint64(a.Memory) && (a.Memory == 0 || a.Kind == ArgProgram)
}

// argument parses one.
func (p *parser) argument() {
	a := Argument{Name: p.str()}
	var err error
	if a.Kind, err = ParseArgumentKind(p.word()); err != nil {
		p.failLast("%v", err)
	}
	p.expect("{")
	for !p.accept("}") {
		switch name := p.word(); name {
		case "memory":
			p.expect("=")
			a.Memory = uint32(p.uint(32))
		case "init":
			a.Init = p.bytes()
		case "at":
			p.expect("=")
			l := ArgumentLink{At: uint32(p.uint(32))}
			if p.word() != "to" {
				p.failLast("a link leads nowhere")
			}
			p.expect("=")
			l.To = uint32(p.uint(32))
			a.Links = append(a.Links, l)
		default:
			if !p.setField(name, argumentFields(&a)) {
				p.failLast("no attribute %q of an argument", name)
			}
		}
	}
	if !a.valid() {
		p.failLast("the contents of argument %q are not inside of its memory", a.Name)
	}
	p.s.Arguments = append(p.s.Arguments, a)
}
