package main

import (
	"strings"

	"nirc"
)

// maxResponses bounds how deep response files may name others.
const maxResponses = 16

// expandResponses replaces each argument @FILE by the arguments in FILE:
// separated by white space, quoted with ' or ", \ before a character that is meant as it is
// or at the end of a line that goes on, and # to the end of a line a comment. A file may name others. What stands after -- is left alone.
func expandResponses(args []string, depth int) ([]string, error) {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...), nil
		}
		if len(a) < 2 || a[0] != '@' {
			out = append(out, a)
			continue
		}
		if depth == maxResponses {
			return nil, nirc.Usagef("%s: response files name each other %d deep", a, depth)
		}
		text, err := readFile(a[1:])
		if err != nil {
			return nil, err
		}
		words, err := splitArgs(string(text))
		if err != nil {
			return nil, nirc.Usagef("%s: %s", a[1:], err)
		}
		if words, err = expandResponses(words, depth+1); err != nil {
			return nil, err
		}
		out = append(out, words...)
	}
	return out, nil
}

// splitArgs takes the text of a response file, or of a manifest's line, apart. A byte order mark
// in front is none of it.
func splitArgs(text string) ([]string, error) {
	var (
		words []string
		word  strings.Builder
		in    bool // a word
		quote rune
		runes = []rune(strings.TrimPrefix(text, "\ufeff"))
	)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote != '\'' && i+1 < len(runes):
			i++
			if r, next := runes[i], i+1; r == '\r' && next < len(runes) && runes[next] == '\n' {
				i++
			}
			if runes[i] == '\n' {
				break // the line goes on
			}
			word.WriteRune(runes[i])
			in = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		case r == '#' && !in:
			for i+1 < len(runes) && runes[i+1] != '\n' {
				i++
			}
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 {
		return nil, nirc.Usagef("a quotation with %c does not end", quote)
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// quoteArg writes a word so that splitArgs reads it as it is. A line's end in
// it ends the line of a manifest all the same: no entry point can be asked for by such a name there.
func quoteArg(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
