/* Every cap of the program in one place: all input is hostile. Sizes in bytes unless the name says otherwise. */
#ifndef GF_LIMITS_H
#define GF_LIMITS_H

#define GF_CAP_ERROR 4096                       /* one error message */
#define GF_CAP_JSON (256u << 20)                /* one JSON document (an index page with 50,000 files is about 30 MiB) */
#define GF_CAP_JSON_DEPTH 64                    /* nesting of a JSON document */
#define GF_CAP_PAGE (256u << 20)                /* one index page as sent */
#define GF_CAP_BUILD_REQUIRES 200u /* of one source archive; real ones have below 20 */
#define GF_CAP_METADATA (16u << 20)             /* one METADATA file */
#define GF_CAP_REQUIREMENTS 10000u              /* requirements that one METADATA names */
#define GF_CAP_VARIANTS (4u << 20)                /* one NAME-VERSION-variants.json */
#define GF_CAP_ZIP_DIRECTORY (64u << 20)        /* central directory of a wheel */
#define GF_CAP_LOCK (64u << 20)                 /* gpuferry.lock */
#define GF_CAP_TARGETS 10000u                    /* targets of one lock */
#define GF_CAP_PROFILE (16u << 20)              /* a profile or collector output */
#define GF_CAP_PASTE (512u << 20)               /* a pasted log */
#define GF_CAP_FILES_PER_PAGE 200000u           /* files of one project */
#define GF_CAP_TEXT_LINE (1u << 20)             /* one line of a text file */
#define GF_CAP_OUTPUT (256u << 20)              /* one generated document */
#define GF_CAP_PATH 4096                        /* a path inside a bundle or archive */
#define GF_CAP_VERSION_TEXT 512                 /* a version string */
#define GF_CAP_MARKER_DEPTH 200                 /* nesting of a marker expression */
#define GF_CAP_WHEEL_NAME 1024u                  /* file name of a wheel (its tag sets multiply) */
#define GF_CAP_SOLVE_STEPS 2000000u             /* decisions of one solve before it is called off */

#endif
