package mangle

import (
	"regexp"
	"strconv"
)

// Number finds the numbers of an instruction's text.
var Number = regexp.MustCompile(`0x[0-9a-f]+|0b[01]+|\d+`)

// Edges are the numbers around which fields of instructions end.
var Edges = []string{"0", "1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "31", "32", "33", "47", "48", "49", "62", "63", "64", "127", "128", "129", "255", "256", "257",
	"511", "512", "513", "1023", "1024", "1025", "2047", "2048", "4095", "4096", "8191", "8192", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "4294967296"}

// Numbers are the numbers of a text except for zeros, which may be left out.
func Numbers(text string) (list []uint64) {
	for _, n := range Number.FindAllString(text, -1) {
		if v, err := strconv.ParseUint(n, 0, 64); err != nil || v != 0 {
			list = append(list, v)
		}
	}
	return list
}
