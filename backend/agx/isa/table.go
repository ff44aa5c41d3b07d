package isa

// row describes an encoding in the notation of
// agx.md §3: size is the length in bytes, or short/long with the length bit;
// fixed and fields are "lo+width", fields in pieces from the lowest; text
// lists the operands in assembly order as name:class, classes.go says what a
// class is. ">" marks the destination, "=n" the customary value of a field of
// unknown meaning.
type row struct {
	name, size, fixed, fields, text string
}

// Field groups that many rows share.
const (
	dst28   = "Dt=7+2 D=9+6,28+2 "
	dst44   = "Dt=7+2 D=9+6,44+2 "
	dst60   = "Dt=7+2 D=9+6,60+2 "
	dst76   = "Dt=7+2 D=9+6,76+2 "
	srcA42  = "A=16+6,42+2 At=22+4 "
	srcA58  = "A=16+6,58+2 At=22+4 "
	srcA74  = "A=16+6,74+2 At=22+4 "
	halfA42 = "A=16+6,42+2 At=22+3 "
	halfA58 = "A=16+6,58+2 At=22+3 "
	srcB40  = "B=28+6,40+2 Bt=34+4 "
	srcB56  = "B=28+6,56+2 Bt=34+4 "
	srcB72  = "B=28+6,72+2 Bt=34+4 "
	halfB40 = "B=28+6,40+2 Bt=34+3 "
	halfB56 = "B=28+6,56+2 Bt=34+3 "
	srcC54  = "C=40+6,54+2 Ct=46+4 "
	halfC54 = "C=40+6,54+2 Ct=46+3 "
	selXY   = "X=40+6,70+2 Xt=46+3 Y=52+6,68+2 Yt=58+3 cc=61+3 "
	bits38  = "m=38+2,50+2,63+1 "
	memRAO  = "R=10+6,40+2 A=16+4,36+4 O=20+4,32+4,56+8 Ot=24+1 "
	ldsO    = "O=28+6,48+10 Ot=34+1 "
	ldsRA   = "Rt=8+1 R=9+6,60+2 A=16+6,58+2 At=22+2 "
	texAll  = "Rt=8+1 R=9+6,72+2 C=16+6,74+2 Ct=22+1 compare=23+1 D=24+6,76+2 mode=30+2 T=32+6,78+2 Tt=38+2 n=40+3,71+1 q3=43+4 Cs=47+1 mask=48+4 lod=52+4 S=56+6,92+2 St=62+1 slot=63+1 U=64+5 kill=69+2 O=80+6,94+2 q6=86+5 Ot=91+1 "
	varAll  = "r=10+5,24+2 I=16+6,26+2 It=23+1 u=31+1 "
	condN   = "Dt=7+1 ccn=8+1 n=11+2 cc=13+3 "
)

