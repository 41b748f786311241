/* Stands in for libFuzzer in the normal tests: gives a fuzz target every file named or found in a folder named, then variations of it that
   are the same each time: every cut, and single bytes changed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 400, CHANGES = 400, LARGEST = 1 << 20 };
static unsigned long runs;

/* Each input in an allocation of its own size, so that ASan sees a read past its end. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

static void vary(uint8_t *data, size_t size)
{
    static const uint8_t odd[] = { 0, 0xff, 0x80, '"', '\n', '.', '(', '9' };
    for (size_t i = 0; i < CUTS && i < size; i++) give(data, size <= CUTS ? i : i * (size / CUTS));
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; size && i < CHANGES; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        size_t at = (size_t)(seed % size);
        uint8_t was = data[at];
        data[at] = (uint8_t)(i & 1 ? odd[(seed >> 40) % sizeof odd] : was ^ (1u << ((seed >> 40) & 7)));
        give(data, size);
        data[at] = was;
    }
}

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return perror(path), 1;
    uint8_t *data = malloc(LARGEST);
    if (!data) abort();
    size_t size = fread(data, 1, LARGEST, f);
    fclose(f);
    give(data, size);
    vary(data, size);
    free(data);
    return 0;
}

static int replay(const char *path)
{
    DIR *d = opendir(path);
    if (!d) return replay_file(path);
    int bad = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char file[4096];
        if (e->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        bad |= replay_file(file);
    }
    closedir(d);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = argc < 2;
    for (int i = 1; i < argc; i++) bad |= replay(argv[i]);
    if (!runs) fprintf(stderr, "no input: usage: %s FILE|FOLDER…\n", argv[0]);
    else printf("%lu inputs\n", runs);
    return bad || !runs;
}
