package emu

import (
	"strings"

	"nirc/internal/lazy"
)

// OpenCL's names for formats, by SPIR-V's numbers (SPIR-V 3.29 Image Channel Order, 3.30 Image Channel Data Type). Those of Vulkan's
// formats that OpenCL has no name for have none.

// channelOrders are the orders by the components of a format's name; sRGBs stand where the kind is KindSrgb.
var channelOrders = lazy.Value[map[string]uint32]{Make: func() map[string]uint32 {
	return map[string]uint32{"R": 0, "A": 1, "RG": 2, "RGB": 4, "RGBA": 5, "BGRA": 6, "D": 13}
}}

var srgbOrders = lazy.Value[map[string]uint32]{Make: func() map[string]uint32 {
	return map[string]uint32{"RGB": 15, "RGBA": 17, "BGRA": 18}
}}

// channelTypes are the data types by how a channel is stored, and its bits.
var channelTypes = lazy.Value[map[ChannelKind]map[uint8]uint32]{Make: func() map[ChannelKind]map[uint8]uint32 {
	return map[ChannelKind]map[uint8]uint32{
		KindSnorm: {8: 0, 16: 1}, KindUnorm: {8: 2, 16: 3, 24: 15}, KindSrgb: {8: 2}, KindSint: {8: 7, 16: 8, 32: 9}, KindUint: {8: 10, 16: 11, 32: 12}, KindSfloat: {16: 13, 32: 14},
	}
}}

// OpenCL returns the order and the data type of the channels; ok is false of a format that OpenCL does not have.
func (f *Format) OpenCL() (order, dataType uint32, ok bool) {
	letters, c := strings.Builder{}, f.first()
	for _, x := range f.Channels {
		if x.Width != c.Width || x.Comp > CompD {
			return 0, 0, false
		}
		letters.WriteByte("RGBAD"[x.Comp])
	}
	orders := channelOrders.Get()
	if f.IsSrgb() {
		orders = srgbOrders.Get()
	}
	order, named := orders[letters.String()]
	dataType, typed := channelTypes.Get()[c.Kind][c.Width]
	return order, dataType, named && typed
}
