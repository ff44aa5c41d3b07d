/* Looks shaders up in an archive that `nirc cache pack` wrote; its form is in docs/cli/formats.md.
 *
 *     cc -o readpak readpak.c
 *     ./readpak shaders.pak                            lists the shaders
 *     ./readpak shaders.pak blur.comp:main ir3 a630    writes the machine code to standard output
 *
 * The archive is mapped: a look-up touches the records on its way and nothing else. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct header {
	char magic[8];
	uint32_t records, record_size;
	uint64_t size;
	uint8_t sha256[32];
	uint8_t reserved[24];
};

struct record {
	uint32_t name, target, gpu, stage; /* places of strings */
	uint64_t object, object_size, code, code_size;
	uint8_t key[32];
	uint64_t reserved;
};

struct pak {
	const uint8_t *data;
	const struct record *records;
	uint32_t n;
};

static const char *text(const struct pak *p, uint32_t at) { return (const char *)p->data + at; }

/* inside reports whether a range lies in the file, and a string ends in it. */
static int inside(const struct header *h, uint64_t at, uint64_t size) { return at <= h->size && size <= h->size - at; }

static int ends(const struct header *h, const uint8_t *data, uint32_t at) { return at < h->size && memchr(data + at, 0, h->size - at); }

static int pak_open(struct pak *p, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(struct header))
		return -1;
	p->data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p->data == MAP_FAILED)
		return -1;
	const struct header *h = (const struct header *)p->data;
	if (memcmp(h->magic, "nircpak1", 8) != 0 || h->size != (uint64_t)st.st_size || h->record_size != sizeof(struct record) ||
	    !inside(h, sizeof *h, (uint64_t)h->records * sizeof(struct record)))
		return -1;
	p->records = (const struct record *)(p->data + sizeof *h);
	p->n = h->records;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct record *r = &p->records[i];
		if (!ends(h, p->data, r->name) || !ends(h, p->data, r->target) || !ends(h, p->data, r->gpu) || !ends(h, p->data, r->stage) ||
		    !inside(h, r->object, r->object_size) || !inside(h, r->code, r->code_size))
			return -1;
	}
	return 0;
}

/* pak_find returns the shader of a name for a target and a GPU, or NULL. */
static const struct record *pak_find(const struct pak *p, const char *name, const char *target, const char *gpu)
{
	uint32_t low = 0, high = p->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct record *r = &p->records[mid];
		int c = strcmp(name, text(p, r->name));
		if (c == 0)
			c = strcmp(target, text(p, r->target));
		if (c == 0)
			c = strcmp(gpu, text(p, r->gpu));
		if (c == 0)
			return r;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct pak p;
	if (argc != 2 && argc != 5) {
		fprintf(stderr, "usage: readpak FILE [NAME TARGET GPU]\n");
		return 2;
	}
	if (pak_open(&p, argv[1]) != 0) {
		fprintf(stderr, "%s: no archive of nirc cache pack\n", argv[1]);
		return 1;
	}
	if (argc == 2) {
		for (uint32_t i = 0; i < p.n; i++) {
			const struct record *r = &p.records[i];
			printf("%s %s %s %s %llu\n", text(&p, r->name), text(&p, r->target), text(&p, r->gpu), text(&p, r->stage), (unsigned long long)r->code_size);
		}
		return 0;
	}
	const struct record *r = pak_find(&p, argv[2], argv[3], argv[4]);
	if (!r) {
		fprintf(stderr, "%s: no %s for %s %s\n", argv[1], argv[2], argv[3], argv[4]);
		return 1;
	}
	return fwrite(p.data + r->code, 1, r->code_size, stdout) == r->code_size ? 0 : 1;
}
