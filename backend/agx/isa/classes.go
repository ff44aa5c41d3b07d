package isa

import "sync"

// class is what a field or operand is: how it is packed and how it is
// written. more are further fields, "*" standing for the item's name.
type class struct {
	more    []string
	wide    bool // a pair of 32-bit registers is one 64-bit register
	float   bool // immediates are floats
	odd     bool // shown in the .odd form only
	sample  bool // iter's sample number
	operand bool // fills Dst or one of Srcs
	target  bool // a branch offset
	allow   Allow
	flag    Flags // the flag that it transfers
	extra   bool  // fills bits of Instr.Extra
	code    func(x *xfer, it *item)
	text    func(p *printer, it *item)       // nil: not in the text
	parse   func(s *scanner, it *item) error // nil: not in the text
}

// classes lists the classes of the table (agx.md §2 to 4).
var classes = sync.OnceValue(func() map[string]*class {
	return map[string]*class{
		// ALU operands.
		"dst":    opnd(codeDst, AllowReg16|AllowReg32|AllowHints, "*t"),
		"dst64":  wide(codeDst64, AllowReg16|AllowReg32|AllowReg64|AllowHints, "*t"),
		"dst2":   opnd(codeDst2, AllowReg16|AllowReg32|AllowHints|AllowRun, "*t"),
		"dst16":  opnd(codeDst16, AllowReg16|AllowHints, "*t"),
		"r0l":    opnd(codeR0L, AllowReg16|AllowHints, "*t"),
		"src":    opnd(codeSrc, alu, "*t"),
		"src16":  opnd(codeSrc16, AllowReg16|AllowUniform16|AllowImm|AllowHints, "*t"),
		"src64":  wide(codeSrc64, alu|AllowReg64, "*t"),
		"isrc":   opnd(codeISrc, alu|AllowSignExt, "*t", "*s"),
		"isrc64": wide(codeISrc64, alu|AllowReg64|AllowSignExt, "*t", "*s"),
		"fsrc":   fopnd(codeFSrc, falu, "*t", "", "*m"),
		"fsrc16": fopnd(codeFSrc16, AllowReg16|AllowUniform16|AllowUniform32|AllowFloatImm|AllowAbsNeg|AllowHints, "*t", "", "*m"),
		"fsrc2":  fopnd(codeFSrc2, falu|AllowRun, "*t", "", "*m"),
		"sel":    opnd(codeSel, alu, "*t"),
		"sr":     {operand: true, allow: AllowState, code: codeSR, text: textSR, parse: parseSR},

		// Memory operands.
		"vec":     opnd(codeVec, AllowReg16|AllowReg32|AllowRun|AllowNone, "*t"),
		"vec4":    opnd(codeVec4, AllowReg16|AllowReg32|AllowRun, "*t"),
		"adst":    opnd(codeAtomicDst, AllowReg32|AllowNone, "*t"),
		"tgdst":   opnd(codeGroupDst, AllowReg16|AllowReg32|AllowNone, "*t", "*a"),
		"asrc":    opnd(codeAtomicData, AllowReg32|AllowRun),
		"base64":  wide(codeBase64, AllowReg64|AllowUniform64, "*t"),
		"index32": opnd(codeIndex32, AllowReg32|AllowImm, "*t"),
		"lbase":   opnd(codeGroupBase, AllowReg16|AllowUniform16|AllowImm, "*t"),
		"lindex":  opnd(codeGroupIndex, AllowReg16|AllowImm, "*t"),
		"aptr":    wide(codeAsyncPtr, AllowReg64|AllowUniform64, "*t"),
		"adesc":   opnd(codeAsyncDesc, AllowReg32|AllowUniform32|AllowRun, "*t"),
		"gprn":    opnd(codeRegNumber, AllowReg32),
		"gprh":    opnd(codeRegHalf, AllowReg32),
		"ureg64":  wide(codeUniform64, AllowUniform64),
		"ts":      opnd(codeTS, AllowState),
		"ss":      opnd(codeSS, AllowState),

		// Texture, fragment and vertex operands.
		"tex":    opnd(codeTexture, AllowState|AllowReg16|AllowReg32, "*t"),
		"heap":   wide(codeHeap, AllowUniform64|AllowNone, "Tt"),
		"smp":    opnd(codeSampler, AllowState|AllowReg16, "*t"),
		"coords": opnd(codeCoords, AllowReg16|AllowReg32|AllowRun|AllowDiscard, "*t", "Cs"),
		"lodop":  opnd(codeLodOperand, AllowImm|AllowReg16|AllowReg32|AllowUniform16|AllowRun),
		"cmpoff": {more: []string{"*t"}, operand: true, allow: AllowReg16 | AllowReg32 | AllowRun | AllowNone, code: codeCompareOffset, text: textCompareOffset, parse: parseCompareOffset},
		"imglod": opnd(codeImageLod, AllowImm|AllowReg16, "*t"),
		"off":    opnd(codeBlockOffset, AllowReg16),
		"varvec": opnd(codeVarying, AllowReg16|AllowReg32|AllowRun, "*t", "count"),
		"cfvec":  opnd(codeCoefficients, AllowReg16|AllowReg32|AllowRun, "*t", "count"),
		"cf":     opnd(codeCF, AllowState|AllowReg16, "*t"),
		"cfw":    opnd(codeCFW, AllowState),
		"samp":   {operand: true, allow: AllowImm | AllowReg16 | AllowNone, sample: true, code: codeSampleNumber, text: textOptional, parse: parseSampleNumber},
		"uvs":    opnd(codeUVS, AllowImm|AllowReg16, "*t"),
		"smask":  opnd(codeSamples, AllowImm|AllowReg16, "*t"),
		"tsmask": opnd(codeTileSamples, AllowImm|AllowReg16, "*t"),
		"zsvec":  opnd(codeDepthStencil, AllowReg16|AllowRun, "z", "s"),

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
		"simd":    {flag: Simd, code: codeSimd},
		"prefix":  {flag: Prefix, code: codePrefix},
		"tt":      {code: codeTable},
		"sat":     {flag: Sat, code: codeSat},
		"sub":     {flag: Sub, code: codeSub},
		"sign":    {flag: Unsigned, code: codeSign, text: textSign, parse: parseSign},
		"cmp":     {flag: Compare, code: codeCompare, text: textCompare, parse: parseCompare},
		"tmode":   {code: codeTMode, text: textTMode, parse: parseTMode},
		"fwd":     optionalFlag(codeForward, Forward, "forward"),
		"elide":   optionalFlag(codeElide, Elide, "elide"),
		"kill":    {flag: Kill, code: codeKill, text: textKill, parse: parseKill},
		"killh":   {flag: Kill, code: codeKill},
		"mask":    {code: codeMask, text: textMask, parse: parseMask},
		"lsl":     {code: codeShift, text: textShift, parse: parseShift},
		"mask32":  {code: codeBits, text: textBits, parse: parseBits},
		"slot":    number(codeSlot, func(i *Instr) *uint8 { return &i.Slot }),
		"nest":    number(codeNest, func(i *Instr) *uint8 { return &i.Nest }),
		"slotb":   {code: codeSlot, text: textSlotBinary, parse: parseSlotBinary},
		"imm":     number(codeImm, func(i *Instr) *uint32 { return &i.Imm }),
		"simm":    {code: codeSImm, text: textSImm, parse: parseSImm},
		"barrier": {code: codeImm, text: textBarrier, parse: parseBarrier},
		"rel":     {target: true, code: codeTargetOffset, text: textTarget, parse: parseTarget},

		// Fields of unknown meaning: decimal, binary, hidden; odd ones are only
		// shown when one of them is unusual, in a form of its own.
		"x":   {extra: true, code: codeExtra, text: textExtra, parse: parseExtra},
		"xb":  {extra: true, code: codeExtra, text: textExtraBinary, parse: parseExtra},
		"h":   {extra: true, code: codeExtra},
		"odd": {extra: true, odd: true, code: codeExtra, text: textOdd, parse: parseOdd},
	}
})

// What most ALU operands can be.
const (
	alu  = AllowReg16 | AllowReg32 | AllowUniform16 | AllowUniform32 | AllowImm | AllowHints
	falu = alu&^AllowImm | AllowFloatImm | AllowAbsNeg
)

func mode(i *Instr) *uint8 { return &i.Mode }

// opnd is a class of operand in its usual notation.
func opnd(code func(*xfer, *item), allow Allow, more ...string) *class {
	return &class{more: more, operand: true, allow: allow, code: code, text: textOperand, parse: parseOperand}
}

// fopnd is a class of operand whose immediates are floats.
func fopnd(code func(*xfer, *item), allow Allow, more ...string) *class {
	c := opnd(code, allow, more...)
	c.float = true
	return c
}

// wide is a class of operand that can be a 64-bit register.
func wide(code func(*xfer, *item), allow Allow, more ...string) *class {
	c := opnd(code, allow, more...)
	c.wide = true
	return c
}
