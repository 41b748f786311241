#include "cli/command.h"
#include "fetch/client.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef GPUFERRY_VERSION
#define GPUFERRY_VERSION "unversioned"
#endif

static const struct cmd *const commands[] = {
#define CMD(name) &cmd_##name,
#include "cli/commands.inc"
#undef CMD
    NULL,
};

static void add_usage(struct gf_buf *out)
{
    gf_buf_adds(out, "usage: gpuferry COMMAND [ARGUMENTS] [OPTIONS]\n\n"
                     "Plans a GPU software stack for a machine, says why, and packs it for a place without a network.\n\n");
    for (size_t i = 0; commands[i]; i++) gf_buf_addf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    gf_buf_adds(out, "\n'gpuferry COMMAND -h' lists a command's options; 'gpuferry --version' prints the version.\n"
                     "Exit status: 0 yes/done, 1 no, 2 usage, 3 facts are missing, 4 a source or the network failed,\n"
                     "5 integrity or signature failed, 6 local files.\n");
}

static int print(const struct gf_buf *text)
{
    struct gf_err err = GF_ERR_INIT;
    if (out_result(gf_buf_slice(text), &err) == 0) return 0;
    out_error(&err);
    return 6;
}

static int usage_error(const char *what, const char *given)
{
    struct gf_err err = GF_ERR_INIT;
    gf_fail(&err, GF_E_USAGE, "%s%s%s%s; 'gpuferry --help' lists the commands", what, given ? " '" : "", given ? given : "", given ? "'" : "");
    out_error(&err);
    return 2;
}

static void on_interrupt(int sig)
{
    (void)sig;
    net_interrupt();
}

static void handle_signals(void)
{
    struct sigaction sa = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int run_command(const struct cmd *c, int argc, char **argv)
{
    struct gf_err err = GF_ERR_INIT;
    struct opt_list args = { 0 };
    void *opts = gf_xcalloc(1, c->size);
    struct opt_common *common = opts;
    int rc = opt_parse(c->groups, c->ngroups, argc, argv, opts, &args, &err);
    if (!rc) out_init(common->json, common->quiet, common->verbose);
    if (!rc && common->help) {
        GF_BUF_SCOPE struct gf_buf text;
        gf_buf_init(&text, GF_CAP_OUTPUT);
        gf_buf_addf(&text, "usage: gpuferry %s\n\n%s\n", c->usage, c->summary);
        opt_help(c->groups, c->ngroups, &text);
        rc = print(&text);
    } else if (!rc) {
        handle_signals();
        rc = c->run(opts, &args, &err);
    }
    if (err.code != GF_OK) {
        out_error(&err);
        rc = gf_exit_status(err.code);
    }
    for (size_t g = 0; g < c->ngroups; g++)
        for (size_t i = 0; i < opt_group_count(&c->groups[g]); i++)
            if (c->groups[g].rows[i].kind == OPT_LIST) {
                struct opt_list *list = (struct opt_list *)(void *)((char *)opts + c->groups[g].offset + c->groups[g].rows[i].offset);
                gf_vec_free(list);
            }
    gf_vec_free(&args);
    free(opts);
    return rc;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    bool json = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) json |= strcmp(argv[i], "--json") == 0;
    out_init(json, false, 0); /* for what goes wrong before a command has its options */
    bool help = word && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "help") == 0);
    if (help && argc > 2) { /* help COMMAND */
        char *again[] = { argv[0], argv[2], (char[]){ "-h" }, NULL };
        return main(3, again);
    }
    GF_BUF_SCOPE struct gf_buf text;
    gf_buf_init(&text, GF_CAP_OUTPUT);
    if (help) {
        add_usage(&text);
        return print(&text);
    }
    if (!word) return usage_error("no command given", NULL);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        gf_buf_adds(&text, json ? "{\n  \"version\": \"" GPUFERRY_VERSION "\"\n}\n" : "gpuferry " GPUFERRY_VERSION "\n");
        return print(&text);
    }
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, word) == 0) return run_command(commands[i], argc - 2, argv + 2);
    return usage_error("there is no command", word);
}
