package main

import (
	"bytes"
	"fmt"
	"strings"
)

func emitOps(b *bytes.Buffer, t *tables) {
	b.WriteString("// The opcodes, in the order of their numbers.\nconst (\n")
	for _, o := range t.ops {
		fmt.Fprintf(b, "%s Op = %d\n", o.name, o.op)
	}
	b.WriteString(")\n\n// Other names of the same opcodes.\nconst (\n")
	for _, a := range t.opAliases {
		fmt.Fprintf(b, "%s Op = %d\n", a.text, a.value)
	}
	b.WriteString(")\n")
}

func isEnum(k kindRow) bool { return k.category == "ValueEnum" || k.category == "BitEnum" }

func emitEnums(b *bytes.Buffer, t *tables) {
	for _, k := range t.kinds {
		if !isEnum(k) {
			continue
		}
		what := "one of the enumerants"
		if k.category == "BitEnum" {
			what = "a mask of the enumerants"
		}
		fmt.Fprintf(b, "// %s is %s of the operand kind of that name.\ntype %s uint32\n\n", k.name, what, k.name)
		fmt.Fprintf(b, "// String gives the name that assembly text has, or a number where there is none.\n")
		fmt.Fprintf(b, "func (v %s) String() string { return Kind%s.Text(uint32(v)) }\n\n", k.name, k.name)
		fmt.Fprintf(b, "// Values of %s.\nconst (\n", k.name)
		row := func(name string, v uint32) {
			if k.category == "BitEnum" {
				fmt.Fprintf(b, "%s%s %s = %#x\n", k.name, name, k.name, v)
			} else {
				fmt.Fprintf(b, "%s%s %s = %d\n", k.name, name, k.name, v)
			}
		}
		for _, e := range k.enums {
			row(e.name, e.value)
		}
		for _, a := range k.aliases {
			row(a.text, uint32(a.value))
		}
		b.WriteString(")\n\n")
	}
}

func emitExtConsts(b *bytes.Buffer, t *tables) {
	b.WriteString("// The extended instruction sets that have names.\nconst (\n")
	for i, e := range t.exts {
		fmt.Fprintf(b, "ExtSet%s ExtSet = %d\n", e.src.goName, i+1)
	}
	b.WriteString(")\n\n")
	for _, e := range t.exts {
		ty := e.src.goName
		if ty == "DebugInfo" {
			ty = "DebugInfoInst" // DebugInfo alone says too little
		}
		fmt.Fprintf(b, "// %s is the number of an instruction of the set %q.\ntype %s uint32\n\n", ty, e.src.imports, ty)
		fmt.Fprintf(b, "// String gives the instruction's name, or its number where there is none.\n")
		fmt.Fprintf(b, "func (v %s) String() string { return ExtSet%s.Text(uint32(v)) }\n\n", ty, e.src.goName)
		fmt.Fprintf(b, "// Instructions of the set %q.\nconst (\n", e.src.imports)
		for _, in := range e.insts {
			fmt.Fprintf(b, "%s%s %s = %d\n", e.src.goName, exported(in.name), ty, in.op)
		}
		b.WriteString(")\n\n")
	}
}

func emitTables(b *bytes.Buffer, t *tables) {
	b.WriteString("// The operand kinds.\nconst (\n")
	for i, k := range t.kinds {
		fmt.Fprintf(b, "Kind%s Kind = %d\n", k.name, i)
	}
	b.WriteString(")\n\n")
	emitInsts(b, t)
	emitKinds(b, t)

	b.WriteString("var specTable = [...]spec{\n")
	for _, s := range t.specs {
		fmt.Fprintf(b, "{%s, %s},\n", s.kind, s.quant)
	}
	b.WriteString("}\n\nvar capTable = [...]Capability{\n")
	for _, c := range t.caps {
		fmt.Fprintf(b, "Capability%s,\n", c)
	}
	b.WriteString("}\n\nvar generatorTable = [...]string{\n")
	for _, g := range t.generators {
		fmt.Fprintf(b, "%q,\n", g)
	}
	b.WriteString("}\n")
}

func (s span) String() string { return fmt.Sprintf("span{%d, %d}", s.first, s.count) }

func emitInstRow(b *bytes.Buffer, o opRow) {
	flags := strings.Join(o.flags, " | ")
	if flags == "" {
		flags = "0"
	}
	fmt.Fprintf(b, "{%q, %d, %s, %s, %#x, %s},\n", o.name, o.op, o.specs, o.caps, o.version, flags)
}

func emitNames(b *bytes.Buffer, names []name) {
	for _, n := range names {
		fmt.Fprintf(b, "{%q, %d},\n", n.text, n.value)
	}
}

func emitInsts(b *bytes.Buffer, t *tables) {
	b.WriteString("var opTable = [...]instInfo{\n")
	for _, o := range t.ops {
		emitInstRow(b, o)
	}
	b.WriteString("}\n\n// opIndex gives an opcode's row in opTable plus one, or 0.\nvar opIndex = [...]uint16{\n")
	for i, o := range t.ops {
		fmt.Fprintf(b, "%d: %d,\n", o.op, i+1)
	}
	b.WriteString("}\n\nvar opNames = [...]nameRow{\n")
	emitNames(b, t.opNames)
	b.WriteString("}\n\nvar extInstTable = [...]instInfo{\n")
	for _, e := range t.exts {
		for _, in := range e.insts {
			emitInstRow(b, in)
		}
	}
	b.WriteString("}\n\nvar extInstNames = [...]nameRow{\n")
	for _, e := range t.exts {
		emitNames(b, e.names)
	}
	b.WriteString("}\n\nvar extSetTable = [...]extSetInfo{\n{},\n")
	inst, nm := 0, 0
	for _, e := range t.exts {
		fmt.Fprintf(b, "{%q, %t, %s, %s},\n", e.src.imports, e.src.prefix, span{inst, len(e.insts)}, span{nm, len(e.names)})
		inst += len(e.insts)
		nm += len(e.names)
	}
	b.WriteString("}\n\n")
}

func emitKinds(b *bytes.Buffer, t *tables) {
	cats := map[string]string{"ValueEnum": "catValue", "BitEnum": "catBits", "Id": "catID", "Literal": "catLiteral", "Composite": "catComposite"}
	b.WriteString("var kindTable = [...]kindInfo{\n")
	en, nm := 0, 0
	for _, k := range t.kinds {
		bases := "[2]Kind{}"
		if len(k.bases) == 2 {
			bases = "[2]Kind{" + strings.Join(k.bases, ", ") + "}"
		}
		fmt.Fprintf(b, "{%q, %s, %s, %s, %s},\n", k.name, cats[k.category], span{en, len(k.enums)}, span{nm, len(k.names)}, bases)
		en += len(k.enums)
		nm += len(k.names)
	}
	b.WriteString("}\n\nvar enumTable = [...]enumInfo{\n")
	for _, k := range t.kinds {
		for _, e := range k.enums {
			fmt.Fprintf(b, "{%q, %d, %s, %s, %#x},\n", e.name, e.value, e.specs, e.caps, e.version)
		}
	}
	b.WriteString("}\n\nvar enumNames = [...]nameRow{\n")
	for _, k := range t.kinds {
		emitNames(b, k.names)
	}
	b.WriteString("}\n\n")
}
