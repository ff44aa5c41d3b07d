package core

import (
	"fmt"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// attachmentView is how an instruction sees an attachment: its descriptor is that of an array, multisampled or not (docs/abi.md).
var attachmentView = abi.Descriptor{Kind: abi.Texture, View: abi.View{Dim: ir.DimMS, Array: true, MS: true}}

// attachment is what stands as texture of a number in the fragment stage's own state: the attachment of that number, nothing where
// the draw has none.
func (w *wave) attachment(x *inst) (*abi.Descriptor, *emu.Descriptor, error) {
	d := &emu.Descriptor{Type: emu.DescInputAttachment}
	if p := w.l.Draw; p != nil {
		d.Image = p.Attachment(abi.AttachmentResult(uint32(x.Tex)))
	}
	return &attachmentView, d, nil
}

// readsAttachment says what is wrong with a fetch by sample, if it reads a texture of the stage's own state: the driver puts
// attachments there that the metadata names, for fragments alone.
func (p *program) readsAttachment(x *inst) string {
	switch {
	case x.Mode != isa.TexDirect:
	case p.meta.Stage != ir.StageFragment || p.meta.Attachments>>x.Tex&1 == 0:
		return fmt.Sprintf("the meta does not say that attachment %d is read", x.Tex)
	case x.Flags&isa.TexA == 0:
		return "the descriptor of an attachment is that of an array"
	}
	return ""
}
