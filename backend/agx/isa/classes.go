package isa

// class is what a field or operand is: how it is packed and how it is
// written. more are further fields, "*" standing for the item's name.
type class struct {
	more    []string
	wide    bool // a pair of 32-bit registers is one 64-bit register
	float   bool // immediates are floats
	operand bool // fills Dst or one of Srcs
	extra   bool // fills bits of Instr.Extra
	code    func(x *xfer, it *item)
	text    func(p *printer, it *item)       // nil: not in the text
	parse   func(s *scanner, it *item) error // nil: not in the text
}

// classes lists the classes of the table, sections 2 to 4 of the reference.
var classes = map[string]*class{
	// ALU operands.
	"dst":    opnd(codeDst, "*t"),
	"dst64":  wide(codeDst64, "*t"),
	"dst2":   opnd(codeDst2, "*t"),
	"dst16":  opnd(codeDst16, "*t"),
	"r0l":    opnd(codeR0L, "*t"),
	"src":    opnd(codeSrc, "*t"),
	"src16":  opnd(codeSrc16, "*t"),
	"src64":  wide(codeSrc64, "*t"),
	"isrc":   opnd(codeISrc, "*t", "*s"),
	"isrc64": wide(codeISrc64, "*t", "*s"),
	"fsrc":   fopnd(codeFSrc, "*t", "", "*m"),
	"fsrc16": fopnd(codeFSrc16, "*t", "", "*m"),
	"fsrc2":  fopnd(codeFSrc2, "*t", "", "*m"),
	"sel":    opnd(codeSel, "*t"),
	"sr":     {operand: true, code: codeSR, text: textSR, parse: parseSR},

	// Memory operands.
	"vec":    opnd(codeVec, "*t"),
	"vec4":   opnd(codeVec4, "*t"),
	"adst":   opnd(codeAtomicDst, "*t"),
	"tgdst":  opnd(codeGroupDst, "*t", "*a"),
	"asrc":   opnd(codeAtomicData),
	"base64": wide(codeBase64, "*t"),
	"index32": opnd(codeIndex32,
		"*t"),
	"lbase":  opnd(codeGroupBase, "*t"),
	"lindex": opnd(codeGroupIndex, "*t"),
	"aptr":   wide(codeAsyncPtr, "*t"),
	"adesc":  opnd(codeAsyncDesc, "*t"),
	"gprn":   opnd(codeRegNumber),
	"gprh":   opnd(codeRegHalf),
	"ureg64": wide(codeUniform64),
	"ts":     opnd(codeTS),
	"ss":     opnd(codeSS),

	// Texture, fragment and vertex operands.
	"tex":    opnd(codeTexture, "*t"),
	"heap":   wide(codeHeap, "Tt"),
	"smp":    opnd(codeSampler, "*t"),
	"coords": opnd(codeCoords, "*t", "Cs"),
	"lodop":  opnd(codeLodOperand),
	"cmpoff": {more: []string{"*t"}, operand: true, code: codeCompareOffset, text: textCompareOffset, parse: parseCompareOffset},
	"imglod": opnd(codeImageLod, "*t"),
	"off":    opnd(codeBlockOffset),
	"varvec": opnd(codeVarying, "*t", "count"),
	"cfvec":  opnd(codeCoefficients, "*t", "count"),
	"cf":     opnd(codeCF, "*t"),
	"cfw":    opnd(codeCFW),
	"samp":   {operand: true, code: codeSampleNumber, text: textOptional, parse: parseSampleNumber},
	"uvs":    opnd(codeUVS, "*t"),
	"smask":  opnd(codeSamples, "*t"),
	"tsmask": opnd(codeTileSamples, "*t"),
	"zsvec":  opnd(codeDepthStencil, "z", "s"),

	// Plain fields.
	"icc":     enum(codeICond, func(i *Instr) *Cond { return &i.Cond }, condNames[:16], "ccn"),
	"fcc":     enum(codeFCond, func(i *Instr) *Cond { return &i.Cond }, condNames[:], "ccn"),
	"fmt":     enum(codeFormat, func(i *Instr) *Format { return &i.Format }, formatNames),
	"dim":     enum(codeDim, func(i *Instr) *Dim { return &i.Dim }, dimNames),
	"gather":  enum(codeGather, func(i *Instr) *Gather { return &i.Gather }, gatherNames),
	"interp":  {code: codeInterp, text: textInterp, parse: parseInterp},
	"lod":     {code: codeLod, text: textLod, parse: parseLod},
	"rnd":     enum(codeRound, func(i *Instr) *Round { return &i.Round }, roundNames),
	"rndi":    enum(codeRoundInverse, func(i *Instr) *Round { return &i.Round }, roundNames),
	"cvt":     enum(codeConvert, mode, convertNames),
	"atom":    enum(codeAtomic, mode, atomicNames),
	"target":  enum(codeTarget, mode, targetNames),
	"async":   enum(codeAsync, mode, asyncNames),
	"red":     {code: codeReduce},
	"simd":    {code: codeSimd},
	"prefix":  {code: codePrefix},
	"tt":      {code: codeTable},
	"sat":     {code: codeSat},
	"sub":     {code: codeSub},
	"sign":    {code: codeSign, text: textSign, parse: parseSign},
	"cmp":     {code: codeCompare, text: textCompare, parse: parseCompare},
	"tmode":   {code: codeTMode, text: textTMode, parse: parseTMode},
	"fwd":     optionalFlag(codeForward, Forward, "forward"),
	"elide":   optionalFlag(codeElide, Elide, "elide"),
	"kill":    {code: codeKill, text: textKill, parse: parseKill},
	"killh":   {code: codeKill},
	"mask":    {code: codeMask, text: textMask, parse: parseMask},
	"lsl":     {code: codeShift, text: textShift, parse: parseShift},
	"mask32":  {code: codeBits, text: textBits, parse: parseBits},
	"slot":    number(codeSlot, func(i *Instr) *uint8 { return &i.Slot }),
	"nest":    number(codeNest, func(i *Instr) *uint8 { return &i.Nest }),
	"slotb":   {code: codeSlot, text: textSlotBinary, parse: parseSlotBinary},
	"imm":     number(codeImm, func(i *Instr) *uint32 { return &i.Imm }),
	"simm":    {code: codeSImm, text: textSImm, parse: parseSImm},
	"barrier": {code: codeImm, text: textBarrier, parse: parseBarrier},
	"rel":     {code: codeTargetOffset, text: textTarget, parse: parseTarget},

	// Fields of unknown meaning: decimal, binary, hidden; todo ones are only
	// shown when one of them is unusual, in a form of its own.
	"x":    {extra: true, code: codeExtra, text: textExtra, parse: parseExtra},
	"xb":   {extra: true, code: codeExtra, text: textExtraBinary, parse: parseExtra},
	"h":    {extra: true, code: codeExtra},
	"todo": {extra: true, code: codeExtra, text: textTodo, parse: parseTodo},
}

func mode(i *Instr) *uint8 { return &i.Mode }

// opnd is a class of operand in its usual notation.
func opnd(code func(*xfer, *item), more ...string) *class {
	return &class{more: more, operand: true, code: code, text: textOperand, parse: parseOperand}
}

// fopnd is a class of operand whose immediates are floats.
func fopnd(code func(*xfer, *item), more ...string) *class {
	c := opnd(code, more...)
	c.float = true
	return c
}

// wide is a class of operand that can be a 64-bit register.
func wide(code func(*xfer, *item), more ...string) *class {
	c := opnd(code, more...)
	c.wide = true
	return c
}
