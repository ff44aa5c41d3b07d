package emu

import "nirc/internal/lazy"

// samplePos is a sample's position inside its pixel in sixteenths.
type samplePos struct{ x, y uint8 }

// sampleTables are Vulkan's standard sample locations by sample count.
var sampleTables = lazy.Value[map[int][]samplePos]{Make: func() map[int][]samplePos {
	return map[int][]samplePos{
		1:  {{8, 8}},
		2:  {{12, 12}, {4, 4}},
		4:  {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
		8:  {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
		16: {{9, 9}, {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3}, {6, 14}, {8, 1}, {4, 2}, {2, 12}, {0, 8}, {15, 4}, {14, 15}, {1, 0}},
	}
}}

// SamplePosition returns where sample n of a pixel with so many samples lies
// inside the pixel, [0,1); the centre if there is no such sample.
func SamplePosition(samples, n int) (x, y float32) {
	t := sampleTables.Get()[samples]
	if n < 0 || n >= len(t) {
		return 0.5, 0.5
	}
	return float32(t[n].x) / 16, float32(t[n].y) / 16
}