// opTable is the one description of the encodings: from it come unpacking,
// packing, text and parsing.
var opTable = [NumOps]row{
	// Moves and special registers.
	OpMovImm16: {"mov_imm", "4/6 L15", "0+7=62 8+1=0", dst44 + "imm16=16+16", ">D:dst imm16:imm"},
	OpMovImm32: {"mov_imm", "6/8 L15", "0+7=62 8+1=1", dst60 + "imm32=16+32 kill=62+1", ">D:dst imm32:imm kill:kill"},
	OpGetSR:    {"get_sr", "4", "0+7=72 15+1=0", dst28 + "SR=16+6,26+2", ">D:dst SR:sr"},
	OpSRThing:  {"sr_thing", "4", "0+7=72 15+1=1", dst28 + "SR=16+6,26+2", ">D:dst SR:sr"},

	// Integer arithmetic.
	OpIadd:  {"iadd", "8", "0+6=e 15+1=0", "S=6+1 " + dst44 + srcA42 + "As=26+1 N=27+1 " + srcB40 + "Bs=38+1 s=39+1,52+2", ">D:dst64 A:isrc64 B:isrc64 s:lsl S:sat N:sub"},
	OpImadd: {"imadd", "8", "0+6=1e 15+1=0", "S=6+1 " + dst60 + srcA58 + "As=26+1 N=27+1 " + srcB56 + "Bs=38+1 s=39+1,52+2 " + srcC54 + "Cs=50+1", ">D:dst64 A:isrc B:isrc C:isrc64 s:lsl S:sat N:sub"},

	// Shifts and bit fields.
	OpBfi:   {"bfi", "8", "0+7=2e 15+1=0 26+2=0", dst60 + srcA58 + srcB56 + bits38 + srcC54, ">D:dst A:src B:src C:src m:mask32"},
	OpBfeil: {"bfeil", "8", "0+7=2e 15+1=1 26+2=0", dst60 + srcA58 + srcB56 + bits38 + srcC54, ">D:dst A:src B:src C:src m:mask32"},
	OpExtr:  {"extr", "8", "0+7=2e 15+1=0 26+2=1", dst60 + srcA58 + srcB56 + bits38 + srcC54, ">D:dst A:src B:src C:src m:mask32"},
	OpShlhi: {"shlhi", "8", "0+7=2e 15+1=0 26+2=2", dst60 + srcA58 + srcB56 + bits38 + srcC54, ">D:dst A:src B:src C:src m:mask32"},
	OpShrhi: {"shrhi", "8", "0+7=2e 15+1=1 26+2=2", dst60 + srcA58 + srcB56 + bits38 + srcC54, ">D:dst A:src B:src C:src m:mask32"},
	OpAsr:   {"asr", "8", "0+7=2e 15+1=1 26+2=1", dst60 + srcA58 + srcB56, ">D:dst A:src B:src"},
	OpAsrh:  {"asrh", "8", "0+7=2e 15+1=1 26+2=3", dst60 + srcA58 + srcB56, ">D:dst A:src B:src"},

	// Bit operations and conversion.
	OpBitop:    {"bitop", "6", "0+7=7e 15+1=0", dst44 + srcA42 + "tt=26+2,38+2 " + srcB40, "tt:tt >D:dst A:src B:src"},
	OpBitrev:   {"bitrev", "6", "0+7=3e 15+1=0 26+2=1 28+10=0 38+2=0", dst44 + srcA42, ">D:dst A:src"},
	OpPopcount: {"popcount", "6", "0+7=3e 15+1=0 26+2=2 28+10=0 38+2=0", dst44 + srcA42, ">D:dst A:src"},
	OpFfs:      {"ffs", "6", "0+7=3e 15+1=0 26+2=3 28+10=0 38+2=0", dst44 + srcA42, ">D:dst A:src"},
	OpIntl:     {"intl", "6", "0+7=3e 15+1=0 26+2=0 38+2=0", dst44 + srcA42 + srcB40, ">D:dst A:src B:src"},
	OpConvert:  {"convert", "6", "0+7=3e 15+1=1 22+4=0 38+2=0 42+2=0", dst44 + "mode=16+6 round=26+2 A=28+6,40+2 At=34+4", "mode:cvt >D:dst A:src round:rndi"},

	// Float arithmetic.
	OpFmadd32: {"fmadd32", "6/8 L15", "0+6=3a", "S=6+1 " + dst60 + srcA58 + "Am=26+2 " + srcB56 + "Bm=38+2 " + srcC54 + "Cm=50+2", ">D:dst A:fsrc B:fsrc C:fsrc S:sat"},
	OpFmadd16: {"fmadd16", "6/8 L15", "0+6=36", "S=6+1 " + dst60 + halfA58 + "Am=25+2 " + halfB56 + "Bm=37+2 " + halfC54 + "Cm=49+2", ">D:dst16 A:fsrc16 B:fsrc16 C:fsrc16 S:sat"},
	OpFadd32:  {"fadd32", "4/6 L15", "0+6=2a", "S=6+1 " + dst44 + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2", ">D:dst A:fsrc B:fsrc S:sat"},
	OpFadd16:  {"fadd16", "4/6 L15", "0+6=26", "S=6+1 " + dst44 + halfA42 + "Am=25+2 " + halfB40 + "Bm=37+2", ">D:dst16 A:fsrc16 B:fsrc16 S:sat"},
	OpFmul32:  {"fmul32", "4/6 L15", "0+6=1a", "S=6+1 " + dst44 + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2", ">D:dst A:fsrc B:fsrc S:sat"},
	OpFmul16:  {"fmul16", "4/6 L15", "0+6=16", "S=6+1 " + dst44 + halfA42 + "Am=25+2 " + halfB40 + "Bm=37+2", ">D:dst16 A:fsrc16 B:fsrc16 S:sat"},

	// Float unary.
	OpFloor:        {"floor", "4/6 L15", "0+6=a 28+6=0 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpCeil:         {"ceil", "4/6 L15", "0+6=a 28+6=10 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpTrunc:        {"trunc", "4/6 L15", "0+6=a 28+6=20 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpRint:         {"rint", "4/6 L15", "0+6=a 28+6=30 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpRcp:          {"rcp", "4/6 L15", "0+6=a 28+6=8 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpRsqrt:        {"rsqrt", "4/6 L15", "0+6=a 28+6=9 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpRsqrtSpecial: {"rsqrt_special", "4/6 L15", "0+6=a 28+6=1 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpSinPt1:       {"sin_pt_1", "4/6 L15", "0+6=a 28+6=a 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpSinPt2:       {"sin_pt_2", "4/6 L15", "0+6=a 28+6=e 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpLog2:         {"log2", "4/6 L15", "0+6=a 28+6=c 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpExp2:         {"exp2", "4/6 L15", "0+6=a 28+6=d 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2", ">D:dst A:fsrc S:sat"},
	OpDfdx:         {"dfdx", "4/6 L15", "0+6=a 28+6=4 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2 kill=46+1", ">D:dst A:fsrc kill:killh S:sat"},
	OpDfdy:         {"dfdy", "4/6 L15", "0+6=a 28+6=6 34+8=0", "S=6+1 " + dst44 + srcA42 + "Am=26+2 kill=46+1", ">D:dst A:fsrc kill:killh S:sat"},

	// Compare and select, ballots.
	OpIcmpsel:        {"icmpsel", "8/10 L15", "0+7=12", dst76 + srcA74 + srcB72 + selXY, "cc:icc >D:dst A:src B:src X:sel Y:sel"},
	OpFcmpsel:        {"fcmpsel", "8/10 L15", "0+7=2", dst76 + srcA74 + "Am=26+2 " + srcB72 + "Bm=38+2 " + selXY, "cc:fcc >D:dst A:fsrc B:fsrc X:sel Y:sel"},
	OpIcmpBallot:     {"icmp_ballot", "8", "0+7=32 26+2=0 38+2=0 48+13=1", dst44 + srcA42 + srcB40 + "ccn=47+1 cc=61+3", ">D:dst cc:icc A:src B:src"},
	OpIcmpQuadBallot: {"icmp_quad_ballot", "8", "0+7=32 26+2=0 38+2=0 48+13=0", dst44 + srcA42 + srcB40 + "ccn=47+1 cc=61+3", ">D:dst cc:icc A:src B:src"},
	OpFcmpBallot:     {"fcmp_ballot", "8", "0+7=22 48+13=1", dst44 + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2 ccn=47+1 cc=61+3", ">D:dst cc:fcc A:fsrc B:fsrc"},
	OpFcmpQuadBallot: {"fcmp_quad_ballot", "8", "0+7=22 48+13=0", dst44 + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2 ccn=47+1 cc=61+3", ">D:dst cc:fcc A:fsrc B:fsrc"},

	// Lane exchange, matrix.
	OpSimdShuffle:         {"simd_shuffle", "6", "0+7=6f 15+1=0 26+2=1 38+2=0 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src B:src16"},
	OpSimdShuffleXor:      {"simd_shuffle_xor", "6", "0+7=6f 15+1=0 26+2=1 38+2=1 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src B:src16"},
	OpSimdShuffleUp:       {"simd_shuffle_up", "6", "0+7=6f 15+1=0 26+2=1 38+2=2 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src B:src16"},
	OpSimdShuffleDown:     {"simd_shuffle_down", "6", "0+7=6f 15+1=0 26+2=1 38+2=3 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src B:src16"},
	OpSimdShuffleRotateUp: {"simd_shuffle_rotate_up", "6", "0+7=6f 15+1=0 26+2=1 38+2=2 47+1=1", dst44 + srcA42 + srcB40, ">D:dst A:src B:src16"},
	OpQuadShuffle:         {"quad_shuffle", "6", "0+7=6f 15+1=0 26+2=0 38+2=0 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src64 B:src64"},
	OpQuadShuffleXor:      {"quad_shuffle_xor", "6", "0+7=6f 15+1=0 26+2=0 38+2=1 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src64 B:src64"},
	OpQuadShuffleUp:       {"quad_shuffle_up", "6", "0+7=6f 15+1=0 26+2=0 38+2=2 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src64 B:src64"},
	OpQuadShuffleDown:     {"quad_shuffle_down", "6", "0+7=6f 15+1=0 26+2=0 38+2=3 47+1=0", dst44 + srcA42 + srcB40, ">D:dst A:src64 B:src64"},
	OpQuadShuffleRotateUp: {"quad_shuffle_rotate_up", "6", "0+7=6f 15+1=0 26+2=0 38+2=2 47+1=1", dst44 + srcA42 + srcB40, ">D:dst A:src64 B:src64"},
	OpSimdMatrixFmadd32:   {"simd_matrix_fmadd32", "8", "0+7=6f 15+1=0 26+1=1 27+1=1 63+1=1", dst60 + srcA58 + srcB56 + "Bm=38+2 " + srcC54 + "Cm=50+2 Am=52+2", ">D:dst2 A:fsrc2 B:fsrc2 C:fsrc2"},
	OpSimdMatrixFmadd16:   {"simd_matrix_fmadd16", "8", "0+7=6f 15+1=0 26+1=0 27+1=1 63+1=1", dst60 + srcA58 + srcB56 + "Bm=38+2 " + srcC54 + "Cm=50+2 Am=52+2", ">D:dst2 A:fsrc2 B:fsrc2 C:fsrc2"},
	OpReduce:              {"reduce", "6", "0+7=6f 15+1=1 26+2=0 31+7=0 41+1=0", dst44 + srcA42 + "scope=29+1 prefix=30+1 op=28+1,38+3,47+1", "scope:simd prefix:prefix op:red >D:dst A:src64"},

	// Control flow.
	OpIfIcmp:        {"if_icmp", "6", "0+7=52 9+2=0 26+2=0 38+2=0 44+2=0", condN + srcA42 + srcB40, ">D:r0l cc:icc A:src B:src n:nest"},
	OpIfFcmp:        {"if_fcmp", "6", "0+7=42 9+2=0 44+2=0", condN + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2", ">D:r0l cc:fcc A:fsrc B:fsrc n:nest"},
	OpElseIcmp:      {"else_icmp", "6", "0+7=52 9+2=1 26+2=0 38+2=0 44+2=0", condN + srcA42 + srcB40, ">D:r0l cc:icc A:src B:src n:nest"},
	OpElseFcmp:      {"else_fcmp", "6", "0+7=42 9+2=1 44+2=0", condN + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2", ">D:r0l cc:fcc A:fsrc B:fsrc n:nest"},
	OpWhileIcmp:     {"while_icmp", "6", "0+7=52 9+2=2 26+2=0 38+2=0 44+2=0", condN + srcA42 + srcB40, ">D:r0l cc:icc A:src B:src n:nest"},
	OpWhileFcmp:     {"while_fcmp", "6", "0+7=42 9+2=2 44+2=0", condN + srcA42 + "Am=26+2 " + srcB40 + "Bm=38+2", ">D:r0l cc:fcc A:fsrc B:fsrc n:nest"},
	OpPopExec:       {"pop_exec", "6", "0+7=52 9+2=3 13+35=0", "Dt=7+1 n=11+2", ">D:r0l n:nest"},
	OpPopExec2:      {"pop_exec2", "6", "0+7=52 9+2=3 13+10=0 23+1=1", "Dt=7+1 n=11+2", ">D:r0l n:nest"},
	OpJmpExecAny:    {"jmp_exec_any", "6", "0+16=c000", "off=16+32", "off:rel"},
	OpJmpExecNone:   {"jmp_exec_none", "6", "0+16=c020", "off=16+32", "off:rel"},
	OpJmpIncomplete: {"jmp_incomplete", "4", "0+16=0 24+8=0", "off=16+8", "off:rel"},
	OpCallReg:       {"call", "2", "0+7=4", "reg32=9+7", "reg32:gprn"},
	OpCall:          {"call", "6", "0+16=c010", "off=16+32", "off:rel"},
	OpRet:           {"ret", "2", "0+7=14", "reg32=9+7", "reg32:gprn"},
	OpStop:          {"stop", "2", "0+16=88", "", ""},
	OpTrap:          {"trap", "2", "0+16=8", "", ""},

	// Device memory, uniforms, atomics.
	OpDeviceLoad:        {"device_load", "6/8 L47", "0+7=5", "F=7+3,48+1 " + memRAO + "Ou=25+1 At=27+1 g=30+1 s=42+2 Rt=49+1 u1=26+1 u3=28+2 u4=44+3 u5=50+2 mask=52+4", "g:slot F:fmt mask:mask >R:vec A:base64 O:index32 Ou:sign s:lsl u1:odd=1 u3:odd u4:odd=4 u5:odd"},
	OpDeviceStore:       {"device_store", "6/8 L47", "0+7=45", "F=7+3,48+1 " + memRAO + "Ou=25+1 At=27+1 g=30+1 s=42+2 u6=44+1 Rt=49+1 u1=26+1 u3=28+2 u4=45+2 u5=50+2 mask=52+4", "g:slot F:fmt mask:mask R:vec A:base64 O:index32 Ou:sign s:lsl u6:x u1:odd=1 u3:odd u4:odd=2 u5:odd"},
	OpUniformStore:      {"uniform_store", "6/8 L47", "0+7=45 9+1=0 16+4=0 27+1=1 28+2=3 36+4=0 50+2=0", "F=7+2 R=10+6,40+2 O=20+4,32+4,56+8 Ot=24+1 unk=25+2 s=42+2 b=44+3 Rt=49+1 mask=52+4", "unk:x=2 F:fmt mask:mask b:x R:vec O:index32 s:lsl"},
	OpTexStateStore:     {"tex_state_store", "8", "0+8=ed 20+1=1", "TS=8+7 O=27+7 B=58+6", "TS:ts B:ureg64 O:gprn"},
	OpSamplerStateStore: {"sampler_state_store", "8", "0+8=ad 20+1=1", "SS=8+5 O=27+7 B=58+6", "SS:ss B:ureg64 O:gprn"},
	OpAtomic:            {"atomic", "8", "0+6=15", "op=6+4 " + memRAO + "Ou=25+1 u1=26+1 At=27+1 u2=28+2 g=30+1 u3=31+1 u4=42+3 u5=45+2 Rt=47+1 S=48+8", "op:atom g:slot >R:adst A:base64 O:index32 Ou:sign S:asrc u1:x=1 u2:x u3:x=1 u4:x=4 u5:x=2"},
	OpAsyncLoad:         {"async_load", "8", "0+7=25", "Rt=8+1 R=9+6 A=16+4,36+4 At=25+1 F=47+1", "F:async R:aptr A:adesc"},
	OpAsyncStore:        {"async_store", "8", "0+7=65", "Rt=8+1 R=9+6 A=16+4,36+4 At=25+1 F=47+1", "F:async R:aptr A:adesc"},

	// Threadgroup memory.
	OpThreadgroupLoad:   {"threadgroup_load", "6/8 L15", "0+4=9 5+2=3", ldsRA + "F=24+4 " + ldsO + "mask=36+4 h1=40+8", "F:fmt mask:mask >R:vec A:lbase O:lindex h1:h"},
	OpThreadgroupStore:  {"threadgroup_store", "6/8 L15", "0+4=9 5+2=1", ldsRA + "F=24+4 " + ldsO + "mask=36+4", "F:fmt mask:mask R:vec A:lbase O:lindex"},
	OpThreadgroupAtomic: {"threadgroup_atomic", "6/10 L15", "0+6=19", "u1=6+2 " + ldsRA + "op=24+4 " + ldsO + "u3=35+3 Ra=38+1 u4=40+8 S=64+8 u5=72+8", "op:atom >R:tgdst A:lbase O:lindex S:asrc u1:x u3:x=2 u4:x=128 u5:x"},

	// Stack.
	OpStackLoad:    {"stack_load", "6/8 L47", "0+8=35", "F=8+2,50+2 R=10+6,40+2 O=20+4,32+4,56+8 Ot=24+1 i1=26+1 i6=30+1 i2=36+3 i5=44+3 Rt=49+1 mask=52+4", ">R:vec F:fmt i1:x=1 i2:x mask:mask i5:x=4 O:index32 i6:slot"},
	OpStackStore:   {"stack_store", "6/8 L47", "0+8=b5", "F=8+2,50+2 R=10+6,40+2 O=20+4,32+4,56+8 Ot=24+1 i1=26+1 i6=30+1 i2=36+3 i5=44+3 Rt=49+1 mask=52+4", "F:fmt i1:x=1 i2:x mask:mask i5:x=4 R:vec O:index32 i6:slot"},
	OpStackAdjust:  {"stack_adjust", "6/8 L47", "0+8=b5 16+4=1 24+2=1", "i0=8+2 v=20+4,32+4,56+8 i1=26+1 i2=36+3 i3=44+3 i4=50+6", "i0:x i1:x=1 i2:x=2 i3:x i4:x v:simm"},
	OpStackAdjust2: {"stack_adjust2", "6/8 L47", "0+8=b5 16+4=1 24+2=0", "i0=8+2 r=20+4,32+4 i1=26+1 i2=36+3 i3=44+3 i4=50+6", "i0:x i1:x=1 i2:x=2 i3:x i4:x r:gprh"},
	OpStackGetPtr:  {"stack_get_ptr", "6/8 L47", "0+8=35 16+4=1 48+2=2", "i0=8+2 R=10+6,40+2 i1=26+1 i2=36+3 i3=44+3 i4=50+6", "i0:x i1:x=1 i2:x i4:x i3:x=4 >R:gprh"},
	OpMap:          {"map", "8", "0+8=75 16+4=1 10+1=0 24+2=1 27+3=0 31+1=0 47+1=1", "q1=8+2 R=11+5,40+2 v=20+4,32+4,56+8 q2=30+1 h1=26+1 target=36+1 q3=37+3 q4=42+5 q5=48+8", "target:target R:gprn v:simm q1:xb q2:xb q3:xb q4:xb=16 q5:xb=16 h1:h"},
	OpUnmap:        {"unmap", "8", "0+8=75 16+4=0 10+1=0 24+2=1 27+3=0 31+1=0 47+1=1", "q1=8+2 R=11+5,40+2 v=20+4,32+4,56+8 q2=30+1 h1=26+1 target=36+1 q3=37+3 q4=42+5 q5=48+8", "target:target R:gprn v:simm q1:xb q2:xb q3:xb q4:xb=16 q5:xb=16 h1:h"},

	// Waits and barriers.
	OpWait:                  {"wait", "2", "0+8=38", "i=8+1", "i:slot"},
	OpWaitPix:               {"wait_pix", "4", "0+8=48", "i=8+10 j=22+2", "i:imm j:x"},
	OpSignalPix:             {"signal_pix", "4", "0+8=58", "i=8+10 j=22+2", "i:imm j:x"},
	OpThreadgroupBarrier:    {"threadgroup_barrier", "2", "0+8=68", "", ""},
	OpMemoryBarrier:         {"memory_barrier", "2", "0+8=f5", "code=8+8", "code:barrier"},
	OpDoorbell:              {"doorbell", "2", "0+8=28", "imm=8+8", "imm:imm"},
	OpJmpIfSkippingDoorbell: {"jmp_if_skipping_doorbell", "4", "0+16=20 24+8=0", "off=16+8", "off:rel"},

	// Texture and image.
	OpTextureSample:   {"texture_sample", "8/12 L15", "0+8=31", texAll, "compare:cmp mode:tmode q3:xb=12 slot:slotb q6:gather mask:mask kill:xb >R:vec U:heap T:tex S:smp n:dim C:coords lod:lod D:lodop O:cmpoff"},
	OpTextureLoad:     {"texture_load", "8/12 L15", "0+8=71", texAll, "compare:cmp mode:tmode q3:xb=12 slot:slotb q6:gather mask:mask kill:xb >R:vec U:heap T:tex S:smp n:dim C:coords lod:lod D:lodop O:cmpoff"},
	OpImageWrite:      {"image_write", "6/8 L15", "0+8=f1", "Rt=8+1 R=9+6,56+2 C=16+6,58+2 Ct=22+1 u1=23+1 D=24+6,60+2 u2=30+1 Dt=31+1 T=32+6,62+2 Tt=38+2 n=40+3,55+1 u3=43+4 Cs=47+1 U=48+5 round=53+1 u5=54+1", "R:vec4 C:coords D:imglod U:heap T:tex n:dim round:rnd u1:x=1 u2:x u3:x=9 u5:x"},
	OpImageWriteBlock: {"image_write_block", "6/10 L15", "0+8=b1 68+10=0", "F=8+1,64+3 R=9+6,56+2 C=16+6,58+2 Ct=22+1 q0=23+1 D=24+6,60+2 Dt=31+1 T=32+6,62+2 Tt=38+2 n=40+3,55+1 q1=43+4 Cs=47+1 U=48+5 round=53+1 q2=67+1", "R:off C:coords D:imglod T:tex n:dim round:rnd F:fmt q0:x q1:x=9 q2:x=1 U:h"},

	// Fragment and vertex output.
	OpIter:       {"iter", "4/8 L15", "0+6=21 6+1=0 7+1=0", "Dt=8+1 D=9+6,56+2 I=16+6,58+2 forwarding=22+1 It=23+1 count=30+2 S=32+8 unk1=40+6 elide=46+1 unk2=47+1 interpolation=48+2 unk3=50+2 kill=52+1 unk4=53+3 unk5=62+2", ">D:varvec I:cf S:samp forwarding:fwd elide:elide interpolation:interp kill:kill unk1:x unk2:x unk3:x unk4:x unk5:x"},
	OpIterProj:   {"iterproj", "4/8 L15", "0+6=21 6+1=1 7+1=0", "Dt=8+1 D=9+6,56+2 I=16+6,58+2 forwarding=22+1 It=23+1 J=24+6,60+2 count=30+2 S=32+8 unk1=40+6 elide=46+1 unk2=47+1 interpolation=48+2 unk3=50+2 kill=52+1 unk4=53+3 unk5=62+2", ">D:varvec I:cf J:cfw S:samp forwarding:fwd elide:elide interpolation:interp kill:kill unk1:x unk2:x unk3:x unk4:x unk5:x"},
	OpLdcf:       {"ldcf", "4/8 L15", "0+6=21 6+2=2", "Dt=8+1 D=9+6,56+2 I=16+6,58+2 It=23+1 count=30+2", ">D:cfvec I:cf"},
	OpLdTile:     {"ld_tile", "8/10 L15", "0+6=9 6+1=1", "Rt=8+1 R=9+6,60+2 C=16+6,58+2 St=22+2 F=24+4 O=28+7,40+2 u0=35+1 mask=36+4 S=42+6,56+2 h1=55+1", ">R:vec F:fmt u0:x=1 mask:mask O:imm S:tsmask C:x h1:h"},
	OpStTile:     {"st_tile", "8/10 L15", "0+6=9 6+1=0", "Rt=8+1 R=9+6,60+2 C=16+6,58+2 St=22+2 F=24+4 O=28+7,40+2 u0=35+1 mask=36+4 S=42+6,56+2 h1=55+1", "R:vec F:fmt u0:x mask:mask O:imm S:tsmask C:x h1:h"},
	OpSampleMask: {"sample_mask", "4", "0+8=c1 15+1=0", "St=8+1 S=9+6,24+2 M=16+6,26+2 Mt=23+1", "S:smask M:smask"},
	OpZsEmit:     {"zs_emit", "4", "0+8=41 15+1=0", "St=8+1 S=9+6,24+2 T=16+6,26+2 u0=22+2 z=29+1 s=30+1", "S:smask T:zsvec u0:x"},
	OpStVar:      {"st_var", "4", "0+10=11 22+1=0", varAll, "u:x=1 r:gprn I:uvs"},
	OpStVarFinal: {"st_var_final", "4", "0+10=91 22+1=0", varAll, "u:x=1 r:gprn I:uvs"},
	OpNoVar:      {"no_var", "4", "0+10=51 22+1=0", varAll, "u:x=1 r:gprn I:uvs"},

	// Seen but not understood.
	OpAfterSampling1: {"after_sampling1", "2", "0+16=101c", "", ""},
	OpAfterSampling2: {"after_sampling2", "2", "0+16=62cc", "", ""},
	OpUnk30C0:        {"unk30C0", "6", "0+16=c030", "imm=16+32", "imm:imm"},
	OpUnk40C0:        {"unk40C0", "6", "0+48=c040", "", ""},
	OpUnkC0000000:    {"unkC0000000", "4", "0+32=c0", "", ""},
	OpUnk51:          {"unk51", "4", "0+31=51", "", ""},
	OpUnkE800:        {"unkE800", "2", "0+16=e8", "", ""},
	OpUnk0C00:        {"unk0C00", "2", "0+16=c", "", ""},
}
