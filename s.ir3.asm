    mov.u32u32 r0.x, 0
    cov.u32u16 hr0.z, c0.x
    mov.u32u32 r0.w, 0xffff0000
    (rpt3)nop
    ldib.b.untyped.1d.u32.1.imm.base0 r1.z, r0.x, 0
    (rpt1)nop
    atomic.b.and.untyped.1d.u32.1.imm.base0 r0.z, r0.x, 0
    (sy)cov.u32u16 hr3.z, r1.z
    (rpt2)nop
    (nop3) mul.s24 hr3.z, hr3.z, hr0.z
    cov.u16u32 r2.x, hr3.z
    (rpt2)nop
    (nop3) and.b r2.x, r2.x, c4.x
    (nop3) shl.b r1.y, r2.x, 0
    (rpt2)nop
    atomic.b.or.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 0
    end
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
