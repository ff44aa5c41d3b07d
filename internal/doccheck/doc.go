// Package doccheck holds what is written about the code to what is there: citations of the project's pages lead to headings,
// and the words of the glossary in CONTRIBUTING.md are kept. It reads comments and pages, never code, and nothing that ships
// imports it. Its tests are its only users.
package doccheck
